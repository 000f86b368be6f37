// Arrays as Python's libraries state them, and the problem that two of them make.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <xpose/xpose.hpp>

namespace xpose::python {

constexpr std::size_t kMostAxes = 64;  // as NumPy has

// Numbers of the axes of an array. A copy is of those that there are: calls make many.
class Axes {
 public:
  Axes() {}  // NOLINT(modernize-use-equals-default): a defaulted one may fill the values with zeros
  Axes(const Axes& other) : size_(other.size_) { std::ranges::copy(other.span(), values_.begin()); }
  Axes& operator=(const Axes& other) {
    size_ = other.size_;
    std::ranges::copy(other.span(), values_.begin());
    return *this;
  }
  void push(std::int64_t value);  // throws Error invalid for more than kMostAxes
  std::size_t size() const { return size_; }
  std::int64_t& operator[](std::size_t axis) { return values_[axis]; }
  std::int64_t operator[](std::size_t axis) const { return values_[axis]; }
  std::span<const std::int64_t> span() const { return {values_.data(), size_}; }

 private:
  std::size_t size_ = 0;
  std::array<std::int64_t, kMostAxes> values_;  // the first size_ of them
};

// An array in memory. Strides are in bytes, of either sign, and of an input also 0.
struct Layout {
  void* address = nullptr;  // of element 0
  Axes extents;
  Axes strides;
  std::int64_t element_bytes = 0;
  Device device = {};
  bool writable = true;

  bool is_empty() const;  // no byte to move
};

// A dense layout in C order, without an address.
Layout dense(const Axes& extents, std::int64_t element_bytes, Device device);

// The strides, in elements, of a new array in C order, as PyTorch states them: an empty axis counts
// as one of one element.
Axes strides_of_new(const Axes& extents);

// The extents in the order of `axes`, which is a permutation.
Axes permuted(const Axes& extents, const Axes& axes);

// Throws Error invalid where shape, element size or device of `out` do not fit.
void check_fit(const Layout& in, const Layout& out, const Axes& axes);

// The problem that moves `in` to `out`, whose axis i is axis axes[i] of `in`; neither is empty. It
// promises no alignment. Elements of more than 256 bytes, and those at any byte, are moved as runs
// of smaller ones. Throws as check_fit() does, and Error invalid for elements of `out` that
// overlap.
Problem problem_of(const Layout& in, const Layout& out, const Axes& axes, bool in_place);

// A problem without elements, of the size of those of `in`. Sizes that no problem has are bytes.
Problem nothing_of(const Layout& in);

// In place, elements that all stay where they are.
bool stays(const Layout& in, const Layout& out, const Axes& axes);

}  // namespace xpose::python
