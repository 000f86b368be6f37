#include "run/resume.hpp"

#include <sys/stat.h>

#include <climits>
#include <stdexcept>

#include "output/json.hpp"
#include "output/pending_file.hpp"
#include "output/progress_line.hpp"
#include "output/same_file.hpp"
#include "run/output_file.hpp"
#include "run/pass_setup.hpp"

namespace xpose::app {
namespace {

// The files that a run keeps beside its output, which replace others of their names.
void check_kept_names(const RunOptions& options, const InputFile& input) {
  constexpr std::size_t kMore = 15;  // letters of the longest name, ".b.npy.xpose-journal"
  const std::filesystem::path target = PendingFile::resolved(options.out);
  if (target.filename().string().size() + kMore > NAME_MAX)
    throw std::runtime_error(target.string() +
                             ": the name is too long for the files that --resume keeps beside it: "
                             "shorten it, or leave --resume out");
  for (const std::filesystem::path& kept :
       {TemporaryFile::kept_name(target), ScratchFile::kept_name(scratch_folder(options), target)})
    if (are_one(options.in, kept))
      throw std::runtime_error(input.name() + " has the name of a file that --resume keeps for " +
                               target.string() + ": rename it, or write elsewhere");
}

}  // namespace

void check_resumable(const RunOptions& options) {
  for (const auto& path : {options.in, options.out})
    if (OutputFile::is_stream(path))
      throw std::runtime_error((path == "-" ? "a standard stream" : path.string()) +
                               " cannot be read or written again: --resume needs two files");
}

RunJournal journal_of(const RunOptions& options, const InputFile& input, const NpyHeader& header,
                      const PermutedShape& permuted) {
  struct stat target {};
  if (stat(options.out.c_str(), &target) == 0 && target.st_ino == input.status().st_ino &&
      target.st_dev == input.status().st_dev)
    throw std::runtime_error(input.name() +
                             " is the output as well: --resume needs an input that stays");
  check_kept_names(options, input);
  const Json order = {{"fortran_order", header.fortran_order},
                      {"shape", permuted.shape},
                      {"axes", permuted.axes},
                      {"out_shape", permuted.out_shape}};
  const char* const passes_name = options.passes == Passes::automatic ? "auto"
                                  : options.passes == Passes::one     ? "1"
                                                                      : "2";
  // Tiles of the host are larger than those of a device.
  const char* const device_name = options.how.device.kind == DeviceKind::host ? "host" : "cuda";
  std::filesystem::path scratch;  // the same folder, however it is named and from wherever
  if (!options.scratch.empty()) scratch = std::filesystem::canonical(options.scratch);
  const Json command = {{"version", XPOSE_VERSION},
                        {"format", options.raw ? "raw" : "npy"},
                        {"dtype", header.descr},
                        {"shape", header.shape},
                        {"order", order},
                        {"memory", options.memory},
                        {"device", device_name},
                        {"number of passes", passes_name},
                        {"scratch folder", scratch.string()}};
  return RunJournal(PendingFile::resolved(options.out),
                    {input.name(), file_state(input.status()), command});
}

void say_what_is_left(const RunOptions& options) {
  const std::filesystem::path target = PendingFile::resolved(options.out);
  const std::filesystem::path part = TemporaryFile::kept_name(target);
  struct stat status {};
  if (lstat(part.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  say(part.string() +
      " stays, from a run with --resume that has not ended: its command goes on, or remove it "
      "and " +
      RunJournal::files_of(target));
}

int finish_published(const RunJournal& journal, const RunOptions& options) {
  ScratchFile::remove_kept(scratch_folder(options), PendingFile::resolved(options.out));
  journal.remove();
  if (options.verbose) say(options.out.string() + " is complete already");
  return 0;
}

}  // namespace xpose::app
