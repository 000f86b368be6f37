// The problem that the tensors of a caller state.
#pragma once

#include <cstdint>
#include <vector>

#include "xpose/problem.hpp"
#include "xpose/xpose.h"

namespace xpose::c_api {

// A tensor, copied and complete.
struct Tensor {
  std::uint32_t element_bits = 0;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;  // of each axis, in elements
  Device device;
  std::uint32_t alignment = 0;  // of the addresses that are expected
  std::uint64_t offset = 0;     // bytes from them to element 0
};

// Input, output, and the input's axis that each axis of the output is.
struct Move {
  Tensor in;
  Tensor out;
  std::vector<int> axes;
  bool in_place = false;
};

// The exchange of the last two axes. Throws Error invalid where there is one at most.
std::vector<std::int32_t> last_two_exchanged(const xpose_tensor_t* in);

// The move that the arguments of xpose_prepare() state. Throws Error invalid where the tensors are
// malformed or do not fit each other.
Move stated_move(const xpose_tensor_t* in, const xpose_tensor_t* out, const std::int32_t* axes,
                 bool in_place);

// Its problem, for addresses of the expected alignment; empty where it moves nothing.
Problem problem_of(const Move& move);

}  // namespace xpose::c_api
