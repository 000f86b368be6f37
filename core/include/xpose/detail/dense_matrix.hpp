// Shape and storage of matrices with Eigen's interface, for the template of xpose.hpp.
#pragma once

#include <cstdint>

namespace xpose::detail {

// Whether the type has one row or one column, which both storage orders describe.
template <class M>
constexpr bool is_vector() {
  if constexpr (requires { M::IsVectorAtCompileTime; })
    return bool(M::IsVectorAtCompileTime);
  else
    return false;
}

// Whether a type with these extents, where they are not negative, may have so many rows or columns.
constexpr bool may_have(std::int64_t wanted, std::int64_t extent, std::int64_t most) {
  return (extent < 0 || wanted == extent) && (most < 0 || wanted <= most);
}

// Whether a matrix of the type may have this shape.
template <class M>
constexpr bool may_have(std::int64_t rows, std::int64_t cols) {
  if constexpr (requires { M::MaxRowsAtCompileTime, M::MaxColsAtCompileTime; })
    return may_have(rows, M::RowsAtCompileTime, M::MaxRowsAtCompileTime) &&
           may_have(cols, M::ColsAtCompileTime, M::MaxColsAtCompileTime);
  else if constexpr (requires { M::RowsAtCompileTime, M::ColsAtCompileTime; })
    return may_have(rows, M::RowsAtCompileTime, -1) && may_have(cols, M::ColsAtCompileTime, -1);
  else
    return true;
}

// Whether elements of a column, or of a row, follow each other, and are those of one column alone.
template <class M>
bool is_stored(const M& m) {
  const std::int64_t inner = bool(M::IsRowMajor) ? m.cols() : m.rows();
  const std::int64_t outer = bool(M::IsRowMajor) ? m.rows() : m.cols();
  return m.innerStride() == 1 && (m.outerStride() != 0 || inner == 0 || outer < 2);
}

// Elements from a row to the next, or from a column, in a storage order that describes the matrix.
template <class M>
std::int64_t leading_dimension(const M& m, bool row_major) {
  return bool(M::IsRowMajor) == row_major ? m.outerStride() : m.innerStride();
}

}  // namespace xpose::detail
