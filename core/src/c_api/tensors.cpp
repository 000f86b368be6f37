#include "c_api/tensors.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "c_api/status.hpp"
#include "c_api/versioned.hpp"
#include "problem/dimensions.hpp"
#include "xpose/views.hpp"

namespace xpose::c_api {
namespace {

constexpr std::uint32_t kBitsOfByte = 8;
constexpr std::uint32_t kHostAlignment = 16;   // that of malloc
constexpr std::uint32_t kCudaAlignment = 256;  // that of cudaMalloc
constexpr std::uint64_t kMostOffset = std::uint64_t{1} << 56;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::invalid, why); }

xpose_tensor_t known_tensor(const xpose_tensor_t* given, const char* name) {
  const auto known = versioned(&required(given, name), "xpose_tensor_t");
  if (known.rank > XPOSE_MOST_AXES)  // before what it counts is read
    refuse(std::string(name) + " has " + std::to_string(known.rank) + " axes; " +
           std::to_string(XPOSE_MOST_AXES) + " are the most");
  return known;
}

Device device_of(const xpose_tensor_t& tensor) {
  if (tensor.device_kind < 0 || tensor.device_kind > XPOSE_DEVICE_CUDA)
    refuse("device_kind " + std::to_string(tensor.device_kind) + " is none of XPOSE_DEVICE_*");
  return {tensor.device_kind == XPOSE_DEVICE_CUDA ? DeviceKind::cuda : DeviceKind::host,
          tensor.device_ordinal};
}

std::uint32_t expected_alignment(const xpose_tensor_t& tensor) {
  if (tensor.alignment != 0) return tensor.alignment;
  return tensor.device_kind == XPOSE_DEVICE_CUDA ? kCudaAlignment : kHostAlignment;
}

Tensor copied(const xpose_tensor_t* given, const char* name) {
  const xpose_tensor_t stated = known_tensor(given, name);
  Tensor tensor;
  tensor.element_bits = stated.element_bits;
  if (tensor.element_bits % kBitsOfByte != 0)
    refuse(std::string(name) + " has elements of " + std::to_string(tensor.element_bits) +
           " bits; they have whole bytes");
  if (const std::string why = element_size_refusal(tensor.element_bits / kBitsOfByte); !why.empty())
    refuse(std::string(name) + " has elements of " + std::to_string(tensor.element_bits) +
           " bits: " + why);
  if (stated.rank > 0) {
    required(stated.extents, "xpose_tensor_t::extents");
    tensor.extents.assign(stated.extents, stated.extents + stated.rank);
  }
  if (stated.rank > 0 && stated.strides != nullptr)
    tensor.strides.assign(stated.strides, stated.strides + stated.rank);
  else
    tensor.strides = dense_strides(tensor.extents);
  tensor.device = device_of(stated);
  tensor.alignment = expected_alignment(stated);
  if (!std::has_single_bit(tensor.alignment))
    refuse(std::string(name) + " states an alignment of " + std::to_string(tensor.alignment) +
           " bytes, which is no power of two");
  tensor.offset = stated.byte_offset;
  if (tensor.offset > kMostOffset)
    refuse(std::string(name) + " begins " + std::to_string(tensor.offset) +
           " bytes from its address, and no machine addresses more than 2^56 bytes");
  return tensor;
}

// The dense tensor that the axes of another make.
Tensor dense(const Tensor& in, const std::vector<int>& axes) {
  Tensor out = in;
  for (std::size_t i = 0; i < axes.size(); ++i)  // wrong axes are refused later
    out.extents[i] = in.extents[static_cast<std::size_t>(axes[i]) % axes.size()];
  out.strides = dense_strides(out.extents);
  out.offset = 0;
  return out;
}

void check_fit(const Tensor& in, const Tensor& out, const std::vector<int>& axes) {
  if (in.element_bits != out.element_bits)
    refuse("the input has elements of " + std::to_string(in.element_bits) +
           " bits, the output of " + std::to_string(out.element_bits) +
           ": elements are moved, not converted");
  if (in.device != out.device)
    refuse("the input is on " + to_string(in.device) + ", the output on " + to_string(out.device) +
           ": copy one to the other's device first");
  if (in.extents.size() != out.extents.size())
    refuse("the input has " + std::to_string(in.extents.size()) + " axes, the output " +
           std::to_string(out.extents.size()) + ": a permutation keeps their number");
  check_permuted_extents(in.extents, out.extents, axes);
}

// In place, elements that all stay where they are.
bool stays(const Move& move) {
  for (std::size_t i = 0; i < move.axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(move.axes[i]);
    if (move.in.extents[axis] > 1 && move.in.strides[axis] != move.out.strides[i]) return false;
  }
  return move.in_place;
}

// Of the address of element 0.
std::uint32_t alignment_at(const Tensor& tensor) {
  const std::uint64_t bits = tensor.alignment | tensor.offset;
  return tensor.offset == 0 ? tensor.alignment : static_cast<std::uint32_t>(bits & (~bits + 1));
}

// In place, the array's own extents are those of the output.
void check_square(const Tensor& tensor, std::span<const std::int32_t> axes) {
  const auto rank = static_cast<std::int32_t>(axes.size());
  for (std::int32_t i = 0; i < rank; ++i) {
    const std::int32_t from = axes[static_cast<std::size_t>(i)];
    if (from < 0 || from >= rank) return;  // is refused later
    const std::int64_t here = tensor.extents[static_cast<std::size_t>(i)],
                       moved = tensor.extents[static_cast<std::size_t>(from)];
    if (here != moved)
      refuse("only a square is transposed in place: axis " + std::to_string(i) + " has " +
             std::to_string(here) + " elements, and axis " + std::to_string(from) +
             ", which moves there, has " + std::to_string(moved));
  }
}

}  // namespace

std::vector<std::int32_t> last_two_exchanged(const xpose_tensor_t* in) {
  const std::uint32_t rank = known_tensor(in, "the input's tensor").rank;
  if (rank < 2)
    refuse("a transpose needs two axes or more, not " + std::to_string(rank) +
           "; xpose_permute takes any number");
  std::vector<std::int32_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[rank - 1], axes[rank - 2]);
  return axes;
}

Move stated_move(const xpose_tensor_t* in, const xpose_tensor_t* out, const std::int32_t* axes,
                 bool in_place) {
  Move move;
  move.in_place = in_place;
  move.in = copied(in, "the input's tensor");
  const std::size_t rank = move.in.extents.size();
  if (axes != nullptr) {
    move.axes.assign(axes, axes + rank);
  } else {
    move.axes.resize(rank);
    std::iota(move.axes.rbegin(), move.axes.rend(), 0);
  }
  if (in_place && out == nullptr) check_square(move.in, move.axes);
  if (out != nullptr)
    move.out = copied(out, "the output's tensor");
  else
    move.out = in_place ? move.in : dense(move.in, move.axes);
  check_fit(move.in, move.out, move.axes);
  return move;
}

Problem problem_of(const Move& move) {
  const std::uint32_t bytes = move.in.element_bits / kBitsOfByte;
  Problem problem = permutation(move.in.extents, move.axes, move.in.strides, move.out.strides,
                                bytes, move.in.device);
  if (stays(move)) return matrix(0, 0, bytes, move.in.device);
  problem.in_place = move.in_place;
  if (move.in_place)
    check_in_place(problem, move.in.extents, move.axes, move.in.strides, move.out.strides);
  problem.in_alignment = alignment_at(move.in);
  problem.out_alignment = alignment_at(move.out);
  return problem;
}

}  // namespace xpose::c_api
