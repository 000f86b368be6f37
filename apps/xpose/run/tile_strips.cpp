#include "run/tile_strips.hpp"

#include <algorithm>
#include <utility>

namespace xpose::app {
namespace {

constexpr std::uint64_t kLeastOutRun = 128;  // a pair of lines, which processors fetch together

}  // namespace

std::vector<std::int64_t> strip_extents(const DenseArray& largest_tile, std::uint64_t most_bytes) {
  std::vector<std::int64_t> strip(largest_tile.extents.size(), 1);
  const auto elements = [&](std::uint64_t bytes) {
    return std::max<std::int64_t>(static_cast<std::int64_t>(bytes / largest_tile.item_bytes), 1);
  };
  std::int64_t count = 1;
  const auto grow = [&](std::size_t axis, std::int64_t most) {
    const std::int64_t extent =
        like_blocks(largest_tile.extents[axis], std::max(most, strip[axis]));
    count = count / strip[axis] * extent;
    strip[axis] = extent;
  };
  if (!strip.empty())
    grow(static_cast<std::size_t>(largest_tile.axes.back()), elements(kLeastOutRun));
  for (std::size_t axis = strip.size(); axis-- > 0;)
    grow(axis, elements(most_bytes) / (count / strip[axis]));
  return strip;
}

TileStrips::TileStrips(DenseArray tile, const std::vector<std::int64_t>& most)
    : tile_(std::move(tile)), most_(most), out_strides_(tile_.axes.size()) {
  std::int64_t stride = 1;
  for (std::size_t i = tile_.axes.size(); i-- > 0;) {
    const std::int64_t extent = tile_.extents[static_cast<std::size_t>(tile_.axes[i])];
    out_strides_[i] = stride;
    stride *= extent;
  }
}

std::int64_t TileStrips::size() const {
  std::int64_t strips = 1;
  for (std::size_t axis = 0; axis < most_.size(); ++axis)
    strips *= blocks_along(tile_.extents[axis], most_[axis]);
  return strips;
}

Block TileStrips::strip(std::int64_t index) const {
  Block strip{std::vector<std::int64_t>(most_.size()), most_};
  for (std::size_t axis = most_.size(); axis-- > 0;) {
    const std::int64_t blocks = blocks_along(tile_.extents[axis], most_[axis]);
    strip.begin[axis] = index % blocks * most_[axis];
    strip.extents[axis] = std::min(most_[axis], tile_.extents[axis] - strip.begin[axis]);
    index /= blocks;
  }
  return strip;
}

std::uint64_t TileStrips::out_place(const Block& strip) const {
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < out_strides_.size(); ++i)
    elements += strip.begin[static_cast<std::size_t>(tile_.axes[i])] * out_strides_[i];
  return static_cast<std::uint64_t>(elements) * tile_.item_bytes;
}

}  // namespace xpose::app
