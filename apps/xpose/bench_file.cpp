#include "bench_file.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "pending_file.hpp"
#include "xpose/xpose.hpp"

namespace xpose::app {

BenchFile::BenchFile(std::string option, std::string target)
    : option_(std::move(option)), target_(std::move(target)) {}

std::string BenchFile::read() const {
  if (!std::filesystem::exists(target_)) return {};
  std::ifstream file(target_, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Error(ErrorKind::failed, option_ + ' ' + target_ + " cannot be read");
  return text;
}

void BenchFile::save(std::string_view text) const {
  if (!is_file()) return;
  try {
    PendingFile file(target_);
    file.write(text);
    file.commit();
  } catch (const std::runtime_error& error) {
    throw Error(ErrorKind::failed, option_ + ' ' + error.what());
  }
}

void BenchFile::finish(std::string_view text) const {
  if (is_stdout()) std::cout << text;
}

}  // namespace xpose::app
