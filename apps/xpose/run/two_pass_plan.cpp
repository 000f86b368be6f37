#include "run/two_pass_plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace xpose::app {
namespace {

std::int64_t most_elements(const FilePermutation& file, std::uint64_t most_bytes) {
  return std::max<std::int64_t>(static_cast<std::int64_t>(most_bytes / file.array.item_bytes), 1);
}

std::vector<std::int64_t> out_extents(const DenseArray& array) {
  std::vector<std::int64_t> extents;
  for (const int axis : array.axes)
    extents.push_back(array.extents[static_cast<std::size_t>(axis)]);
  return extents;
}

// The place of a block's first element in a dense array of those extents.
std::int64_t place_of(const std::vector<std::int64_t>& begin,
                      const std::vector<std::int64_t>& extents) {
  std::int64_t place = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) place = place * extents[i] + begin[i];
  return place;
}

// An axis that is cut in steps of a, and in steps of b as well, has so many parts.
std::int64_t parts_of(std::int64_t extent, std::int64_t a, std::int64_t b) {
  const std::int64_t factor = a / std::gcd(a, b);
  const std::int64_t common = factor > extent / b ? 1 : blocks_along(extent, factor * b);
  return blocks_along(extent, a) + blocks_along(extent, b) - common;
}

}  // namespace

RangeBlocks::RangeBlocks(std::vector<std::int64_t> extents, std::int64_t most)
    : extents_(std::move(extents)), cut_(extents_.size() - 1) {
  std::int64_t inner = 1;
  for (; cut_ > 0 && extents_[cut_] <= most / inner; --cut_) inner *= extents_[cut_];
  const std::int64_t extent = extents_[cut_];
  const std::int64_t blocks = blocks_along(extent, std::min(extent, most / inner));
  step_ = blocks_along(extent, blocks);  // blocks of like extents
}

std::int64_t RangeBlocks::step(std::size_t axis) const {
  if (axis == cut_) return step_;
  return axis < cut_ ? 1 : extents_[axis];
}

std::int64_t RangeBlocks::size() const {
  std::int64_t blocks = 1;
  for (std::size_t axis = 0; axis <= cut_; ++axis)
    blocks *= blocks_along(extents_[axis], step(axis));
  return blocks;
}

Block RangeBlocks::block(std::int64_t index) const {
  Block block{std::vector<std::int64_t>(extents_.size()), extents_};
  for (std::size_t axis = cut_ + 1; axis-- > 0;) {
    const std::int64_t blocks = blocks_along(extents_[axis], step(axis));
    block.begin[axis] = index % blocks * step(axis);
    block.extents[axis] = std::min(step(axis), extents_[axis] - block.begin[axis]);
    index /= blocks;
  }
  return block;
}

TwoPassPlan::TwoPassPlan(const FilePermutation& file, std::uint64_t most_bytes)
    : file_(file),
      bands_(file.array.extents, most_elements(file, most_bytes)),
      ranges_(out_extents(file.array), most_elements(file, most_bytes)) {}

ByteRange TwoPassPlan::band_bytes(std::int64_t index) const {
  const Block block = band(index);
  const auto begin = static_cast<std::uint64_t>(place_of(block.begin, file_.array.extents)) *
                     file_.array.item_bytes;
  return {begin, begin + DenseArray{block.extents, {}, file_.array.item_bytes}.bytes()};
}

Block TwoPassPlan::range(std::int64_t index) const {
  const Block out = ranges_.block(index);
  Block block = out;
  for (std::size_t i = 0; i < out.begin.size(); ++i) {
    const auto axis = static_cast<std::size_t>(file_.array.axes[i]);
    block.begin[axis] = out.begin[i];
    block.extents[axis] = out.extents[i];
  }
  return block;
}

ByteRange TwoPassPlan::range_bytes(std::int64_t index) const {
  const Block out = ranges_.block(index);
  const auto begin = static_cast<std::uint64_t>(place_of(out.begin, out_extents(file_.array))) *
                     file_.array.item_bytes;
  return {begin, begin + DenseArray{out.extents, {}, file_.array.item_bytes}.bytes()};
}

// part: what the band has of a range of the output.
ByteRange TwoPassPlan::piece_at(const Block& band, const Block& part) const {
  std::vector<std::int64_t> within;
  for (const int number : file_.array.axes) {
    const auto axis = static_cast<std::size_t>(number);
    within.push_back(part.begin[axis] - band.begin[axis]);
  }
  const std::int64_t first = place_of(band.begin, file_.array.extents) +
                             place_of(within, out_extents({band.extents, file_.array.axes, 1}));
  const std::uint64_t begin = static_cast<std::uint64_t>(first) * file_.array.item_bytes;
  return {begin, begin + DenseArray{part.extents, {}, file_.array.item_bytes}.bytes()};
}

void TwoPassPlan::for_each_piece(
    std::int64_t range, const std::function<void(const ByteRange&, const Block&)>& take) const {
  const Block whole = this->range(range);
  const std::size_t rank = whole.begin.size();
  Block band{whole.begin, whole.extents};
  Block part = whole;
  const auto cut_at = [&](std::size_t axis, std::int64_t place) {  // the band of that place
    const std::int64_t step = bands_.step(axis);
    band.begin[axis] = place / step * step;
    band.extents[axis] = std::min(step, file_.array.extents[axis] - band.begin[axis]);
    part.begin[axis] = place;
    part.extents[axis] =
        std::min(band.begin[axis] + band.extents[axis], whole.begin[axis] + whole.extents[axis]) -
        place;
  };
  for (std::size_t axis = 0; axis < rank; ++axis) cut_at(axis, whole.begin[axis]);
  for (;;) {
    take(piece_at(band, part), part);
    std::size_t axis = rank;
    while (axis > 0) {
      const std::int64_t next = part.begin[axis - 1] + part.extents[axis - 1];
      if (next < whole.begin[axis - 1] + whole.extents[axis - 1]) {
        cut_at(axis - 1, next);
        break;
      }
      --axis;
      cut_at(axis, whole.begin[axis]);
    }
    if (axis == 0) return;
  }
}

std::uint64_t TwoPassPlan::piece_bytes() const {
  double pieces = 1;
  for (std::size_t i = 0; i < file_.array.axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(file_.array.axes[i]);
    pieces *= static_cast<double>(
        parts_of(file_.array.extents[axis], bands_.step(axis), ranges_.step(i)));
  }
  const double bytes = static_cast<double>(file_.array.bytes()) / pieces;
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(bytes), 1);
}

}  // namespace xpose::app
