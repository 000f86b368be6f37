// The n-th call of the CUDA driver fails, each n in a process of its own, through a tune, a plan
// and an execute of a small problem: every n at first, then steps of 5 %.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../temporary_folder.hpp"
#include "xpose/xpose.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

constexpr int kOutOfMemory = 2;
constexpr int kLaunchFailed = 719;
constexpr unsigned kProcesses = 8;  // at a time

// What a process of cuda_attempts said.
struct Attempts {
  bool reached = false;
  std::string function;  // the one that failed
  int status = 0;
  std::string device, first, second, blamed;
};

bool begins(const std::string& text, std::string_view with) { return text.starts_with(with); }

// The library that the runtime would load.
std::string driver_library() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  link_map* map = nullptr;
  if (library == nullptr || ::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
  return fs::canonical(map->l_name).string();
}

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The environment with the variables given, which replace those of the same name.
class Environment {
 public:
  explicit Environment(const std::vector<std::pair<std::string, std::string>>& variables) {
    for (const auto& [name, value] : variables)
      texts_.push_back(std::string(name).append(1, '=').append(value));
    for (char** old = environ; *old != nullptr; ++old) {
      const std::string text = *old;
      if (std::ranges::none_of(variables, [&](const auto& variable) {
            return text.starts_with(variable.first + '=');
          }))
        texts_.push_back(text);
    }
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  char** data() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

class CudaFaults : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = cuda_unavailable_reason(); !reason.empty())
      GTEST_SKIP() << reason;
    fs::create_directory(folder / "plugins");
    for (const char* plugin : {"cuda_naive.so", "cuda_copy.so"})
      fs::copy(fs::path(XPOSE_PLUGINS) / plugin, folder / "plugins");
    driver = driver_library();
    ASSERT_NE(driver, "");
  }

  Attempts run(const char* mode, int error, std::uint64_t nth) const;
  void fail_each(const char* mode, int error,
                 const std::function<std::string(const Attempts&)>& complaint);

  const TemporaryFolder temporary;
  const fs::path folder = temporary.path();
  std::string driver;
};

Attempts CudaFaults::run(const char* mode, int error, std::uint64_t nth) const {
  const fs::path own = folder / std::to_string(nth);
  fs::create_directory(own);
  const fs::path token = own / "token";
  std::ofstream(token).put('\n');
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  Environment environment({
      {"LD_LIBRARY_PATH", XPOSE_SHIM_FOLDER + (path == nullptr ? "" : ':' + std::string(path))},
      {"XPOSE_FAULT_DRIVER", driver},
      {"XPOSE_FAULT_AT", std::to_string(nth)},
      {"XPOSE_FAULT_ERROR", std::to_string(error)},
      {"XPOSE_FAULT_TOKEN", token.string()},
  });
  std::vector<std::string> words = {XPOSE_ATTEMPTS, mode, (folder / "plugins").string(),
                                    (own / "trials.sqlite").string(), XPOSE_WORKER};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string said = (own / "said").string();
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, said.c_str(), O_WRONLY | O_CREAT, 0600);
  Attempts attempts;
  pid_t child = 0;
  attempts.status =
      ::posix_spawn(&child, XPOSE_ATTEMPTS, &files, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&files);
  if (attempts.status == 0) ::waitpid(child, &attempts.status, 0);
  attempts.reached = fs::exists(token.string() + ".failed");
  attempts.function = content(token.string() + ".failed");
  std::ifstream lines(said);
  for (std::string* line : {&attempts.device, &attempts.first, &attempts.second, &attempts.blamed})
    std::getline(lines, *line);
  fs::remove_all(own);
  return attempts;
}

void CudaFaults::fail_each(const char* mode, int error,
                           const std::function<std::string(const Attempts&)>& complaint) {
  std::mutex mutex;
  std::uint64_t next = 1;
  std::uint64_t last = 0;
  std::uint64_t points = 0;
  bool over = false;
  const auto work = [&] {
    for (;;) {
      std::unique_lock lock(mutex);
      if (over) return;
      const std::uint64_t nth = next;
      next += next < 200 ? 1 : next / 20 - 9;
      lock.unlock();
      const Attempts attempts = run(mode, error, nth);
      lock.lock();
      if (!attempts.reached) over = true;
      if (attempts.reached) ++points;
      if (attempts.reached) last = std::max(last, nth);
      const std::string wrong = attempts.status != 0
                                    ? "ended with status " + std::to_string(attempts.status)
                                    : complaint(attempts);
      EXPECT_TRUE(wrong.empty()) << "where call " << nth << ", " << attempts.function
                                 << ", fails with " << error << ", it " << wrong << "\n  "
                                 << attempts.device << "\n  " << attempts.first << "\n  "
                                 << attempts.second << "\n  blamed:" << attempts.blamed;
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < kProcesses; ++i) workers.emplace_back(work);
  }
  EXPECT_GT(points, 100U) << "the shim was not loaded, or nothing came of it";
  std::cout << "[  points  ] " << points << " of the calls 1 to " << last << " of the driver, "
            << mode << ", failing with " << error << '\n';
}

bool blames_other_than(const std::string& blamed, std::string_view verdict) {
  for (std::size_t at = blamed.find(' '); at != std::string::npos; at = blamed.find(' ', at + 1))
    if (!std::string_view(blamed).substr(at + 1).starts_with(verdict)) return true;
  return false;
}

bool may_be_without_device(const std::string& said) {
  return said == "right" || begins(said, "device ") || begins(said, "no_memory ");
}

TEST_F(CudaFaults, WantOfMemoryIsReportedAndPasses) {
  // A plugin's own copy of the runtime keeps also that it could not start or load the plugin's
  // kernels: another plugin has to serve then.
  fs::copy(fs::path(XPOSE_PLUGINS) / "cuda_tile.so", folder / "plugins");
  fail_each("in-process", kOutOfMemory, [](const Attempts& attempts) -> std::string {
    // The runtime keeps the error of a failed start for the rest of the process.
    if (attempts.device == "no device")
      return begins(attempts.first, "device ") && begins(attempts.second, "device ")
                 ? ""
                 : "must say that there is no device";
    // So does a plugin's own copy of the runtime, whose start asks these: it then has no device.
    if (begins(attempts.function, "cuDevice"))
      return may_be_without_device(attempts.first) && may_be_without_device(attempts.second)
                 ? ""
                 : "must be right or say that there is no device";
    if (attempts.first != "right" && !begins(attempts.first, "no_memory "))
      return "must be right or say that there is no memory";
    if (blames_other_than(attempts.blamed, "no_memory:")) return "must not blame a strategy for it";
    if (attempts.second != "right") return "must be right the second time";
    return "";
  });
}

TEST_F(CudaFaults, ABrokenContextIsReportedAndDoesNotCrash) {
  fail_each("in-process", kLaunchFailed, [](const Attempts& attempts) -> std::string {
    for (const std::string& outcome : {attempts.first, attempts.second})
      if (outcome != "right" && !begins(outcome, "device "))
        return "must be right or say that the device failed";
    if (attempts.first != "right" && attempts.second == "right")
      return "cannot be right in a context that is broken";
    if (blames_other_than(attempts.blamed, "device_error:"))
      return "must not report another verdict";
    return "";
  });
}

TEST_F(CudaFaults, ABrokenWorkerIsReplaced) {
  fail_each("worker", kLaunchFailed, [](const Attempts& attempts) -> std::string {
    if (attempts.first != "right" || attempts.second != "right") return "must be right";
    return attempts.blamed.empty() ? "" : "must not blame a strategy for what passed alone";
  });
}

}  // namespace
}  // namespace xpose
