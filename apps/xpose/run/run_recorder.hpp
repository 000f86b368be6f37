// Records the finished tiles of a run while the next ones are written.
#pragma once

#include <cstdint>
#include <future>

#include "run/output_file.hpp"
#include "run/run_journal.hpp"

namespace xpose::app {

// Waits for the disk in a thread of its own. [one thread at a time]
class RunRecorder {
 public:
  // Both outlive it. step_bytes: from one record to the next. A killed run has two steps and two
  // tiles to do again, since one record is under way.
  RunRecorder(RunJournal& journal, OutputFile& output, std::uint64_t step_bytes)
      : journal_(journal), output_(output), step_bytes_(step_bytes) {}

  // The tile has been written, as all before it. The last one is recorded when this returns. Throws
  // std::runtime_error, also for an earlier record.
  void wrote(std::int64_t tile, std::uint64_t bytes);

 private:
  RunJournal& journal_;
  OutputFile& output_;
  std::uint64_t step_bytes_;
  std::uint64_t bytes_ = 0;      // written since the last record began
  std::future<void> recording_;  // waits at its end
};

}  // namespace xpose::app
