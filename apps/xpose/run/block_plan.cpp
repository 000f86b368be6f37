#include "run/block_plan.hpp"

#include <algorithm>
#include <numeric>

namespace xpose::app {
namespace {

// The pages that shorter runs complete are not worth a call each to send them to the disk.
constexpr std::uint64_t kLongRun = 2 * BandPlan::kPage;

}  // namespace

BlockPlan::BlockPlan(const FilePermutation& file, const TileLimits& limits)
    : file_(file),
      in_(file.array.extents.size()),
      out_(file.array.axes.begin(), file.array.axes.end()),
      most_(in_.size(), 1) {
  std::iota(in_.begin(), in_.end(), 0);
  if (limits.in_order)
    while (grow(out_, limits.most_bytes)) {
    }
  const std::uint64_t page = std::min(BandPlan::kPage, file.array.bytes());
  if (!limits.in_order || run_bytes(in_, most_) < page) grow_all(limits);
  for (const std::size_t axis : in_)  // blocks of like extents
    most_[axis] = blocks_along(file.array.extents[axis], blocks_of(axis));
}

void BlockPlan::grow_all(const TileLimits& limits) {
  most_.assign(in_.size(), 1);
  for (bool grows = true; grows;) {
    const std::uint64_t in = run_bytes(in_, most_);
    const std::uint64_t out = run_bytes(out_, most_);
    const bool are_long = std::min(in, out) >= limits.piece_bytes;
    const std::uint64_t most = are_long ? limits.enough_bytes : limits.most_bytes;
    grows = in <= out ? grow(in_, most) || grow(out_, most) : grow(out_, most) || grow(in_, most);
  }
}

// Doubles the axis that ends a side's runs, as far as there is room.
bool BlockPlan::grow(const Axes& side, std::uint64_t most_bytes) {
  const std::size_t axis = side[cut_axis(side, most_)];
  std::int64_t& extent = most_[axis];
  const std::uint64_t bytes = DenseArray{most_, {}, file_.array.item_bytes}.bytes();
  const std::uint64_t room = most_bytes / (bytes / static_cast<std::uint64_t>(extent));
  const std::int64_t grown =
      std::min({2 * extent, file_.array.extents[axis], static_cast<std::int64_t>(room)});
  const bool grows = grown > extent;
  if (grows) extent = grown;
  return grows;
}

// The innermost axis of a side of which a block has not all; else the outermost.
std::size_t BlockPlan::cut_axis(const Axes& side, const std::vector<std::int64_t>& extents) const {
  std::size_t at = side.size() - 1;
  while (at > 0 && extents[side[at]] == file_.array.extents[side[at]]) --at;
  return at;
}

std::uint64_t BlockPlan::run_bytes(const Axes& side,
                                   const std::vector<std::int64_t>& extents) const {
  std::uint64_t bytes = file_.array.item_bytes;
  for (std::size_t at = cut_axis(side, extents); at < side.size(); ++at)
    bytes *= static_cast<std::uint64_t>(extents[side[at]]);
  return bytes;
}

std::int64_t BlockPlan::blocks_of(std::size_t axis) const {
  return blocks_along(file_.array.extents[axis], most_[axis]);
}

std::int64_t BlockPlan::size() const {
  std::int64_t blocks = 1;
  for (const std::size_t axis : in_) blocks *= blocks_of(axis);
  return blocks;
}

Block BlockPlan::block(std::int64_t index) const {
  Block block{std::vector<std::int64_t>(in_.size()), most_};
  for (std::size_t at = out_.size(); at-- > 0;) {
    const std::size_t axis = out_[at];
    block.begin[axis] = index % blocks_of(axis) * most_[axis];
    block.extents[axis] = std::min(most_[axis], file_.array.extents[axis] - block.begin[axis]);
    index /= blocks_of(axis);
  }
  return block;
}

bool BlockPlan::writes_in_order() const {
  const std::size_t cut = cut_axis(out_, most_);
  return std::all_of(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(cut),
                     [&](std::size_t axis) { return most_[axis] == 1; });
}

// The block that has an element of the output.
std::int64_t BlockPlan::index_at(std::int64_t out_element) const {
  std::int64_t index = 0;
  std::int64_t weight = 1;
  for (std::size_t at = out_.size(); at-- > 0;) {
    const std::size_t axis = out_[at];
    index += out_element % file_.array.extents[axis] / most_[axis] * weight;
    out_element /= file_.array.extents[axis];
    weight *= blocks_of(axis);
  }
  return index;
}

// take: the first element of each run of the block, counted on that side.
void BlockPlan::for_each_run(const Axes& side, const Block& block,
                             const std::function<void(std::int64_t)>& take) const {
  std::vector<std::int64_t> strides(side.size());
  std::int64_t begin = 0;
  std::int64_t stride = 1;
  for (std::size_t at = side.size(); at-- > 0;) {
    strides[at] = stride;
    begin += block.begin[side[at]] * stride;
    stride *= file_.array.extents[side[at]];
  }
  const std::size_t outer = cut_axis(side, block.extents);
  std::vector<std::int64_t> index(outer);
  for (;;) {
    take(begin);
    std::size_t at = outer;
    while (at > 0 && ++index[at - 1] == block.extents[side[at - 1]]) {
      begin -= (index[at - 1] - 1) * strides[at - 1];
      index[--at] = 0;
    }
    if (at == 0) return;
    begin += strides[at - 1];
  }
}

void BlockPlan::for_each_in_range(const Block& block,
                                  const std::function<void(const ByteRange&)>& take) const {
  const std::uint64_t bytes = run_bytes(in_, block.extents);
  for_each_run(in_, block, [&](std::int64_t first) {
    const std::uint64_t begin =
        file_.in_offset + static_cast<std::uint64_t>(first) * file_.array.item_bytes;
    take({begin, begin + bytes});
  });
}

void BlockPlan::for_each_out_range(
    const Block& block,
    const std::function<void(const ByteRange&, const Neighbours&)>& take) const {
  const std::uint64_t bytes = run_bytes(out_, block.extents);
  const auto elements = static_cast<std::int64_t>(bytes / file_.array.item_bytes);
  const auto all = static_cast<std::int64_t>(file_.array.bytes() / file_.array.item_bytes);
  for_each_run(out_, block, [&](std::int64_t first) {
    const std::int64_t here = index_at(first);
    const std::int64_t end = first + elements;
    Neighbours written;
    if (bytes >= kLongRun)
      written = {first == 0 || index_at(first - 1) < here, end < all && index_at(end) < here};
    const std::uint64_t begin =
        file_.out_offset + static_cast<std::uint64_t>(first) * file_.array.item_bytes;
    take({begin, begin + bytes}, written);
  });
}

}  // namespace xpose::app
