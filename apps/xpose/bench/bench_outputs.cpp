#include "bench/bench_outputs.hpp"

#include <algorithm>
#include <array>

namespace xpose::app {
namespace {

struct Kind {
  const char* option;
  const char* help;
  std::string (*text_of)(const BenchRun&);
};

constexpr std::array<Kind, 4> kKinds = {{
    {"json", "write the results as JSON; a file is complete after every problem", to_json_text},
    {"csv", "write the results as CSV, likewise", to_csv_text},
    {"markdown", "write the table as Markdown, likewise", to_markdown_text},
    {"svg", "draw the winners and their peers as SVG, likewise", to_svg_text},
}};

}  // namespace

void add_bench_outputs(po::options_description& options) {
  for (const Kind& kind : kKinds)
    options.add_options()(
        kind.option, po::value<std::string>()->default_value("")->value_name("FILE|-"), kind.help);
}

BenchOutputs::BenchOutputs(const po::variables_map& values) {
  for (const Kind& kind : kKinds)
    outputs_.push_back({kind.text_of, BenchFile(std::string("--") + kind.option,
                                                output_name(values, kind.option))});
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    for (std::size_t j = i + 1; j < outputs_.size(); ++j)
      ResultOutput::check_apart(outputs_[i].file.output(), outputs_[j].file.output());
}

bool BenchOutputs::take_stdout() const {
  return std::ranges::any_of(outputs_, [](const Output& one) { return one.file.is_stdout(); });
}

void BenchOutputs::save(const BenchRun& run) {
  if (run.results.empty()) return;  // an earlier file may have more
  for (Output& one : outputs_)
    if (one.file.is_file()) one.file.save(one.text_of(run));
}

void BenchOutputs::finish(const BenchRun& run) {
  save(run);
  for (Output& one : outputs_) one.file.finish(one.text_of(run));
}

}  // namespace xpose::app
