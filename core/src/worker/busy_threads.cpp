#include "worker/busy_threads.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>

#include "worker/deadline.hpp"

namespace xpose {
namespace {

constexpr double patience_seconds = 0.5;
constexpr std::chrono::milliseconds glance(5);

// Whether it runs, or would if a processor were free.
bool is_runnable(const std::filesystem::path& thread) {
  std::ifstream file(thread / "stat");
  const std::string line{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = line.rfind(')');  // "ID (NAME) STATE ..."
  return name_end != std::string::npos && line.compare(name_end, 3, ") R") == 0;
}

bool any_other_runs() {
  std::error_code error;
  const std::string own = std::to_string(gettid());
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error))
    if (thread.path().filename() != own && is_runnable(thread.path())) return true;
  return false;
}

}  // namespace

std::size_t thread_count() {
  struct stat tasks {};
  return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2 ? tasks.st_nlink - 2 : 1;
}

bool threads_stay_busy() {
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})
    if (std::getenv(name) != nullptr) return false;
  for (const Deadline deadline(patience_seconds); any_other_runs();) {
    if (deadline.passed()) return true;
    std::this_thread::sleep_for(glance);
  }
  return false;
}

}  // namespace xpose
