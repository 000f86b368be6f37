// Arrays as Python's libraries state them, and the problem that two of them make.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <xpose/xpose.hpp>

namespace xpose::python {

constexpr std::size_t kMostAxes = 64;  // as NumPy has

// Numbers of the axes of an array.
class Axes {
 public:
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

// The extents in the order of `axes`, which is a permutation.
Axes permuted(const Axes& extents, const Axes& axes);

// Throws Error invalid where shape, element size or device of `out` do not fit.
void check_fit(const Layout& in, const Layout& out, const Axes& axes);

// The problem that moves `in` to `out`, whose axis i is axis axes[i] of `in`; neither is empty. It
// promises no alignment. Elements of more than 256 bytes, and those at any byte, are moved as runs
// of smaller ones. Throws as check_fit() does, and Error invalid for elements of `out` that
// overlap.
Problem problem_of(const Layout& in, const Layout& out, const Axes& axes, bool in_place);

// In place, elements that all stay where they are.
bool stays(const Layout& in, const Layout& out, const Axes& axes);

}  // namespace xpose::python
