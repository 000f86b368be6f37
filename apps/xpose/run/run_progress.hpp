// The progress of `xpose run`, for people who watch.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "output/progress_line.hpp"

namespace xpose::app {

// "1.2 of 4.3 GB, 810 MB/s, 4 s left".
std::string progress_text(std::uint64_t done, std::uint64_t bytes, double seconds);

// A line on a terminal, from the start and ten times a second, until it is destroyed.
class RunProgress {
 public:
  explicit RunProgress(std::uint64_t bytes);  // of the output
  RunProgress(const RunProgress&) = delete;   // joins once
  RunProgress& operator=(const RunProgress&) = delete;
  ~RunProgress();

  void written(std::uint64_t bytes);  // [any thread]
  void say(std::string_view text);    // a message beside the line [any thread]

 private:
  void watch();

  std::uint64_t bytes_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  // of all below
  std::condition_variable ended_;
  bool is_over_ = false;
  std::uint64_t done_ = 0;
  ProgressLine line_;
  std::thread watcher_;
};

}  // namespace xpose::app
