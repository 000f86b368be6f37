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

// Whether a matrix of the type may have this shape.
template <class M>
constexpr bool may_have(std::int64_t rows, std::int64_t cols) {
  if constexpr (requires { M::RowsAtCompileTime, M::ColsAtCompileTime; })
    return (M::RowsAtCompileTime < 0 || M::RowsAtCompileTime == rows) &&
           (M::ColsAtCompileTime < 0 || M::ColsAtCompileTime == cols);
  else
    return true;
}

// Elements from a row to the next, or from a column, in a storage order that describes the matrix.
template <class M>
std::int64_t leading_dimension(const M& m, bool row_major) {
  return bool(M::IsRowMajor) == row_major ? m.outerStride() : m.innerStride();
}

}  // namespace xpose::detail
