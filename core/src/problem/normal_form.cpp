#include "problem/normal_form.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <sstream>

#include "problem/alignment.hpp"
#include "problem/dimensions.hpp"
#include "problem/folding.hpp"
#include "problem/interlocking.hpp"

namespace xpose {
namespace {

// Bytes from the first to the last. No machine addresses more, and what plugins compute of sizes
// and strides has room left in 63 bits.
constexpr std::int64_t kMost = std::int64_t{1} << 56;

[[noreturn]] void refuse(const Problem& problem, const std::string& why) {
  throw Error(ErrorKind::invalid, "cannot transpose " + to_string(problem) + ": " + why);
}

// The elements from the lowest to one past the highest that the dimensions reach; refuses what
// overflows.
struct Span {
  const Problem& problem;
  std::int64_t elements = 1;

  void reach(std::int64_t extent, std::int64_t stride) {
    std::int64_t last = 0;
    if (stride == std::numeric_limits<std::int64_t>::min() ||
        __builtin_mul_overflow(extent - 1, std::abs(stride), &last) ||
        __builtin_add_overflow(elements, last, &elements) ||
        elements > kMost / problem.element_bytes)
      refuse(problem, "it spans more than 2^56 bytes, which no machine addresses");
  }
};

void check_sizes(const Problem& problem) {
  if (problem.rows < 0 || problem.cols < 0)
    refuse(problem, "rows and cols must be 0 or more, not " + std::to_string(problem.rows) +
                        " and " + std::to_string(problem.cols));
  for (const BatchDim& dim : problem.batch)
    if (dim.extent < 0)
      refuse(problem, "a batch extent must be 0 or more, not " + std::to_string(dim.extent));
  if (const std::string refusal = element_size_refusal(problem.element_bytes); !refusal.empty())
    refuse(problem, refusal);
  if (problem.in_place && !is_moved_whole(problem.element_bytes))
    refuse(problem,
           "in place, elements have 1, 2, 4, 8 or 16 bytes, or a multiple of 16 up to 256; "
           "transpose others into another buffer");
  if (!std::has_single_bit(problem.in_alignment) || !std::has_single_bit(problem.out_alignment))
    refuse(problem, "alignments must be powers of two, not " +
                        std::to_string(problem.in_alignment) + " and " +
                        std::to_string(problem.out_alignment));
}

void fill_leading_dimensions(Problem& problem) {
  if (problem.in_ld == 0) problem.in_ld = problem.cols;
  if (problem.out_ld == 0) problem.out_ld = problem.rows;
  const auto is_shorter = [](std::int64_t ld, std::int64_t row) { return ld < row && ld > -row; };
  if (problem.rows > 1 && is_shorter(problem.in_ld, problem.cols))
    refuse(problem, "the input's leading dimension " + std::to_string(problem.in_ld) +
                        " is shorter than its rows of " + std::to_string(problem.cols));
  if (problem.cols > 1 && is_shorter(problem.out_ld, problem.rows))
    refuse(problem, "the output's leading dimension " + std::to_string(problem.out_ld) +
                        " is shorter than its rows of " + std::to_string(problem.rows));
  if (problem.rows == 1) problem.in_ld = problem.cols;
  if (problem.cols == 1) problem.out_ld = problem.rows;
}

// In place, input and output are one buffer with one layout and one address.
void check_in_place(const Problem& problem) {
  const auto differ = [&](const std::string& what, std::int64_t in, std::int64_t out) {
    refuse(problem, "in place, input and output share one " + what + ", but these are " +
                        std::to_string(in) + " and " + std::to_string(out) +
                        "; transpose squares without contiguous rows into another buffer");
  };
  if (problem.rows != problem.cols)
    refuse(problem,
           "only a square matrix is transposed in place; transpose others into another buffer");
  if (problem.in_ld != problem.out_ld) differ("leading dimension", problem.in_ld, problem.out_ld);
  for (const BatchDim& dim : problem.batch)
    if (dim.in_stride != dim.out_stride) differ("batch stride", dim.in_stride, dim.out_stride);
  if (problem.in_ld < 0 ||
      std::ranges::any_of(problem.batch, [](const BatchDim& dim) { return dim.in_stride < 0; }))
    refuse(problem, "in place, strides must be positive; transpose into another buffer");
}

// In place, matrices of one element whose places in the batch are the same on both sides.
bool stays(const Problem& problem) {
  const auto stays_in = [](const BatchDim& dim) {
    return dim.extent < 2 || dim.in_stride == dim.out_stride;
  };
  return problem.rows == 1 && problem.cols == 1 && std::ranges::all_of(problem.batch, stays_in);
}

bool has_no_elements(const Problem& problem) {
  return problem.rows == 0 || problem.cols == 0 ||
         std::ranges::any_of(problem.batch, [](const BatchDim& dim) { return dim.extent == 0; });
}

// An axis that the output counts backwards is counted from its other end.
Origin origin(const Problem& problem) {
  Origin begin;
  const auto add = [&](std::int64_t extent, std::int64_t in_stride, std::int64_t out_stride) {
    if (out_stride >= 0 || extent < 2) return;
    begin.in += (extent - 1) * in_stride * problem.element_bytes;
    begin.out += (extent - 1) * out_stride * problem.element_bytes;
  };
  add(problem.cols, 1, problem.out_ld);
  for (const BatchDim& dim : problem.batch) add(dim.extent, dim.in_stride, dim.out_stride);
  return begin;
}

// Keeps of the alignments what addresses keep so many bytes away.
void align_to(Problem& problem, std::int64_t in, std::int64_t out) {
  problem.in_alignment = common_alignment(problem.in_alignment, static_cast<std::uint64_t>(in));
  problem.out_alignment = common_alignment(problem.out_alignment, static_cast<std::uint64_t>(out));
}

// A key that says these alignments.
std::string key_text(const Problem& problem, const Alignment& alignment) {
  std::string text = to_string(problem.device) + ' ' + std::to_string(problem.element_bytes) + ' ' +
                     std::to_string(alignment.in) + ' ' + std::to_string(alignment.out) +
                     (problem.in_place ? " in place" : "");
  for (const std::int64_t number : {problem.rows, problem.cols, problem.in_ld, problem.out_ld})
    text += ' ' + std::to_string(number);
  for (const BatchDim& dim : problem.batch)
    text += ' ' + std::to_string(dim.extent) + ':' + std::to_string(dim.in_stride) + ':' +
            std::to_string(dim.out_stride);
  return text;
}

}  // namespace

Layered layered(const Problem& problem) {
  check_sizes(problem);
  Layered parts{problem, {}, {}};
  Problem& folded = parts.layer;
  if (has_no_elements(folded) || stays_in_place(folded)) {
    folded.rows = folded.cols = folded.in_ld = folded.out_ld = 0;
    folded.batch.clear();
    return parts;
  }
  fill_leading_dimensions(folded);
  std::erase_if(folded.batch, [](const BatchDim& dim) { return dim.extent == 1; });
  if (folded.in_place) {
    check_in_place(folded);
    folded.in_alignment = folded.out_alignment =
        std::max(folded.in_alignment, folded.out_alignment);
  }
  in_span(folded);  // refuses what overflows, so that the products below cannot
  out_span(folded);
  parts.steps = take_interlocking(folded);
  parts.origin = origin(folded);
  align_to(folded, parts.origin.in, parts.origin.out);
  for (BatchDim& step : parts.steps) {
    step.in_stride *= folded.element_bytes;
    step.out_stride *= folded.element_bytes;
    align_to(folded, step.in_stride, step.out_stride);
  }
  fold(folded);
  return parts;
}

bool stays_in_place(const Problem& problem) {
  return problem.in_place && !has_no_elements(problem) && stays(problem);
}

bool is_empty(const Problem& problem) { return problem.rows == 0; }

std::int64_t element_count(const Problem& problem) {
  std::int64_t count = problem.rows * problem.cols;
  for (const BatchDim& dim : problem.batch) count *= dim.extent;
  return count;
}

std::int64_t in_low(const Problem& problem) {
  std::int64_t low = 0;
  const auto reach = [&](std::int64_t extent, std::int64_t stride) {
    if (stride < 0) low += (extent - 1) * stride;
  };
  reach(problem.rows, problem.in_ld);
  for (const BatchDim& dim : problem.batch) reach(dim.extent, dim.in_stride);
  return low;
}

std::int64_t in_span(const Problem& problem) {
  Span span{problem};
  span.reach(problem.rows, problem.in_ld);
  span.reach(problem.cols, 1);
  for (const BatchDim& dim : problem.batch) span.reach(dim.extent, dim.in_stride);
  return span.elements;
}

std::int64_t out_span(const Problem& problem) {
  Span span{problem};
  span.reach(problem.cols, problem.out_ld);
  span.reach(problem.rows, 1);
  for (const BatchDim& dim : problem.batch) span.reach(dim.extent, dim.out_stride);
  return span.elements;
}

bool is_of_matrices(const Problem& problem, std::size_t batch_rank) {
  const auto taken = std::span(problem.batch).first(std::min(batch_rank, problem.batch.size()));
  return problem.in_ld >= 0 &&
         std::ranges::none_of(taken, [](const BatchDim& dim) { return dim.in_stride < 0; });
}

std::int64_t parts_of_element(const Problem& problem) {
  return problem.element_bytes > 16 ? problem.element_bytes / 16 : 1;
}

Problem copy_of_same_bytes(const Problem& problem) {
  Problem copy = problem;
  copy.batch.clear();
  copy.rows = element_count(problem) / problem.cols;
  copy.cols = problem.cols * parts_of_element(problem);
  copy.element_bytes = std::min(problem.element_bytes, 16U);
  copy.in_ld = copy.out_ld = copy.cols;
  return copy;
}

xpose_problem to_abi(const Problem& problem, std::size_t batch_rank, const DeviceInfo& device) {
  xpose_problem abi{};
  abi.size = sizeof abi;
  abi.element_bytes = problem.element_bytes;
  abi.rows = problem.rows;
  abi.cols = problem.cols;
  abi.in_ld = problem.in_ld;
  abi.out_ld = problem.out_ld;
  abi.batch_rank = static_cast<std::uint32_t>(std::min(batch_rank, problem.batch.size()));
  for (std::uint32_t i = 0; i < abi.batch_rank; ++i)
    abi.batch[i] = {problem.batch[i].extent, problem.batch[i].in_stride,
                    problem.batch[i].out_stride};
  abi.in_place = problem.in_place ? 1 : 0;
  const Alignment rows = row_alignment(problem);
  abi.in_alignment = rows.in;
  abi.out_alignment = rows.out;
  abi.device_kind = problem.device.kind == DeviceKind::host ? XPOSE_HOST : XPOSE_CUDA;
  abi.device_ordinal = problem.device.ordinal;
  abi.compute_capability = device.compute_capability;
  abi.multiprocessors = device.multiprocessors;
  abi.cache_bytes = device.cache_bytes;
  return abi;
}

std::string key(const Problem& problem) { return key_text(problem, key_alignment(problem)); }

std::optional<Problem> problem_of_key(const std::string& text) {
  std::istringstream in(text);
  std::string device;
  Problem problem;
  in >> device >> problem.element_bytes >> problem.in_alignment >> problem.out_alignment;
  constexpr std::string_view kInPlace = " in place";
  problem.in_place = text.find(kInPlace) != std::string::npos;
  if (problem.in_place) in.ignore(kInPlace.size());
  in >> problem.rows >> problem.cols >> problem.in_ld >> problem.out_ld;
  if (device.starts_with("cuda:"))
    problem.device = {DeviceKind::cuda, std::atoi(device.c_str() + std::strlen("cuda:"))};
  BatchDim dim;
  char colon = 0;
  while (in >> dim.extent >> colon >> dim.in_stride >> colon >> dim.out_stride)
    problem.batch.push_back(dim);
  // Any other text differs from that of what was read of it.
  const Alignment read{problem.in_alignment, problem.out_alignment};
  return key_text(problem, read) == text ? std::optional(problem) : std::nullopt;
}

}  // namespace xpose
