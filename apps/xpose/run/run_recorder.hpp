// Records the finished steps of a run while the next ones are written.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <utility>

#include "run/output_file.hpp"
#include "run/run_journal.hpp"

namespace xpose::app {

// Waits for the disk in a thread of its own. [one thread at a time]
class RunRecorder {
 public:
  // The steps that are written to one file, and how it is waited for.
  struct Steps {
    std::int64_t end = 0;                                  // behind the last one
    std::uint64_t bytes = 0;                               // from one record to the next
    std::function<std::function<void()>()> flushing = {};  // as of OutputFile and ScratchFile
  };

  // Journal and output outlive it. A killed run has two times steps.bytes and two steps to do
  // again, since one record is under way.
  RunRecorder(RunJournal& journal, OutputFile& output, Steps steps)
      : journal_(journal), output_(output), steps_(std::move(steps)) {}

  // The step has been written, as all before it. The last one is recorded when this returns. Throws
  // std::runtime_error, also for an earlier record.
  void wrote(std::int64_t step, std::uint64_t bytes);

 private:
  RunJournal& journal_;
  OutputFile& output_;
  Steps steps_;
  std::uint64_t bytes_ = 0;      // written since the last record began
  std::future<void> recording_;  // waits at its end
};

}  // namespace xpose::app
