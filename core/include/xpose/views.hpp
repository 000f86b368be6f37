// permute() for the arrays of other libraries: Eigen's tensors, and views such as std::mdspan.
//
//   Eigen::Tensor<float, 3> a(10, 20, 30), b;
//   xpose::permute(engine, a, b, {2, 0, 1});  // b(k, i, j) = a(i, j, k), as a.shuffle() makes it
//
//   std::mdspan from(data, 10, 20, 30), to(other, 30, 10, 20);
//   xpose::permute(engine, from, to, {2, 0, 1});
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <xpose/xpose.hpp>

namespace xpose {

// A tensor of any library with Eigen's interface: dense, in host memory.
template <class T>
concept DenseTensor = requires(T& tensor) {
  typename std::remove_cvref_t<T>::Scalar;
  {tensor.data()};
  {std::remove_cvref_t<T>::NumDimensions};
  {std::remove_cvref_t<T>::Layout};
  { tensor.dimension(0) } -> std::convertible_to<std::int64_t>;
};

// A view with the interface of std::mdspan and a stride on every axis, in elements.
template <class V>
concept StridedView = requires(V& view) {
  typename std::remove_cvref_t<V>::element_type;
  {view.data_handle()};
  { std::remove_cvref_t<V>::rank() } -> std::convertible_to<std::size_t>;
  { view.extent(0) } -> std::convertible_to<std::int64_t>;
  { view.stride(0) } -> std::convertible_to<std::int64_t>;
};

// For the templates below. Throws Error invalid unless output extent i is the input's extent
// axes[i]. Extents are in elements.
XPOSE_API void check_permuted_extents(std::span<const std::int64_t> in,
                                      std::span<const std::int64_t> out, std::span<const int> axes);

// Whether two elements of the output have one place, for callers with words of their own. Takes
// what permutation() returns. False also where that would take long to find out: such a problem
// gets no plan. Throws Error invalid for a span of more than 2^56 bytes. [any thread]
XPOSE_API bool output_overlaps(const Problem& problem);

// Makes axis i of `out` axis axes[i] of `in`, as Eigen's shuffle() does, in host memory. `out` is
// resized where its type allows. Throws Error invalid where the extents do not fit or the two
// overlap; else as Engine::transpose() does. [any thread]
template <DenseTensor In, DenseTensor Out, std::size_t rank>
void permute(Engine& engine, const In& in, Out&& out, const int (&axes)[rank]) {
  using InT = std::remove_cvref_t<In>;
  using OutT = std::remove_cvref_t<Out>;
  static_assert(int{InT::NumDimensions} == rank && int{OutT::NumDimensions} == rank,
                "permute() needs an axis for every dimension of both tensors");
  static_assert(sizeof(typename InT::Scalar) == sizeof(typename OutT::Scalar),
                "permute() moves elements unchanged: both tensors need elements of one size");
  static_assert(int{InT::Layout} == int{OutT::Layout},
                "permute() between storage orders is another permutation: give both tensors one");
  constexpr bool kColumnMajor = int{InT::Layout} == 0;
  std::array<std::int64_t, rank> in_extents, permuted, out_extents, shape;
  for (std::size_t i = 0; i < rank; ++i) in_extents[i] = in.dimension(i);
  for (std::size_t i = 0; i < rank; ++i)  // wrong axes are refused next
    permuted[i] = in_extents[static_cast<std::size_t>(axes[i]) % rank];
  check_permuted_extents(in_extents, permuted, axes);  // before anything is changed
  if constexpr (requires { out.resize(out.dimensions()); }) {
    auto dimensions = out.dimensions();
    for (std::size_t i = 0; i < rank; ++i) dimensions[i] = permuted[i];
    if (static_cast<const void*>(&in) != &out) out.resize(dimensions);
  }
  for (std::size_t i = 0; i < rank; ++i) out_extents[i] = out.dimension(i);
  check_permuted_extents(in_extents, out_extents, axes);
  // Axes in the order of a row-major array.
  const auto in_c = [](std::size_t axis) { return kColumnMajor ? rank - 1 - axis : axis; };
  std::array<int, rank> order;
  for (std::size_t i = 0; i < rank; ++i) {
    shape[in_c(i)] = in_extents[i];
    order[in_c(i)] = static_cast<int>(in_c(static_cast<std::size_t>(axes[i])));
  }
  engine.permute(in.data(), out.data(), shape, order, sizeof(typename InT::Scalar));
}

// Makes axis i of `out` axis axes[i] of `in`; their addresses are in the memory of `device`. Throws
// Error invalid where the extents do not fit, or elements of `out` overlap each other or the input;
// else as Engine::transpose() does. [any thread]
template <StridedView In, StridedView Out, std::size_t rank>
void permute(Engine& engine, const In& in, const Out& out, const int (&axes)[rank],
             Device device = {}, void* stream = nullptr) {
  static_assert(In::rank() == rank && Out::rank() == rank,
                "permute() needs an axis for every dimension of both views");
  static_assert(sizeof(typename In::element_type) == sizeof(typename Out::element_type),
                "permute() moves elements unchanged: both views need elements of one size");
  std::array<std::int64_t, rank> in_extents, out_extents, in_strides, out_strides;
  for (std::size_t i = 0; i < rank; ++i) {
    in_extents[i] = static_cast<std::int64_t>(in.extent(i));
    out_extents[i] = static_cast<std::int64_t>(out.extent(i));
    in_strides[i] = static_cast<std::int64_t>(in.stride(i));
    out_strides[i] = static_cast<std::int64_t>(out.stride(i));
  }
  check_permuted_extents(in_extents, out_extents, axes);
  engine.transpose(in.data_handle(), out.data_handle(),
                   permutation(in_extents, axes, in_strides, out_strides,
                               sizeof(typename In::element_type), device),
                   stream);
}

}  // namespace xpose
