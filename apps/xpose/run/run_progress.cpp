#include "run/run_progress.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <system_error>

namespace xpose::app {

std::string progress_text(std::uint64_t done, std::uint64_t bytes, double seconds) {
  std::array<char, 128> text{};
  const auto all = static_cast<double>(bytes);
  const auto some = static_cast<double>(done);
  if (done == 0)
    std::snprintf(text.data(), text.size(), "0 of %.2f GB, choosing and reading, %.0f s", all / 1e9,
                  seconds);
  else
    std::snprintf(text.data(), text.size(), "%.2f of %.2f GB, %.0f MB/s, %.0f s left", some / 1e9,
                  all / 1e9, some / 1e6 / seconds, (all - some) / some * seconds);
  return text.data();
}

RunProgress::RunProgress(std::uint64_t bytes) : bytes_(bytes) {
  if (isatty(STDERR_FILENO) == 0) return;
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // no thread to be had: the work goes on without
    return;
  }
}

RunProgress::~RunProgress() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

void RunProgress::written(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  done_ += bytes;
}

void RunProgress::say(std::string_view text) {
  const std::lock_guard lock(mutex_);
  app::say(text);
}

void RunProgress::watch() {
  std::unique_lock lock(mutex_);
  do {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
    line_.show(progress_text(done_, bytes_, taken.count()));
  } while (!ended_.wait_for(lock, std::chrono::milliseconds(100), [&] { return is_over_; }));
}

}  // namespace xpose::app
