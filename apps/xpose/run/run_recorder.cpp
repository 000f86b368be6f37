#include "run/run_recorder.hpp"

#include <system_error>
#include <utility>

namespace xpose::app {

void RunRecorder::wrote(std::int64_t tile, std::uint64_t bytes) {
  bytes_ += bytes;
  const bool is_last = tile + 1 == journal_.tiles();
  if (bytes_ < step_bytes_ && !is_last) return;
  bytes_ = 0;
  if (recording_.valid()) recording_.get();
  auto record = [this, flush = output_.flushing(), finished = tile + 1] {
    flush();
    journal_.record(output_, finished);
  };
  if (is_last) return record();
  try {
    recording_ = std::async(std::launch::async, record);
  } catch (const std::system_error&) {  // no thread to be had
    record();
  }
}

}  // namespace xpose::app
