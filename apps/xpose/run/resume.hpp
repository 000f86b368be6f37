// The files of a run that can be resumed, and its journal.
#pragma once

#include "axes/permuted_shape.hpp"
#include "npy/npy.hpp"
#include "run/input_file.hpp"
#include "run/run.hpp"
#include "run/run_journal.hpp"

namespace xpose::app {

// Throws std::runtime_error where input or output is a stream.
void check_resumable(const RunOptions& options);

// The journal of the target. Throws std::runtime_error as RunJournal does, and where the input is
// the output.
RunJournal journal_of(const RunOptions& options, const InputFile& input, const NpyHeader& header,
                      const PermutedShape& permuted);

// Names what a run that can be resumed has left for this output, before a run that does not go on
// from it.
void say_what_is_left(const RunOptions& options);

// The rest of a run that was killed between its last steps. Returns the exit code.
int finish_published(const RunJournal& journal, const RunOptions& options);

}  // namespace xpose::app
