#include "worker/busy_threads.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

#include "process/deadline.hpp"

namespace xpose {
namespace {

// Of processor time, which says the same on a loaded machine: threads of a team that wait for work
// spin for some milliseconds.
constexpr double kBusySeconds = 0.25;
constexpr double kPatienceSeconds = 5;
constexpr std::chrono::milliseconds kGlance(5);

struct Thread {
  bool is_runnable = false;  // runs, or would if a processor were free
  double seconds = 0;        // of processor time so far
};

Thread look_at(const std::filesystem::path& thread) {
  std::ifstream file(thread / "stat");
  std::string line;  // empty where the thread has ended
  std::getline(file, line, '\0');
  const std::size_t name_end = line.rfind(')');  // "ID (NAME) STATE ...", 10 numbers, the times
  if (name_end == std::string::npos) return {};
  std::istringstream rest(line.substr(name_end + 1));
  std::string state;
  rest >> state;
  double ticks = 0;
  double system = 0;
  for (int number = 0; number < 11; ++number) rest >> ticks;
  rest >> system;
  return {state == "R", (ticks + system) / static_cast<double>(sysconf(_SC_CLK_TCK))};
}

std::map<std::string, Thread> others() {
  std::map<std::string, Thread> threads;
  std::error_code error;
  // Not gettid(): /proc may be that of another namespace, with other numbers.
  const std::string own = std::filesystem::read_symlink("/proc/thread-self", error).filename();
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error))
    if (const std::string id = thread.path().filename(); id != own)
      threads[id] = look_at(thread.path());
  return threads;
}

}  // namespace

std::size_t thread_count() {
  struct stat tasks {};
  return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2 ? tasks.st_nlink - 2 : 1;
}

bool threads_stay_busy() {
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})
    if (std::getenv(name) != nullptr) return false;
  const std::map<std::string, Thread> at_first = others();
  for (const Deadline deadline(kPatienceSeconds); !deadline.passed();) {
    const std::map<std::string, Thread> now = others();
    for (const auto& [id, thread] : now)
      if (const auto first = at_first.find(id);
          first != at_first.end() && thread.seconds - first->second.seconds >= kBusySeconds)
        return true;
    if (std::ranges::none_of(now, [](const auto& thread) { return thread.second.is_runnable; }))
      return false;
    std::this_thread::sleep_for(kGlance);
  }
  return false;
}

}  // namespace xpose
