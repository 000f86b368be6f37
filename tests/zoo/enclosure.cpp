#include "enclosure.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace xpose::zoo {
namespace {

namespace fs = std::filesystem;

// A worker built with a sanitizer leaves crashes to the system, as any other worker does. This
// process has read its options already.
void let_workers_crash() {
  for (const char* name : {"ASAN_OPTIONS", "TSAN_OPTIONS"}) {
    const char* const given = std::getenv(name);
    const std::string options = given == nullptr ? "" : std::string(given) + ':';
    setenv(name, (options + "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:detect_leaks=0").c_str(),
           1);
  }
}

bool is_running(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  const auto name_end = text.rfind(')');  // "PID (NAME) STATE ..."
  return name_end != std::string::npos && text.at(name_end + 2) != 'Z';
}

// Asks until it is so or many seconds have passed.
template <class Condition>
bool eventually(const Condition& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

Enclosure::Enclosure(const fs::path& animal, const std::vector<fs::path>& good) {
  animal_ = folder_ / "animal" / animal.filename();
  for (const char* folder : {"animal", "good"}) {
    fs::create_directory(folder_ / folder);
    fs::permissions(folder_ / folder, fs::perms(0755));
  }
  fs::copy_file(animal, animal_);
  for (const fs::path& file : good) fs::copy_file(file, folder_ / "good" / file.filename());
  setenv("XPOSE_ZOO_LOG", (folder_ / "log").c_str(), 1);
  static const bool once = (let_workers_crash(), true);
  EXPECT_TRUE(once);
}

EngineOptions Enclosure::options(double stage_seconds) {
  return {.plugin_folders = {folder_ / "animal", folder_ / "good"},
          .threads = 2,
          .worker = XPOSE_TRIAL,
          .stage_seconds = stage_seconds,
          .cache = cache(),
          .warn = [this](std::string_view warning) { warnings_.emplace_back(warning); }};
}

std::vector<Visit> Enclosure::visits() const {
  std::vector<Visit> all;
  std::ifstream log(folder_ / "log");
  for (Visit visit; log >> visit.animal >> visit.stage >> visit.pid;) all.push_back(visit);
  return all;
}

void Enclosure::rebuild() const {
  const fs::path fresh = fs::path(animal_).replace_extension("new");
  fs::copy_file(animal_, fresh);
  std::ofstream(fresh, std::ios::app).put('\n');
  fs::rename(fresh, animal_);
}

fs::path animal_file(const std::string& name) { return fs::path(ZOO_DIR) / name / (name + ".so"); }

const Trial* find_trial(const TuneReport& report, const std::string& strategy) {
  const auto found = std::ranges::find_if(
      report.trials, [&](const Trial& trial) { return trial.variant.strategy == strategy; });
  return found == report.trials.end() ? nullptr : &*found;
}

void expect_transposes(Engine& engine, const Problem& problem) {
  const auto rows = static_cast<std::size_t>(problem.rows);
  const auto cols = static_cast<std::size_t>(problem.cols);
  std::vector<std::uint32_t> in(rows * cols);
  std::vector<std::uint32_t> out(in.size());
  std::iota(in.begin(), in.end(), 1U);
  PlanOptions options;
  options.tune.budget_seconds = 60;  // other processes that measure are waited for
  options.tune.max_rounds = 1;
  options.tune.every_strategy = true;
  const Plan plan = engine.plan(problem, options);
  if (problem.device.kind == DeviceKind::host) {
    plan.execute(in.data(), out.data());
  } else {
    DeviceMemory from(problem.device, in.size() * 4);
    DeviceMemory to(problem.device, in.size() * 4);
    from.upload(in.data(), in.size() * 4);
    to.upload(out.data(), out.size() * 4);
    plan.execute(from.data(), to.data());
    to.download(out.data(), out.size() * 4);
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c)
      ASSERT_EQ(out[c * rows + r], in[r * cols + c]) << r << ',' << c;
}

void expect_nobody_left(const std::vector<Visit>& visits) {
  for (const Visit& visit : visits)
    EXPECT_TRUE(visit.pid == getpid() || eventually([&] { return !is_running(visit.pid); }))
        << visit.animal << ": process " << visit.pid << " of stage " << visit.stage << " lives on";
  errno = 0;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a worker was not ended, or not reaped";
  EXPECT_EQ(errno, ECHILD);
}

void expect_none_here(const std::vector<Visit>& visits) {
  for (const Visit& visit : visits)
    EXPECT_NE(visit.pid, getpid())
        << visit.animal << " was entered in the host, in " << visit.stage;
}

}  // namespace xpose::zoo
