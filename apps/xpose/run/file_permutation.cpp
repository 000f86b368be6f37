#include "run/file_permutation.hpp"

#include <algorithm>
#include <numeric>

#include "xpose/xpose.hpp"

namespace xpose::app {
namespace {

constexpr std::uint64_t kWidest = 16;  // bytes of an element that every strategy moves as one

bool is_served(std::uint64_t bytes) { return element_size_refusal(bytes).empty(); }

// Elements of a size that is not served are runs of smaller ones.
void split_items(DenseArray& array) {
  if (is_served(array.item_bytes)) return;
  const std::uint64_t part = std::gcd(array.item_bytes, kWidest);
  array.axes.push_back(static_cast<int>(array.extents.size()));
  array.extents.push_back(static_cast<std::int64_t>(array.item_bytes / part));
  array.item_bytes = part;
}

// Removes an input axis that the one before it, or the element, has taken in.
void erase_axis(DenseArray& array, std::size_t axis) {
  array.extents.erase(array.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  const auto number = static_cast<int>(axis);
  std::erase(array.axes, number);
  for (int& other : array.axes) other -= other > number ? 1 : 0;
}

void widen_items(DenseArray& array) {
  const std::size_t rank = array.extents.size();
  if (rank < 2 || array.axes.back() != static_cast<int>(rank) - 1) return;
  const std::uint64_t bytes = static_cast<std::uint64_t>(array.extents.back()) * array.item_bytes;
  if (!is_served(bytes)) return;
  array.item_bytes = bytes;
  erase_axis(array, rank - 1);
}

}  // namespace

std::uint64_t DenseArray::bytes() const {
  std::uint64_t bytes = item_bytes;
  for (const std::int64_t extent : extents) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

DenseArray folded(DenseArray array) {
  split_items(array);
  for (std::size_t i = array.extents.size(); i-- > 0;)
    if (array.extents[i] == 1) erase_axis(array, i);
  for (std::size_t i = array.extents.size(); i-- > 1;) {
    const auto inner = std::ranges::find(array.axes, static_cast<int>(i));
    if (inner == array.axes.begin() || *(inner - 1) != static_cast<int>(i) - 1) continue;
    array.extents[i - 1] *= array.extents[i];
    erase_axis(array, i);
  }
  widen_items(array);
  return array;
}

FilePermutation file_permutation(const NpyHeader& header, const PermutedShape& permuted,
                                 std::uint64_t out_offset) {
  // The axes in the order of the bytes: those of an axis that was split stay in theirs.
  std::vector<int> places(permuted.shape.size());
  DenseArray array{.item_bytes = header.item_bytes};
  const std::size_t rank = permuted.parts.size();
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = header.fortran_order ? rank - 1 - i : i;
    const auto first =
        std::accumulate(permuted.parts.begin(),
                        permuted.parts.begin() + static_cast<std::ptrdiff_t>(axis), std::size_t{0});
    for (std::size_t part = first; part < first + permuted.parts[axis]; ++part) {
      places[part] = static_cast<int>(array.extents.size());
      array.extents.push_back(permuted.shape[part]);
    }
  }
  for (const int axis : permuted.axes) array.axes.push_back(places[static_cast<std::size_t>(axis)]);
  return {folded(std::move(array)), header.data_offset, out_offset};
}

std::optional<FileMatrix> as_matrix(const FilePermutation& file) {
  const std::vector<std::int64_t>& extents = file.array.extents;
  if (extents.size() > 2) return std::nullopt;
  FileMatrix matrix{1, 1, file.array.item_bytes, file.in_offset, file.out_offset};
  if (!extents.empty()) matrix.cols = extents.back();
  if (extents.size() == 2) matrix.rows = extents.front();
  return matrix;
}

}  // namespace xpose::app
