#include "run/run_recorder.hpp"

#include <system_error>
#include <utility>

namespace xpose::app {

void RunRecorder::wrote(std::int64_t step, std::uint64_t bytes) {
  bytes_ += bytes;
  const bool is_last = step + 1 == steps_.end;
  if (bytes_ < steps_.bytes && !is_last) return;
  bytes_ = 0;
  if (recording_.valid()) recording_.get();
  auto record = [this, flush = steps_.flushing(), finished = step + 1] {
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
