#include "bench/bench_file.hpp"

#include <fstream>
#include <iterator>
#include <utility>

#include "xpose/xpose.hpp"

namespace xpose::app {

BenchFile::BenchFile(std::string option, std::string target)
    : option_(std::move(option)), target_(std::move(target)), output_(option_, target_) {}

std::string BenchFile::read() const {
  if (!std::filesystem::exists(target_)) return {};
  std::ifstream file(target_, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Error(ErrorKind::failed, option_ + ' ' + target_ + " cannot be read");
  return text;
}

void BenchFile::save(std::string_view text) {
  if (is_file()) output_.write(text);
}

void BenchFile::finish(std::string_view text) {
  if (!is_file()) output_.write(text);
}

std::vector<CellResult> kept_results(const BenchFile& file, const BenchSetup& setup,
                                     const std::vector<std::pair<Device, Cell>>& table) {
  const std::string document = file.read();
  if (document.empty()) return {};
  try {
    return earlier_results(document, setup, table);
  } catch (const Error& error) {
    throw Error(ErrorKind::failed, "--json " + file.name() + " cannot be resumed: " + error.what() +
                                       "; name another file, or leave --resume out to replace it");
  }
}

}  // namespace xpose::app
