#include "cut.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace cuda_permute {
namespace {

constexpr int64_t kLine = 128;  // bytes

// A block that goes from tile to tile pays once for finding its slots. But multiprocessors get
// unequal shares of the memory, so blocks of few tiles, which go to whoever is free, are the better
// ones where slots cost little: kSetup instructions for each axis of each, over the bytes that they
// move. Where they cost much, all blocks run at once.
constexpr int64_t kSetup = 8, kLittleSetup = 5, kMuchSetup = 15;
// Otherwise so many blocks at least follow each other on a multiprocessor.
constexpr int64_t kRounds = 4;

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

}  // namespace

Cut::Cut(Form form, const CutWish& wish)
    : form_(std::move(form)),
      wish_(wish),
      side_(wish.direct ? 1 : square_of(form_, widest_square(form_.bytes))) {
  cut();
  if (far_ && side_ != 1) {  // offsets of 64 bits take the registers of squares
    side_ = 1;
    cut();
  }
  if (!wish_.direct && !far_ && side_ * form_.bytes < kWord) cut_for_words();
}

void Cut::cut() {
  far_ = false;
  tile_ = tile_for();
  if (spans_far()) {
    far_ = true;
    tile_ = tile_for();
  }
}

// Elements that form no squares of words are moved in words on those sides where runs are of whole
// words. A tile for words of both sides has more elements, so it is tried first.
void Cut::cut_for_words() {
  const auto before = std::pair(side_, tile_);
  const bool may_both = wish_.load_words && wish_.store_words;
  const bool may_one = (wish_.load_words || wish_.store_words) && side_ == 1;
  for (const bool both : {true, false}) {
    if (both ? !may_both : !may_one) continue;
    side_ = 1;
    load_words_ = true;
    store_words_ = both;
    tile_ = tile_for();
    load_words_ = wish_.load_words && words_of_input() != 0;
    store_words_ = wish_.store_words && words_of_output() != 0;
    if ((both ? load_words_ && store_words_ : moves_words()) && !spans_far()) return;
  }
  load_words_ = store_words_ = false;
  std::tie(side_, tile_) = before;
}

int64_t Cut::words_of_input() const {
  return axes_of_words(form_, tile_, by_input(form_.axes), &Axis::in, kWord / form_.bytes);
}

int64_t Cut::words_of_output() const {
  return axes_of_words(form_, tile_, by_output(form_.axes), &Axis::out, kWord / form_.bytes);
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
  const int64_t each = moves_words() ? kWord / form_.bytes : side_ * side_;
  return tile_of(form_, {.out_run = wish_.run,
                         .elements = kThreads * work().count * each,
                         .square = side_,
                         .processors = wish_.processors});
}

Work Cut::work() const {
  const auto bytes = static_cast<int>(form_.bytes);
  if (moves_words()) return words_of(bytes, load_words_ && store_words_);
  return wish_.direct ? direct_of(bytes, far_)
                      : squares_of(bytes, static_cast<int>(side_), far_, stores_columns());
}

bool Cut::stores_columns() const {
  if (side_ == 1) return false;
  const Inner inner = inner_axes(form_);
  return form_.axes[static_cast<size_t>(inner.in)].out * form_.bytes < kLine;
}

int64_t Cut::tiles_of_block() const {
  const auto [count, blocks] = work();
  int64_t slots = 2 * count, bytes = count * side_ * side_ * form_.bytes;
  if (stores_columns()) slots = count * (1 + side_);
  if (moves_words()) {
    const int64_t words = kWord / form_.bytes;
    slots = count * (load_words_ ? 1 : words) + count * words;
    bytes = count * kWord;
  }
  const int64_t axes =
      std::ranges::count_if(tile_.extents, [](int64_t extent) { return extent > 1; });
  const int64_t setup = kSetup * axes * slots / bytes;
  if (setup <= kLittleSetup) return 1;
  const int64_t each = ceil_div(tile_.tiles, wish_.processors * blocks);
  return setup > kMuchSetup
             ? each
             : std::clamp<int64_t>(2 * setup, 1, std::max<int64_t>(each / kRounds, 1));
}

uint64_t Cut::shared_bytes() const {
  if (wish_.direct) return 0;
  const int64_t dense = tile_.elements * form_.bytes;
  return static_cast<uint64_t>((dense + dense / 4 + 512) / 16 * 16);
}

uint32_t Cut::slower_percent() const {
  const auto by_size = [&](std::array<uint32_t, 5> percent) {
    return percent[static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(form_.bytes)))];
  };
  if (wish_.direct) return 8;
  if (moves_words()) return by_size({150, 80, 0, 0, 0});
  return side_ == 1 ? by_size({157, 87, 37, 20, 5}) : by_size({28, 10, 8, 5, 0});
}

std::string Cut::way() const {
  if (wish_.direct) return "directly";
  if (load_words_ && store_words_) return "words";
  if (load_words_) return "words in";
  if (store_words_) return "words out";
  return side_ == 1 ? "elements" : "squares of " + std::to_string(side_);
}

}  // namespace cuda_permute
