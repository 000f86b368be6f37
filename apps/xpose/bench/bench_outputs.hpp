// The documents of a run: --json, --csv, --markdown and --svg.
#pragma once

#include <vector>

#include "bench/bench_file.hpp"
#include "bench/bench_run.hpp"
#include "options/options.hpp"

namespace xpose::app {

void add_bench_outputs(po::options_description& options);

class BenchOutputs {
 public:
  // Begins every output that the command line names. Throws UsageError for an empty name, Error
  // invalid where two share one target, Error failed where one cannot be written.
  explicit BenchOutputs(const po::variables_map& values);

  const BenchFile& json() const { return outputs_.front().file; }
  bool take_stdout() const;  // one of them, so that no table is printed

  // After each result: files hold all results so far. Without a result a file stays as it is.
  // Throws Error failed.
  void save(const BenchRun& run);

  // At the end: files as save(), then standard output, pipes and devices. Throws Error failed.
  void finish(const BenchRun& run);

 private:
  struct Output {
    std::string (*text_of)(const BenchRun&);
    BenchFile file;
  };
  std::vector<Output> outputs_;  // that of --json first
};

}  // namespace xpose::app
