// Tunes, plans and executes one small problem on the GPU, twice, and says in a line each how that
// went: "right", or the kind of the Error and its words; then what it blames on strategies. A call
// of the driver fails meanwhile, in this process or in the worker (cuda_shim.cpp). Ends with status
// 0 however that went.
//
//   cuda_attempts in-process|worker PLUGINS CACHE [WORKER]
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "xpose/cache.hpp"
#include "xpose/xpose.hpp"

namespace xpose {
namespace {

constexpr unsigned kLongestSeconds = 120;
constexpr std::size_t kRows = 40;
constexpr std::size_t kCols = 24;

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::no_memory:
      return "no_memory";
    case ErrorKind::device:
      return "device";
    case ErrorKind::no_strategy:
      return "no_strategy";
    case ErrorKind::wrong:
      return "wrong";
    case ErrorKind::invalid:
      return "invalid";
    case ErrorKind::failed:
      return "failed";
  }
  return "?";
}

struct Attempts {
  EngineOptions options;
  std::optional<Engine> engine;
  std::string blamed;  // " VERDICT:STRATEGY" for each trial that did not go well

  bool transposes() {
    const Problem problem = matrix(kRows, kCols, 4, {DeviceKind::cuda, 0});
    PlanOptions how;
    how.tune.budget_seconds = 1e-3;
    how.tune.whole = true;
    how.tune.max_rounds = 1;
    how.tune.warm = true;
    std::vector<std::uint32_t> in(kRows * kCols);
    std::vector<std::uint32_t> out(kRows * kCols);
    std::iota(in.begin(), in.end(), 1U);
    if (!engine) engine.emplace(options);
    for (const Trial& trial : engine->tune(problem, how.tune).trials)
      if (trial.verdict != Verdict::ok && trial.verdict != Verdict::unsupported)
        blamed += ' ' + std::string(to_string(trial.verdict)) + ':' + trial.variant.strategy;
    const Plan plan = engine->plan(problem, how);
    DeviceMemory device_in(problem.device, 4 * kRows * kCols);
    DeviceMemory device_out(problem.device, 4 * kRows * kCols);
    device_in.upload(in.data(), 4 * kRows * kCols);
    plan.execute(device_in.data(), device_out.data());
    device_out.download(out.data(), 4 * kRows * kCols);
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t c = 0; c < kCols; ++c)
        if (out[c * kRows + r] != in[r * kCols + c]) return false;
    return true;
  }

  std::string outcome() try {
    return transposes() ? "right" : "a wrong result";
  } catch (const Error& error) {
    return std::string(name_of(error.kind())) + ' ' + error.what();
  } catch (const std::exception& error) {
    return std::string("what is no Error ") + error.what();
  }
};

// Starts this process's driver library. With workers it is not to fail: it reads its orders here,
// while they are out of the environment.
bool has_device(bool in_process) {
  const char* const token = in_process ? nullptr : std::getenv("XPOSE_FAULT_TOKEN");
  const std::string kept = token == nullptr ? "" : token;
  if (!in_process) ::unsetenv("XPOSE_FAULT_TOKEN");
  const bool has = cuda_unavailable_reason().empty();
  if (!in_process) ::setenv("XPOSE_FAULT_TOKEN", kept.c_str(), 1);
  return has;
}

}  // namespace
}  // namespace xpose

int main(int argc, char** argv) {
  using namespace xpose;
  if (argc < 4) return 2;
  ::alarm(kLongestSeconds);  // a process that hangs is ended, which shows
  Attempts attempts;
  attempts.options.in_process = std::string_view(argv[1]) == "in-process";
  attempts.options.plugin_folders = {argv[2]};
  attempts.options.cache = argv[3];
  if (argc > 4) attempts.options.worker = argv[4];
  std::cout << (has_device(attempts.options.in_process) ? "a device\n" : "no device\n");
  std::cout << attempts.outcome() << std::endl;
  if (const char* token = std::getenv("XPOSE_FAULT_TOKEN")) std::remove(token);  // no more faults
  std::cout << attempts.outcome() << std::endl;
  if (std::filesystem::exists(attempts.options.cache))
    for (const Quarantine& row : read_cache(attempts.options.cache).quarantine)
      attempts.blamed += " quarantine:" + row.strategy;
  std::cout << attempts.blamed << '\n';
}
