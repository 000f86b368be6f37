#include "trial/conformance.hpp"

#include <memory>

#include "device/device.hpp"
#include "explain/model_device.hpp"
#include "explain/model_runner.hpp"
#include "plugin/catalog.hpp"
#include "problem/normal_form.hpp"
#include "trial/in_process_runner.hpp"
#include "worker/worker_runner.hpp"

namespace xpose {
namespace {

// One plugin file, described where the options say, without a memory.
struct Subject {
  Cache cache{{}, {}, {}};
  Worker worker;
  Admission admission;
  Catalog catalog;

  Subject(const std::filesystem::path& file, const EngineOptions& options)
      : worker(options.worker.empty() ? default_worker() : options.worker, options.stage_seconds),
        admission(worker, cache, options.warn, options.in_process) {
    add_file(catalog, file, cache);
    describe(catalog, admission);
  }
};

const Strategy& find_strategy(const Catalog& catalog, const std::string& name) {
  const PluginInfo& plugin = catalog.plugins.front();
  if (!plugin.refused.empty()) throw Error(ErrorKind::failed, "refused " + plugin.refused);
  std::string offered;
  for (const Strategy* strategy : catalog.strategies) {
    if (strategy->info.is_experiment) continue;  // there is nothing that it must write
    if (name == strategy->info.name) return *strategy;
    offered += (offered.empty() ? "" : ", ") + strategy->info.name;
  }
  throw Error(ErrorKind::no_strategy, plugin.file.filename().string() + " offers no strategy '" +
                                          name + "'; it offers " + offered);
}

// The strategy in this process, for the model.
const Strategy& loaded_here(Subject& subject, const Strategy& described) {
  try {
    const PluginLibrary& library =
        subject.admission.load(subject.catalog.plugins.front().file, described.digest);
    for (const Strategy& strategy : library.strategies)
      if (strategy.info.name == described.info.name) return strategy;
  } catch (const Refusal& refusal) {
    throw Error(ErrorKind::failed, "refused " + refusal.why);
  }
  throw Error(ErrorKind::failed,
              "it does not offer " + described.info.name + " here, but did in the worker");
}

// The first plan is destroyed after its launch; the second is launched twice, so that what a plan
// keeps from one launch to the next is seen as well.
Outcome verify_repeatedly(TrialRunner& runner, const Candidate& candidate) {
  Outcome outcome;
  for (const char* when : {"", "at the second launch, ", "at the third launch, "}) {
    outcome = runner.verify(candidate);
    if (outcome.verdict == Verdict::ok) continue;
    outcome.detail = when + outcome.detail;
    break;
  }
  return outcome;
}

// Of fat elements: fewer and smaller shapes, since each element is many bytes.
std::vector<Problem> fat_problems(std::uint32_t element_bytes, Device device) {
  std::vector<Problem> problems;
  const auto add = [&](std::int64_t rows, std::int64_t cols) -> Problem& {
    return problems.emplace_back(matrix(rows, cols, element_bytes, device));
  };
  // The last is large enough for several threads.
  constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {
      {1, 1},   {1, 40},  {40, 1},  {2, 3},   {7, 9},   {8, 8},    {16, 16},  {17, 33},
      {33, 17}, {15, 64}, {64, 48}, {3, 259}, {259, 3}, {131, 61}, {61, 131}, {257, 331}};
  for (const auto& [rows, cols] : shapes) add(rows, cols);
  // Leading dimensions padded by an odd number, and to a power of two.
  Problem& odd = add(35, 31);
  odd.in_ld = 31 + 7;
  odd.out_ld = 35 + 5;
  Problem& even = add(50, 100);
  even.in_ld = 128;
  even.out_ld = 64;
  add(8, 24).out_ld = 10;
  // Batches: dense; with gaps; two dimensions; interleaved with the columns; broadcast input.
  add(17, 33).batch = {{5, std::int64_t{17} * 33, std::int64_t{17} * 33}};
  add(32, 16).batch = {{3, 32 * 16 + 11, 32 * 16 + 13}};
  add(9, 11).batch = {{2, std::int64_t{4} * 150, 150}, {4, 150, 400}};
  const std::int64_t shape[] = {3, 11, 5, 19};
  const int axes[] = {0, 3, 2, 1};
  problems.push_back(permutation(shape, axes, element_bytes, device));
  add(20, 12).batch = {{3, 0, std::int64_t{20} * 12}};
  add(5, 5).batch = {{100, 25, 25}};
  if (device.kind == DeviceKind::cuda) {
    // More matrices, and more tiles in a column, than a grid dimension of 65535 takes.
    add(2, 2).batch = {{70001, 4, 5}};
    add(530001, 2);
    add(2, 530001);
  }
  // Bases aligned to a part, to less, and to one byte.
  for (const std::uint32_t aligned : {16U, 8U, 4U, 2U, 1U}) {
    add(19, 21).in_alignment = aligned;
    add(21, 19).out_alignment = aligned;
    Problem& both = add(32, 40);
    both.in_alignment = both.out_alignment = aligned;
  }
  const auto add_in_place = [&](std::int64_t side) -> Problem& {
    Problem& problem = add(side, side);
    problem.in_place = true;
    return problem;
  };
  for (const std::int64_t side : {2, 3, 8, 16, 17, 33, 70, 263}) add_in_place(side);
  Problem& padded = add_in_place(19);
  padded.in_ld = padded.out_ld = 24;
  add_in_place(33).batch = {{5, 1089, 1089}};
  Problem& skewed = add_in_place(20);
  skewed.in_alignment = skewed.out_alignment = 1;
  return problems;
}

}  // namespace

std::vector<std::uint32_t> conformance_sizes(std::uint32_t element_sizes) {
  std::vector<std::uint32_t> sizes = {1, 2, 4, 8, 16, 32, 48, 256};
  std::erase_if(sizes, [&](std::uint32_t bytes) { return !serves_elements(element_sizes, bytes); });
  return sizes;
}

std::vector<Problem> conformance_problems(std::uint32_t element_bytes, Device device) {
  if (element_bytes > 16) return fat_problems(element_bytes, device);
  std::vector<Problem> problems;
  const auto add = [&](std::int64_t rows, std::int64_t cols) -> Problem& {
    return problems.emplace_back(matrix(rows, cols, element_bytes, device));
  };
  // The last ones have whole vectors in every row, tiles that no edge cuts, and output rows that
  // begin within a sector of 32 bytes, of 1 and of 2 bytes.
  constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {
      {1, 1},     {1, 1000},  {1000, 1}, {2, 3},   {3, 1025},    {1025, 3},  {31, 33},   {257, 131},
      {127, 509}, {509, 127}, {16, 16},  {32, 32}, {64, 64},     {128, 256}, {256, 128}, {63, 65},
      {129, 127}, {31, 32},   {32, 33},  {17, 15}, {1023, 1025}, {272, 256}, {264, 256}};
  for (const auto& [rows, cols] : shapes) add(rows, cols);
  // Leading dimensions padded by an odd number, and to whole tiles.
  Problem& odd = add(65, 63);
  odd.in_ld = 63 + 7;
  odd.out_ld = 65 + 5;
  Problem& even = add(100, 200);
  even.in_ld = 256;
  even.out_ld = 128;
  // Batches: dense; with gaps; two dimensions; interleaved with the columns; broadcast input.
  add(33, 65).batch = {{5, std::int64_t{33} * 65, std::int64_t{33} * 65}};
  add(64, 32).batch = {{3, 64 * 32 + 11, 64 * 32 + 13}};
  add(17, 19).batch = {{2, std::int64_t{4} * 400, 400}, {4, 400, 1000}};
  const std::int64_t shape[] = {4, 21, 5, 37};
  const int axes[] = {0, 3, 2, 1};
  problems.push_back(permutation(shape, axes, element_bytes, device));
  add(40, 24).batch = {{3, 0, std::int64_t{40} * 24}};
  // Short sides, several blocks long: dense, in a batch, with runs that are nowhere aligned.
  add(1040, 16);
  add(16, 1040);
  add(3, 1040).batch = {{4, std::int64_t{3} * 1040, std::int64_t{3} * 1040}};
  add(1040, 3).batch = {{4, std::int64_t{3} * 1040, std::int64_t{3} * 1040}};
  add(9, 1037).in_ld = 1041;
  add(1037, 6).out_ld = 1039;
  // Small matrices one behind the other, several to a block.
  for (const auto& [rows, cols] : {std::pair{5, 5}, {16, 16}, {12, 6}, {2, 31}}) {
    const std::int64_t area = std::int64_t{rows} * cols;
    add(rows, cols).batch = {{std::int64_t{9000} / area, area, area}};
  }
  for (const bool output : {false, true}) {
    Problem& skewed = add(16, 8);
    skewed.batch = {{65, 128, 128}};
    (output ? skewed.out_alignment : skewed.in_alignment) = element_bytes;
  }
  if (device.kind == DeviceKind::cuda) {
    // More matrices, and more tiles in a column, than a grid dimension of 65535 takes.
    add(2, 2).batch = {{70001, 4, 5}};
    add(2100001, 2);
    add(2, 2100001);
  }
  // Bases aligned to one element, and to one byte.
  for (const std::uint32_t aligned : {element_bytes, std::uint32_t{1}}) {
    Problem& input = add(67, 61);
    input.in_alignment = aligned;
    Problem& output = add(61, 67);
    output.out_alignment = aligned;
    Problem& both = add(96, 160);
    both.in_alignment = both.out_alignment = aligned;
  }
  // In place: around every usual tile and register, padded, batched, misaligned.
  const auto add_in_place = [&](std::int64_t side) -> Problem& {
    Problem& problem = add(side, side);
    problem.in_place = true;
    return problem;
  };
  const auto pad = [](Problem& problem, std::int64_t by) {
    problem.in_ld = problem.out_ld = problem.cols + by;
  };
  for (const std::int64_t side : {2, 3, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 240, 257, 512})
    add_in_place(side);
  pad(add_in_place(67), 5);
  pad(add_in_place(100), 28);
  add_in_place(33).batch = {{5, 1089, 1089}};
  add_in_place(64).batch = {{3, 4107, 4107}};
  add_in_place(130).batch = {{2, std::int64_t{4} * 17000, std::int64_t{4} * 17000},
                             {3, 17000, 17000}};
  if (device.kind == DeviceKind::cuda) add_in_place(2).batch = {{70001, 5, 5}};
  for (const std::uint32_t aligned : {element_bytes, std::uint32_t{1}}) {
    Problem& problem = add_in_place(97);
    problem.in_alignment = problem.out_alignment = aligned;
    pad(problem, 31);  // whole vectors from row to row: only the base is misaligned
  }
  if (device.kind == DeviceKind::host) {
    // Short sides of every kind of access, padded, in a batch with gaps, misaligned.
    add(2, 1037).out_ld = 3;
    add(1037, 2).in_ld = 3;
    add(4, 1030).batch = {{3, 4123, 4127}};
    add(1030, 4).batch = {{3, 4123, 4127}};
    add(11, 6).batch = {{65, 67, 71}};
    for (const auto& [rows, cols] : {std::pair{7, 1033}, {1033, 5}, {13, 1031}, {2077, 13}}) {
      Problem& problem = add(rows, cols);
      problem.in_alignment = problem.out_alignment = 1;
    }
    // A cache line high and wide.
    const std::int64_t line = std::max<std::int64_t>(64 / element_bytes, 1);
    add(line, 5 * line + 3);
    add(5 * line + 3, line);
    // The same for several threads.
    const std::int64_t elements = 2200000 / element_bytes;
    add(line, elements / line);
    add(elements / line, line);
    add(3, elements / 3);
    add(elements / 7, 7);
    add(5, 5).batch = {{elements / 25, 25, 25}};
  }
  return problems;
}

void check_conformance(const std::filesystem::path& plugin, const std::string& strategy_name,
                       std::uint32_t element_bytes,
                       const std::function<void(const ConformanceCase&)>& each,
                       const ConformanceOptions& options) {
  Subject subject(plugin, options.engine);
  const Strategy& described = find_strategy(subject.catalog, strategy_name);
  const Device device{described.info.device_kind, 0};
  if (options.model && !described.info.has_model)
    throw Error(ErrorKind::no_strategy, strategy_name + " has no model to run it on");
  const Strategy& strategy = options.model ? loaded_here(subject, described) : described;
  const DeviceInfo owner = options.model ? device_or_model(device) : backend(device).info();
  const unsigned threads =
      options.engine.threads != 0 ? options.engine.threads : std::max(2U, owner.multiprocessors);
  TuneOptions every;
  every.config = options.config;
  std::size_t index = 0;
  ConformanceCase last;
  last.variant.strategy = strategy_name;
  for (const Problem& problem : conformance_problems(element_bytes, device)) {
    const std::size_t here = index++;
    if (problem.in_place && !described.info.in_place) continue;
    const Problem normal = normal_form(problem);
    if (options.max_elements != 0 && element_count(normal) > options.max_elements) continue;
    if (options.problem && *options.problem != here) continue;
    std::unique_ptr<TrialRunner> runner;
    if (options.model)
      runner = std::make_unique<ModelRunner>(normal, owner, subject.catalog.plugins.front().file);
    else if (options.engine.in_process)
      runner = std::make_unique<InProcessRunner>(backend(device), normal, threads, true);
    else
      runner = std::make_unique<WorkerRunner>(WorkerRunner::Needs{
          subject.worker,
          subject.cache,
          owner,
          normal,
          threads,
          true,
          [&](const std::string&) { return subject.catalog.plugins.front().file; },
          {},
          false});
    for (const Candidate& candidate : all_candidates(strategy, normal, owner, every, *runner)) {
      ConformanceCase result{candidate.variant, here, problem, candidate.outcome.verdict,
                             candidate.outcome.detail};
      if (result.verdict == Verdict::ok) {
        const Outcome outcome =
            options.model ? runner->verify(candidate) : verify_repeatedly(*runner, candidate);
        result.verdict = outcome.verdict;
        result.detail = outcome.detail;
      }
      each(result);
      last = std::move(result);
    }
  }
  if (options.model || options.engine.in_process) return;
  const Outcome end = subject.worker.leave();
  if (end.verdict == Verdict::ok) return;
  last.verdict = end.verdict;
  last.detail = end.detail;
  last.at_exit = true;
  each(last);
}

PluginInfo inspect_plugin(const std::filesystem::path& plugin, const EngineOptions& options) {
  return Subject(plugin, options).catalog.plugins.front();
}

}  // namespace xpose
