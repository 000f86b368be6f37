#include "cut.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace cuda_permute {
namespace {

constexpr int64_t kLine = 128;  // bytes
constexpr int64_t kWarp = 32;   // threads

// A block that goes from tile to tile pays once for finding its slots. But multiprocessors get
// unequal shares of the memory, so blocks of few tiles, which go to whoever is free, are the better
// ones where slots cost little: kSetup instructions for each axis of each, over the bytes that they
// move. Where they cost much, all blocks run at once.
constexpr int64_t kSetup = 8, kLittleSetup = 5, kMuchSetup = 15;
// Otherwise so many blocks at least follow each other on a multiprocessor.
constexpr int64_t kRounds = 4;

// A tile that is moved in bulk is better half as long on both sides than long on one: runs of the
// output that are wished for may be so many times as long.
constexpr int64_t kBulkRuns = 4;

// Runs of the input that are wished for are that long where a tile has all of them, so that it has
// work for all threads of its block. Rows of tiles that are joined have a place in a table each.
constexpr int64_t kLongestLoad = 32 << 10, kLongestJoined = 8 << 10;

// Strips read rows of each channel: runs of the output that are wished for may be that much shorter
// for the sake of longer rows.
constexpr int64_t kStripRuns = 2;

// A run of the output costs so many bytes besides its sectors, as in the cost model. One whose ends
// are stored by elements costs more, so that it may be longer than wished for.
constexpr double kOutRunBytes = 8, kOutRunEnds = 60;
constexpr int64_t kLongestRuns = 2;

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

bool may_join(const Form& form, int64_t side) {
  return side * form.bytes <= kWord && form.bytes <= kWidestJoined;
}

Way way_of(const Form& form, const CutWish& wish, int64_t side) {
  const bool is_in_bulk =
      wish.bulk && form.bytes == kBulkBytes && kept_bytes(form) >= kLeastBulkRun;
  if (wish.direct && form.bytes < kKeptWord) return Way::shifted;
  if (wish.direct) return is_in_bulk ? Way::bulk : Way::direct;
  if (wish.joined && may_join(form, side)) return Way::joined;
  if (wish.runs && (side * form.bytes < kWord || (side == 1 && form.bytes <= 8))) return Way::runs;
  return Way::squares;
}

}  // namespace

bool may_join(const Form& form) {
  return may_join(form, square_of(form, widest_square(form.bytes)));
}

bool may_have_strips(const Form& form) {
  return form.bytes <= kWidestOfStrip && in_strips(form, kStripWord).has_value();
}

Cut::Cut(Form form, const CutWish& wish)
    : form_(std::move(form)),
      wish_(wish),
      side_(wish.direct ? 1 : square_of(form_, widest_square(form_.bytes))),
      way_(way_of(form_, wish, side_)) {
  if (wish.strips && !wish.direct && form_.bytes <= kWidestOfStrip)
    if (auto strips = in_strips(form_, kStripWord)) {
      strip_element_ = std::exchange(form_, std::move(strips->form)).bytes;
      strip_rows_ = strips->rows;
      way_ = Way::strips;
    }
  if (way_ != Way::squares) side_ = 1;
  cut();
  if (far_ && side_ != 1) {  // offsets of 64 bits take the registers of squares
    side_ = 1;
    cut();
  }
  const bool has_bulk_rows = wish.bulk && side_ * form_.bytes == kBulkBytes;
  if (way_ == Way::squares && has_bulk_rows && !far_ && setup() >= kLittleSetup) {
    way_ = Way::bulk_squares;
    cut();
    if (far_) way_ = Way::squares, cut();
  }
}

void Cut::cut() {
  far_ = false;
  tile_ = tile_for();
  if (way_ != Way::shifted && spans_far()) {
    far_ = true;
    if (way_ == Way::runs || way_ == Way::joined) way_ = Way::squares;
    tile_ = tile_for();
  }
}

bool Cut::spans_far() const {
  int64_t in = 0, out = 0;
  for (size_t i = 0; i < form_.axes.size(); ++i) {
    in += (tile_.extents[i] - 1) * std::abs(form_.axes[i].in);
    out += (tile_.extents[i] - 1) * form_.axes[i].out;
  }
  return std::max(in, out) > INT32_MAX;
}

Tile Cut::tile_for() const {
  Wish wish{.out_run = wish_.run,
            .longest = wish_.run,
            .longest_load = way_ == Way::joined ? kLongestJoined : kLongestLoad,
            .out_end = kOutRunBytes,
            .elements = kThreads * work().count * side_ * side_,
            .square = side_,
            .processors = wish_.processors};
  if (way_ == Way::runs || way_ == Way::joined) {
    wish.longest = kLongestRuns * wish_.run;
    wish.out_end = kOutRunEnds;
    wish.elements = run_tile_bytes(form_.bytes, wish_.run) / form_.bytes;
  }
  if (way_ == Way::bulk_squares) wish.elements = kBulkSquaresBytes / form_.bytes;
  if (way_ == Way::strips) {
    wish.out_run = wish.longest = wish.out_run * kStripRows / kStripRuns;
    wish.elements = kTileStrips * kStripRows;
  }
  if (way_ == Way::bulk || way_ == Way::shifted) {
    wish.longest = wish.out_run *= kBulkRuns;
    wish.elements = (way_ == Way::bulk ? kBulkTileBytes : kKeptTileBytes) / form_.bytes;
  }
  return tile_of(form_, wish);
}

Work Cut::work() const {
  const auto bytes = static_cast<int>(form_.bytes);
  switch (way_) {
    case Way::runs:
      return {0, kRunBlocks};  // as many words as a tile has
    case Way::joined:
      return {0, kJoinedBlocks};
    case Way::bulk_squares:
      return {0, kBulkSquareBlocks};
    case Way::strips:
      return kStrips;
    case Way::direct:
      return direct_of(far_);
    case Way::shifted:
      return {0, kKeptBlocks};
    case Way::bulk:
      return {0, kBulkBlocks};
    default:
      return squares_of(bytes, static_cast<int>(side_), far_, stores_columns(), has_larger_tile());
  }
}

// Of a tile, along the axis that both sides share.
int64_t Cut::kept_extent() const {
  for (size_t i = 0; i < form_.axes.size(); ++i)
    if (form_.axes[i].in == 1 && form_.axes[i].out == 1) return tile_.extents[i];
  return 1;
}

bool Cut::stores_columns() const {
  if (side_ == 1) return false;
  const Inner inner = inner_axes(form_);
  return form_.axes[static_cast<size_t>(inner.in)].out * form_.bytes < kLine;
}

bool Cut::has_larger_tile() const {
  return way_ == Way::squares && wish_.run == kRunOfLargerTile &&
         have_larger_tiles(static_cast<int>(form_.bytes), static_cast<int>(side_), far_,
                           stores_columns());
}

// Instructions of finding slots, for so many bytes of a thread.
int64_t Cut::setup() const {
  const int64_t count = work().count;
  int64_t slots = 2 * count;
  const int64_t bytes = count * side_ * side_ * form_.bytes;
  if (stores_columns()) slots = count * (1 + side_);
  const int64_t axes =
      std::ranges::count_if(tile_.extents, [](int64_t extent) { return extent > 1; });
  return kSetup * axes * slots / bytes;
}

int64_t Cut::tiles_of_block() const {
  if (way_ != Way::squares && way_ != Way::direct) return 1;
  if (setup() <= kLittleSetup) return 1;
  const int64_t each = ceil_div(tile_.tiles, wish_.processors * work().blocks);
  return setup() > kMuchSetup
             ? each
             : std::clamp<int64_t>(2 * setup(), 1, std::max<int64_t>(each / kRounds, 1));
}

uint32_t Cut::threads() const {
  if (way_ == Way::bulk) return kBulkThreads;
  if (way_ == Way::shifted) return kKeptThreads;
  if (way_ == Way::bulk_squares) return kBulkSquareThreads;
  if (way_ != Way::strips) return kThreads;
  // As many as there are strips for.
  return static_cast<uint32_t>(ceil_div(tile_.elements, kStripRows * kStrips.count * kWarp) *
                               kWarp);
}

uint64_t Cut::shared_bytes() const {
  const int64_t dense = tile_.elements * form_.bytes;
  switch (way_) {
    case Way::direct:
      return 0;
    case Way::shifted:  // where each piece of a run begins
      return static_cast<uint64_t>(tile_.elements / kept_extent() * kPieceBeginBytes);
    case Way::bulk:
      return static_cast<uint64_t>(dense + kBarrierBytes);
    case Way::bulk_squares:  // six blocks need it as small
      return static_cast<uint64_t>((dense + dense / 16 + 512) / 16 * 16 + kBarrierBytes);
    case Way::strips:
      return threads() * kStripRows * kStripWord;
    default:
      return static_cast<uint64_t>((dense + dense / 4 + 512) / 16 * 16);
  }
}

std::string Cut::name() const {
  switch (way_) {
    case Way::bulk_squares:
      return side_ == 1 ? "elements in bulk" : "squares of " + std::to_string(side_) + " in bulk";
    case Way::runs:
      return "runs";
    case Way::joined:
      return "joined";
    case Way::strips:
      return "strips";
    case Way::direct:
      return "directly";
    case Way::shifted:
      return "shifted";
    case Way::bulk:
      return "in bulk";
    default:
      return side_ == 1 ? "elements" : "squares of " + std::to_string(side_);
  }
}

}  // namespace cuda_permute
