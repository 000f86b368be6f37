// The record of a run that may be killed, from which the same command goes on. It lies beside the
// target while the output is not complete: ".b.npy.xpose-journal", a small document that is
// replaced as a whole. (Steps end in their order, so their number is all that changes.)
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "output/json.hpp"
#include "output/json_reader.hpp"
#include "run/band_plan.hpp"
#include "run/output_file.hpp"
#include "run/scratch_file.hpp"

namespace xpose::app {

// The facts that must be the same in the run that goes on.
struct RunIdentity {
  std::string input;  // its name
  Json state;         // of the input's file: size, time of change, inode
  Json command;       // by the name of each part: shape, dtype, order, ...
};

// The work of a run, which is the same whenever it goes on.
struct RunSteps {
  std::int64_t count = 0;          // of tiles; in two passes, of bands and then ranges
  TileLimits limits = {};          // of one
  ScratchFile* scratch = nullptr;  // a kept one, of two passes
};

// [one thread at a time]
class RunJournal {
 public:
  // The names of the journal of that target and of its scratch file, if it has one:
  // "s/.b.npy.xpose-journal and s/.b.npy.xpose-scratch".
  static std::string files_of(const std::filesystem::path& target);

  // target: symbolic links followed. Throws std::runtime_error where the target has a journal of
  // another input or command, or something else has its name.
  RunJournal(const std::filesystem::path& target, const RunIdentity& identity);

  // Whether the target is the output of that run already, which ended before it removed its
  // journal.
  bool is_published() const;

  // Those of the run that goes on, since the machine's free memory may be another one now.
  TileLimits limits(const TileLimits& otherwise) const;

  // Throws std::runtime_error where a run goes on whose buffers exceed the free memory.
  void check_memory(std::uint64_t buffer_bytes, std::uint64_t free_bytes) const;

  // Whether the run that goes on has two passes; nothing where none goes on.
  std::optional<bool> has_two_passes() const;

  // The number of steps that are done. Puts the output's size on the disk, gives the scratch file
  // a mark, and records both. Throws std::runtime_error.
  std::int64_t begin(OutputFile& output, const RunSteps& steps);

  // The first steps, so many, are on the disk. Throws std::runtime_error.
  void record(const OutputFile& output, std::int64_t finished);

  // Whether a run that goes on from here would find anything done.
  bool has_steps() const;

  // Removes the journal when the output's name is on the disk. Throws std::runtime_error.
  void remove() const;

  // Removes the journal of a part that goes. One that stays is void without it.
  void forget() const noexcept;

 private:
  void read();
  void check(const Json& before) const;
  void discard() const;
  void unlink_journal() const;
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy = "",
                           const std::string& left = "") const;

  std::filesystem::path target_;
  std::filesystem::path name_;
  RunIdentity identity_;
  Json document_;
  std::optional<Json> before_;  // the record of the run that goes on
};

// Of the file as it is now: "bytes", "inode", and nanoseconds since 1970: "modified", which anyone
// can set back, and "changed". The number of its device is another one after a restart on some file
// systems.
Json file_state(const struct stat& status);

}  // namespace xpose::app
