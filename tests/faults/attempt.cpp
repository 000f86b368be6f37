#include "attempt.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <optional>
#include <vector>

#include "c_caller.hpp"
#include "xpose/cache.hpp"
#include "xpose/xpose.hpp"

// Nothing is measured here, so that nobody waits for another, as measurements on one device do.
extern "C" int fcntl(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (command == F_OFD_GETLK) static_cast<struct flock*>(argument)->l_type = F_UNLCK;
  if (command == F_OFD_GETLK || command == F_OFD_SETLK) return 0;
  return static_cast<int>(::syscall(SYS_fcntl, file, command, argument));
}

namespace xpose {

namespace fs = std::filesystem;

Workplace::Workplace() {
  // In memory, where there is a folder for that: a cache waits for its disk at every step.
  const fs::path parent = fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
  std::string name = parent / "xpose_faults_XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    throw fs::filesystem_error("cannot make a folder", name, {});
  folder_ = name;
  fs::create_directory(plugins());
  for (const char* plugin : {"host_naive.so", "host_copy.so"})
    fs::copy(fs::path(XPOSE_PLUGINS) / plugin, plugins());
}
Workplace::~Workplace() { fs::remove_all(folder_); }

namespace {

// Rows and two batch dimensions that do not fuse: the engine loops over one of them.
Problem small_problem() {
  return {.rows = 5,
          .cols = 7,
          .in_ld = 8,
          .out_ld = 6,
          .batch = {{.extent = 2, .in_stride = 50, .out_stride = 60},
                    {.extent = 3, .in_stride = 120, .out_stride = 140}}};
}

}  // namespace

// What a call is made on.
struct Subject {
  EngineOptions engine_options;
  Problem problem = small_problem();
  PlanOptions plan_options;
  std::optional<Engine> engine;
  std::optional<Plan> plan;
  CCaller c;
  TuneReport report;
  std::vector<std::uint32_t> in, out;

  explicit Subject(const Workplace& place, bool in_process) : in(420), out(420) {
    engine_options.plugin_folders = {place.plugins()};
    engine_options.threads = 1;
    engine_options.in_process = in_process;
    engine_options.worker = XPOSE_WORKER;
    engine_options.cache = place.cache();
    engine_options.warn = [](std::string_view) {};
    plan_options.tune.budget_seconds = 1e-9;  // one that is right; with 0 it would be an estimate
    plan_options.tune.whole = true;           // trials, however long they take
    plan_options.tune.max_rounds = 2;
    plan_options.tune.warm = true;
    std::iota(in.begin(), in.end(), 1U);
  }

  void forget() { std::ranges::fill(out, 0U); }
  void open() { engine.emplace(engine_options); }
  void tune() { report = engine->tune(problem, plan_options.tune); }
  void make_plan() { plan = engine->plan(problem, plan_options); }
  void execute() { plan->execute(in.data(), out.data()); }
  void transpose() { engine->transpose(in.data(), out.data(), problem); }

  bool is_transposed() const {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 2; ++j)
        for (std::size_t r = 0; r < 5; ++r)
          for (std::size_t c = 0; c < 7; ++c)
            if (out[i * 140 + j * 60 + c * 6 + r] != in[i * 120 + j * 50 + r * 8 + c]) return false;
    return true;
  }
  // A file that could not be read or loaded for want of memory is listed as refused.
  std::string refusals() const {
    std::string text;
    if (engine)
      for (const PluginInfo& plugin : engine->plugins()) text += plugin.refused;
    return text;
  }
  bool lacks_plugins() const { return !engine || !refusals().empty(); }
};

namespace {

void nothing(Subject&) {}
void open(Subject& s) { s.open(); }
void make_plan(Subject& s) { s.make_plan(); }
void execute(Subject& s) { s.execute(); }
void transpose(Subject& s) { s.transpose(); }

void open_to_estimate(Subject& s) {
  s.plan_options.policy = Policy::estimate;
  s.open();
}
void open_with_a_past(Subject& s) {
  const bool has_past = fs::exists(s.engine_options.cache);
  s.open();
  if (has_past) return;
  s.tune();
  s.open();
}
// Its plugins are listed before allocations fail: those that were refused are not known here.
void open_in_c(Subject& s) {
  s.open();
  s.c.open(s.engine_options);
  s.c.prepare();
}
void prepare_in_c(Subject& s) { s.c.prepare(); }
void execute_in_c(Subject& s) { s.c.execute(s.in.data(), s.out.data()); }
void permute_in_c(Subject& s) { s.c.permute(s.in.data(), s.out.data()); }
void prepare_and_execute_in_c(Subject& s) {
  prepare_in_c(s);
  execute_in_c(s);
}
void open_and_plan(Subject& s) {
  s.open();
  s.make_plan();
}
void tune_plan_and_execute(Subject& s) {
  s.tune();
  s.make_plan();
  s.execute();
}

const Scenario kEveryCall[] = {
    {"opening", Memory::fresh, nothing, open, transpose, 4},  // a file of its own each time
    {"reopening", Memory::kept, nothing, open, transpose},
    {"tuning", Memory::kept, open, [](Subject& s) { s.tune(); }, transpose},
    {"planning", Memory::none, open, make_plan, execute},
    {"estimating", Memory::none, open_to_estimate, make_plan, execute},
    {"planning_from_the_cache", Memory::kept, open_with_a_past, make_plan, execute},
    {"executing", Memory::none, open_and_plan, execute, nothing},
    {"transposing", Memory::none, open, transpose, nothing, 4},  // as planning, with more rounds
    {"preparing_in_c", Memory::none, open_in_c, prepare_and_execute_in_c, nothing},
    {"permuting_in_c", Memory::none, open_in_c, permute_in_c, nothing},
};
// Plugins are loaded when an engine first needs them, not when it is opened.
const Scenario kFirst = {"a first use", Memory::none, open, tune_plan_and_execute, nothing};

// What is wrong with how a call went, or nothing: it may go well, give up for want of memory, or go
// on without what it had no memory for.
std::string complaint(const Subject& subject, const std::exception_ptr& thrown) {
  for (const Trial& trial : subject.report.trials)
    if (trial.verdict != Verdict::ok && trial.verdict != Verdict::no_memory)
      return "the report says " + std::string(to_string(trial.verdict)) + " of " +
             to_string(trial.variant) + ": " + trial.detail;
  const std::string refusals = subject.refusals();
  for (const char* falsely : {"offered by a plugin found before it", "was overwritten"})
    if (refusals.find(falsely) != std::string::npos) return "falsely refused " + refusals;
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::no_memory) return {};
    if (error.kind() == ErrorKind::no_strategy && !refusals.empty()) return {};
    return "threw an Error of kind " + std::to_string(static_cast<int>(error.kind())) + ": " +
           error.what();
  } catch (const std::exception& other) {
    return std::string("threw what is no Error: ") + other.what();
  }
  return {};
}

// What a fault must not leave behind: strategies are not to blame for it, nor is the file corrupt.
std::string complaint(const Workplace& place) {
  if (!fs::exists(place.cache())) return {};
  if (const auto cached = read_cache(place.cache()); !cached.quarantine.empty())
    return "quarantined " + cached.quarantine.front().strategy;
  for (const auto& file : fs::directory_iterator(place.cache().parent_path()))
    if (file.path().string().find("corrupt") != std::string::npos)
      return "took the cache for corrupt";
  return {};
}

}  // namespace

std::span<const Scenario> scenarios() { return kEveryCall; }
const Scenario& first_use() { return kFirst; }

Attempt attempt(const Workplace& place, bool in_process, const Scenario& scenario,
                std::uint64_t nth, Failing failing) {
  Attempt result;
  if (scenario.memory == Memory::fresh) place.forget();
  Subject subject(place, in_process);
  subject.engine_options.remember = scenario.memory != Memory::none;
  scenario.prepare(subject);
  std::exception_ptr thrown;
  {
    const FailAllocation failure(nth, failing);
    try {
      scenario.call(subject);
    } catch (...) {
      thrown = std::current_exception();
    }
    result.reached = failure.reached();
  }
  result.complaint = complaint(subject, thrown);
  if (!result.complaint.empty()) return result;
  try {
    if (!thrown && !subject.lacks_plugins()) {
      scenario.finish(subject);
      if (!subject.is_transposed()) result.complaint = "did not transpose";
      subject.forget();
    }
    if (subject.lacks_plugins()) scenario.prepare(subject);
    scenario.call(subject);
    scenario.finish(subject);
    if (!subject.is_transposed()) result.complaint = "the next call did not transpose";
    if (result.complaint.empty()) result.complaint = complaint(place);
  } catch (const std::exception& error) {
    // The loader's own fault (glibc 2.36): a library for whose list of dependencies it had no
    // memory stays half loaded, and every later load of it misses symbols.
    const std::string refusals = subject.refusals();
    if (refusals.find("undefined symbol") == std::string::npos)
      result.complaint = std::string("the next call failed: ") + error.what() + "; " + refusals;
  }
  return result;
}

}  // namespace xpose
