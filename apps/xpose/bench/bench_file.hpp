// The target of a document of a long run: nowhere, standard output or a pipe at the end, or a file
// that holds the results so far.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/bench_run.hpp"
#include "output/result_output.hpp"

namespace xpose::app {

class BenchFile {
 public:
  // The option's name, for errors, and its value: "", "-" or a path. Throws Error failed where that
  // cannot be written.
  BenchFile(std::string option, std::string target);

  bool is_stdout() const { return output_.is_stdout(); }
  bool is_file() const { return output_.is_file(); }
  const ResultOutput& output() const { return output_; }
  const std::string& name() const { return target_; }

  // The file's text, empty where there is none yet. Throws Error failed.
  std::string read() const;

  // Replaces a file as a whole, so that at no time a half-written one is there; does nothing
  // otherwise. Throws Error failed.
  void save(std::string_view text);

  // Writes to standard output, a pipe or a device where that was asked for. Throws Error failed.
  void finish(std::string_view text);

 private:
  std::string option_;
  std::string target_;
  ResultOutput output_;
};

// The results of an earlier run, to which the others are added. Throws Error failed with the file
// where it holds another document.
std::vector<CellResult> kept_results(const BenchFile& file, const BenchSetup& setup,
                                     const std::vector<std::pair<Device, Cell>>& table);

}  // namespace xpose::app
