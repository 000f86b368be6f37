#include "run/run_setup.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "output/progress_line.hpp"
#include "output/same_file.hpp"
#include "run/band_pipeline.hpp"
#include "run/output_file.hpp"
#include "run/pass_choice.hpp"
#include "run/transfers_at_once.hpp"

namespace xpose::app {
namespace {

constexpr double kMostOfIt = 0.875;  // that lies in memory, or does not

// A file of another size has another shape or dtype than was stated.
void check_raw_size(const NpyHeader& array, const InputFile& file) {
  if (array.data_bytes == file.bytes()) return;
  throw std::runtime_error(file.name() + " has " + std::to_string(file.bytes()) + " bytes, and " +
                           shape_text(array.shape) + " of " + dtype_name(array) + " has " +
                           std::to_string(array.data_bytes) +
                           ": give --shape and --dtype of the whole file");
}

}  // namespace

NpyHeader header_of(const InputFile& file, const std::optional<NpyHeader>& raw) try {
  if (raw) check_raw_size(*raw, file);
  if (raw) return *raw;
  std::vector<std::byte> start(std::min(file.bytes(), kMaxNpyHeaderBytes));
  file.read(0, start);
  NpyHeader header = parse_npy_header(start);
  check_npy_size(header, file.bytes());
  return header;
} catch (const NpyError& error) {
  throw std::runtime_error(file.name() + ": " + error.what());
}

void check_rest(const InputFile& file, const NpyHeader& array,
                const std::filesystem::path& output) {
  const std::uint64_t rest = file.bytes() - array.data_offset - array.data_bytes;
  if (rest == 0) return;
  const std::string what = file.name() + " has " + std::to_string(rest) + " bytes behind its array";
  struct stat replaced {};
  if (!OutputFile::is_stream(output) && stat(output.c_str(), &replaced) == 0 &&
      are_one(file.status(), replaced))
    throw std::runtime_error(what + ", which would be lost: give another file as the output");
  say("warning: " + what + ", which the output does not have");
}

RunMemory memory_of(const RunOptions& options) {
  const Device device = options.how.device;
  return divided_memory(options.memory, free_memory(Device{}),
                        device.kind == DeviceKind::host ? std::numeric_limits<std::uint64_t>::max()
                                                        : free_memory(device));
}

std::unique_ptr<FileMove> tiles_of(const NpyHeader& header, const PermutedShape& permuted,
                                   std::uint64_t out_offset, const RunMemory& memory,
                                   TileLimits& limits, bool may_take_turns) {
  if (header.data_bytes == 0) return nullptr;
  const FilePermutation file = file_permutation(header, permuted, out_offset);
  std::unique_ptr<FileMove> tiles = file_move(file, limits, memory.strip_bytes);
  tiles->whole();  // is served
  tiles->most();
  const std::optional<TileLimits> others = limits_in_turn(memory);
  if (!may_take_turns || !others || tiles->tiles() == 1) return tiles;
  std::unique_ptr<FileMove> in_turn = file_move(file, *others, memory.strip_bytes);
  if (!are_faster_in_turn({in_turn->runs(), in_turn->tiles()}, {tiles->runs(), tiles->tiles()}))
    return tiles;
  limits = *others;
  return in_turn;
}

std::uint64_t buffer_bytes(const FileMove& tiles, const std::optional<TwoPassPlan>& passes) {
  constexpr std::uint64_t kBuffers = kBandBuffers;
  if (passes)
    return 2 * kBuffers * std::max(passes->band_bytes(0).size(), passes->range_bytes(0).size());
  const auto count = static_cast<std::uint64_t>(tiles.tiles());
  return kBuffers * tiles.most().in_bytes + std::min(count, kBuffers) * tiles.most_bytes();
}

std::string tiles_text(const FileMove& tiles, bool in_turn) {
  return std::to_string(tiles.tiles()) + (tiles.tiles() == 1 ? " tile of " : " tiles of ") +
         tiles.tile_text() + (in_turn && tiles.tiles() > 1 ? ", in turn" : "");
}

bool lies_in_memory(InputFile& input, bool verbose) {
  const double share = input.cached_share();
  if (share <= 1 - kMostOfIt && input.open_direct() && verbose)
    say("reading past the page cache, " + at_once_text());
  return share >= kMostOfIt;
}

}  // namespace xpose::app
