// The array that a run reads, and the tiles of one pass, before anything is written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "axes/permuted_shape.hpp"
#include "npy/npy.hpp"
#include "run/file_move.hpp"
#include "run/input_file.hpp"
#include "run/run.hpp"
#include "run/run_plan.hpp"
#include "run/two_pass_plan.hpp"

namespace xpose::app {

// raw: the array of a file without a header. Throws std::runtime_error naming the file where it is
// no .npy file, or has another size than its array.
NpyHeader header_of(const InputFile& file, const std::optional<NpyHeader>& raw);

// Bytes behind the array are left out, with a warning. Throws std::runtime_error where the output
// replaces the only file that has them.
void check_rest(const InputFile& file, const NpyHeader& array, const std::filesystem::path& output);

// Of this process, on this machine as it is now.
RunMemory memory_of(const RunOptions& options);

// Nothing for an array without elements. Tiles that may take turns do so where that is faster, and
// `limits` are theirs then. Throws Error where the library serves no such permutation.
std::unique_ptr<FileMove> tiles_of(const NpyHeader& header, const PermutedShape& permuted,
                                   std::uint64_t out_offset, const RunMemory& memory,
                                   TileLimits& limits, bool may_take_turns);

// Of the tiles that are in memory at once, or of the bands where there are two passes.
std::uint64_t buffer_bytes(const FileMove& tiles, const std::optional<TwoPassPlan>& passes);

std::string tiles_text(const FileMove& tiles, bool in_turn);  // "12 tiles of 700x64"

// An input that does not is read past the page cache from now on.
bool lies_in_memory(InputFile& input, bool verbose);

// A refusal of the shape or of the library names the file.
template <class Call>
auto with_name(const std::string& name, const Call& call) try {
  return call();
} catch (const AxisError& error) {
  throw std::runtime_error(name + ": " + error.what());
} catch (const Error& error) {
  if (error.kind() != ErrorKind::invalid) throw;
  throw std::runtime_error(name + ": " + error.what());
}

}  // namespace xpose::app
