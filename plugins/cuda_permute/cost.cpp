// The cost of a cut beyond the runs of its tile, for a quote. NOTES.md says what is measured.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "cut.hpp"

namespace cuda_permute {
namespace {

constexpr int64_t kSector = 32;  // bytes

// Input runs of small elements are short below, and then tiles that do not follow the input are so
// much slower.
constexpr int64_t kShortLoads = 200;  // bytes
constexpr double kUnshared = 12;      // percent

// Bytes that a run of the output costs besides its sectors where it shares the last of them with
// the run of a tile that follows soon, and of one that does not.
constexpr double kEnds = 80, kEndsApart = 250;
// That tile follows soon where the bytes that move in between stay in this part of the cache.
constexpr double kShareOfCache = 0.6;
constexpr int64_t kUsualCache = 50 << 20;  // where a device does not tell
// Shorter runs have such ends only, whose sectors are counted.
constexpr double kLeastRun = 128;

// The table of places is made while loads are on their way, as far as it takes no longer than they:
// more divisions than so many for an element cost so much each.
constexpr double kHiddenTables = 0.45, kTables = 50;  // percent

// So do the instructions that find the tile, which each of its threads issues for each axis that
// tiles step along: they take as long as so many bytes, of which others hide a part of the tile's.
constexpr double kStepBytes = 600, kHiddenSteps = 0.45;

// Each instruction for a word of tiles that are joined, beyond those of usual ones, and larger
// tiles, of which fewer are at work.
constexpr double kUsualEffort = 27, kEffort = 1.5, kOfLargeJoined = 15;  // percent
constexpr int64_t kLargeJoined = 20 << 10;                               // bytes
// As kHiddenSteps, and the ends of output runs, which are stored by elements.
constexpr double kHiddenStepsJoined = 0.27;
// Short runs of the input, of elements of 2 bytes.
constexpr double kShortLoadsJoined = 20;  // percent
constexpr double kEndsJoined = 50;        // bytes of a run

// Kept runs that are moved in bulk are stored each for itself, with parts of sectors at both ends.
constexpr double kBulkEnds = 16;  // bytes

// Tiles that move by runs work the less, and wait for memory the more, the fewer there are, once
// those are less than the inverse part of what runs at once.
constexpr double kWaiting = 2;

// Problems of so many bytes, in and out, are moved more slowly, and begin more slowly, which takes
// as long as to move kBeginning: elements of 1 and 2 bytes that might be joined, and such elements
// in large tiles of runs.
constexpr double kBeginning = 6 << 20;
constexpr double kUnjoinedTo = 16 << 20, kUnjoinedOfBytes = 8, kUnjoined = 14;  // percent
constexpr int64_t kLargeRuns = 20 << 10;                                        // bytes of a tile
constexpr double kLargeFrom = 3 << 20, kLargeTo = 64 << 20, kOfLargeRuns = 12;

// Multiprocessors with a tile more than others cost so much of the part that those wait.
constexpr double kUneven = 60;  // percent

// Problems of fewer bytes, in and out, are over before threads that move elements directly are all
// at work.
constexpr int64_t kFewBytes = 32 << 20;
// Such threads have so few elements that the instructions which find these take longer than memory
// where there are many axes: each axis of a tile so much of a copy, and each axis that tiles step
// along.
constexpr double kSlots = 14, kSteps = 12;  // percent

// Elements of 8 bytes take so much less than the figures of their ways say.
constexpr double kLessOfEight = 15;  // percent

// Threads without work: tiles that fill less of a block are so much slower; of kept runs, each part
// of a tile that is not filled.
constexpr double kFewFilled = 0.5, kUnfilled = 12, kUnfilledKept = 80;  // percent

}  // namespace

// The part of a block's threads that a tile has work for.
double Cut::filled() const {
  return static_cast<double>(tile_.elements) /
         static_cast<double>(int64_t{kThreads} * work().count * side_ * side_);
}

// Axes that tiles step along.
double Cut::stepped() const {
  double count = 0;
  for (size_t i = 0; i < form_.axes.size(); ++i)
    count += tile_.extents[i] < form_.axes[i].extent ? 1 : 0;
  return count;
}

// The time to find a tile, in that of moving it.
double Cut::stepping() const {
  return kStepBytes * stepped() / static_cast<double>(tile_.elements * form_.bytes);
}

// Of tiles that are moved directly, as long as finding elements takes no longer than moving them.
// Warps that have no elements leave at once.
double Cut::direct_percent() const {
  const auto in_tile = static_cast<double>(
      std::ranges::count_if(tile_.extents, [](int64_t extent) { return extent > 1; }));
  const double finding =
      (kSlots * in_tile / static_cast<double>(tiles_of_block()) + kSteps * stepped()) /
      std::max(filled(), kFewFilled);
  const auto resident = static_cast<double>(wish_.processors * work().blocks);
  const int64_t bytes = 2 * tile_.tiles * tile_.elements * form_.bytes;
  return std::max(bytes < kFewBytes ? 20.0 : 10.0,
                  (finding - 100) * std::min(1.0, static_cast<double>(tile_.tiles) / resident));
}

// Whether runs of the output may end within a sector, which the next run begins in.
bool Cut::shares_sectors() const {
  int64_t aligned = form_.out_alignment;
  for (const Axis& axis : form_.axes)
    if (axis.out != 1) aligned = std::gcd(aligned, axis.out * form_.bytes);
  return aligned < kSector;
}

// Whether runs of the output go on in tiles that follow so late that the sectors in which they end
// have left the cache. Tiles along the output follow at once.
bool Cut::ends_apart(bool along_input) const {
  if (!along_input || !shares_sectors()) return false;
  const Axis* goes_on = nullptr;  // the innermost of the output that a tile has not whole
  for (size_t i = 0; i < form_.axes.size(); ++i)
    if (tile_.extents[i] < form_.axes[i].extent &&
        (goes_on == nullptr || form_.axes[i].out < goes_on->out))
      goes_on = &form_.axes[i];
  if (goes_on == nullptr) return false;
  auto between = static_cast<double>(2 * tile_.elements * form_.bytes);
  for (size_t i = 0; i < form_.axes.size(); ++i)
    if (std::abs(form_.axes[i].in) < std::abs(goes_on->in))
      between *= std::ceil(static_cast<double>(form_.axes[i].extent) /
                           static_cast<double>(tile_.extents[i]));
  const int64_t cache = wish_.cache != 0 ? wish_.cache : kUsualCache;
  return between > kShareOfCache * static_cast<double>(cache);
}

double Cut::percent_by_size() const {
  const auto bytes = static_cast<double>(2 * tile_.tiles * tile_.elements * form_.bytes);
  const bool may_join = (way_ == Way::runs || way_ == Way::squares) && form_.bytes <= 2 &&
                        side_ * form_.bytes <= kWord && kept_bytes(form_) == form_.bytes;
  const bool are_large =
      way_ == Way::runs && form_.bytes <= 2 && tile_.elements * form_.bytes > kLargeRuns;
  double percent = 0;
  if (may_join && bytes < kUnjoinedTo) percent += form_.bytes == 1 ? kUnjoinedOfBytes : kUnjoined;
  if (are_large && bytes > kLargeFrom && bytes < kLargeTo) percent += kOfLargeRuns;
  return percent * (1 + kBeginning / bytes);
}

uint32_t Cut::slower_percent(bool along_input, double effort) const {
  const auto by_size = [&](const std::array<double, 5>& values) {
    return values[static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(form_.bytes)))];
  };
  double percent = 0, ends = 0;  // bytes that the ends of a run cost
  double run = std::max(static_cast<double>(tile_.store_run), kLeastRun);
  const bool is_apart = ends_apart(along_input);
  if (shares_sectors()) ends = is_apart ? kEndsApart : kEnds;
  switch (way_) {
    case Way::bulk:
      percent = 4;
      if (shares_sectors())
        percent += 100 * kBulkEnds / static_cast<double>(kept_extent() * form_.bytes);
      break;
    case Way::bulk_squares:
      percent = 5;
      break;
    case Way::strips:
      percent = 3;
      break;
    case Way::shifted:  // ends are stored in parts
      percent = 6;
      ends = by_size({56, 34, 21, 20, 0});
      run = static_cast<double>(kept_extent() * form_.bytes);
      break;
    case Way::direct:
      percent = direct_percent();
      break;
    case Way::runs: {
      const bool is_wide = std::min(tile_.load_run, tile_.store_run) >= kWideRun;
      percent = is_wide ? by_size({56, 10, 14, 2, 0}) : by_size({90, 30, 25, 5, 0});
      if (!along_input && form_.bytes <= 2 && tile_.load_run < kShortLoads) percent += kUnshared;
      percent += kTables * std::max(0.0, effort - kHiddenTables);
      percent += 100 * std::max(0.0, stepping() - kHiddenSteps);
      if (!is_apart) {  // ends are stored in parts
        ends = by_size({20, 40, 42, 60, 0});
        run = static_cast<double>(tile_.store_run);
      }
      break;
    }
    case Way::joined:
      percent = kEffort * std::max(0.0, effort - kUsualEffort);
      if (form_.bytes == 2 && tile_.load_run < kShortLoads) percent += kShortLoadsJoined;
      if (tile_.elements * form_.bytes > kLargeJoined) percent += kOfLargeJoined;
      percent += 100 * std::max(0.0, stepping() - kHiddenStepsJoined);
      if (shares_sectors()) ends = is_apart ? kEndsApart : kEndsJoined;
      run = static_cast<double>(tile_.store_run);
      break;
    case Way::squares:
      if (side_ > 1)
        percent = by_size({28, 10, 4, 3, 0}) + (filled() < kFewFilled ? kUnfilled : 0);
      else if (kept_bytes(form_) == form_.bytes)
        percent = by_size({157, 87, 37, 20, 5});
      else
        percent = 13 + kUnfilledKept * (1 - filled());
      break;
  }
  percent += 100 * ends / run;
  if (way_ == Way::runs ||
      way_ == Way::joined) {  // few tiles wait for memory longer than they take to issue moves
    const auto resident = static_cast<double>(wish_.processors * work().blocks);
    const auto tiles = static_cast<double>(tile_.tiles);
    percent *= std::min(1.0, kWaiting * tiles / resident);
    const double each = tiles / static_cast<double>(wish_.processors);
    percent += kUneven * std::min(std::ceil(each) / each - 1, 1.0);
  }
  if (form_.bytes == 8) percent -= kLessOfEight;
  return static_cast<uint32_t>(std::max(percent + percent_by_size(), 0.0));
}

}  // namespace cuda_permute
