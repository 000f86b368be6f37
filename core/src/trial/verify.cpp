#include "trial/verify.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "problem/normal_form.hpp"
#include "threads/parallel.hpp"

namespace xpose {
namespace {

// Elements as opaque bytes that Eigen only moves; any address will do.
template <std::size_t bytes>
struct Opaque {
  std::array<std::byte, bytes> value;
};

// in and out are the addresses of a part of the first element: for fat elements Eigen sees one of
// their parts at a time, so many of them apart.
template <std::size_t bytes>
void transpose_parts(const Problem& problem, const std::byte* in, std::byte* out) {
  using Element = Opaque<bytes>;
  using Matrix = Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stride = Eigen::Stride<Eigen::Dynamic, bytes == 16 ? Eigen::Dynamic : 1>;
  const std::int64_t parts = parts_of_element(problem);
  const Eigen::Map<const Matrix, Eigen::Unaligned, Stride> source(
      reinterpret_cast<const Element*>(in), problem.rows, problem.cols,
      Stride(problem.in_ld * parts, parts));
  Eigen::Map<Matrix, Eigen::Unaligned, Stride> target(reinterpret_cast<Element*>(out), problem.cols,
                                                      problem.rows,
                                                      Stride(problem.out_ld * parts, parts));
  // Tile by tile: Eigen's own loop over a whole large matrix misses the cache at every element.
  constexpr std::int64_t kTile = 64;
  const std::int64_t bands = (problem.rows + kTile - 1) / kTile;
  in_parallel(
      bands, std::max<std::int64_t>(1, (1 << 20) / (kTile * problem.cols)),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin * kTile; r < std::min(end * kTile, problem.rows); r += kTile)
          for (std::int64_t c = 0; c < problem.cols; c += kTile) {
            const std::int64_t height = std::min(kTile, problem.rows - r);
            const std::int64_t width = std::min(kTile, problem.cols - c);
            target.block(c, r, width, height) = source.block(r, c, height, width).transpose();
          }
      });
}

template <std::size_t bytes>
void transpose_matrix(const Problem& problem, const std::byte* in, std::byte* out) {
  for (std::int64_t part = 0; part < parts_of_element(problem); ++part)
    transpose_parts<bytes>(problem, in + part * 16, out + part * 16);
}

struct Strides {  // of rows and columns, in elements
  std::int64_t rows;
  std::int64_t cols;
};

// The matrices of a problem, laid out with these strides and the output's from one to the next.
Pattern matrix_pattern(const Problem& problem, std::uint64_t bytes, std::uint64_t begin,
                       Strides strides) {
  Pattern pattern;
  pattern.bytes = bytes;
  pattern.begin = begin;
  const std::int64_t parts = parts_of_element(problem);
  pattern.span = out_span(problem) * parts;
  pattern.element_bytes = std::min(problem.element_bytes, 16U);
  pattern.first_index = -in_low(problem) * parts;
  std::vector<Pattern::Dim> dims = {{problem.rows, strides.rows, problem.in_ld},
                                    {problem.cols, strides.cols, 1}};
  for (const BatchDim& dim : problem.batch)
    dims.push_back({dim.extent, dim.out_stride, dim.in_stride});
  for (Pattern::Dim& dim : dims) dim.stride *= parts, dim.in_stride *= parts;
  dims.push_back({parts, 1, 1});
  std::erase_if(dims, [](const Pattern::Dim& dim) { return dim.extent == 1; });
  std::ranges::sort(dims, std::ranges::greater{}, &Pattern::Dim::stride);
  for (const Pattern::Dim& dim : dims) {
    if (problem.in_place && problem.element_bytes < 4) {
      if (dim.stride == strides.rows) pattern.row_dim = pattern.rank;
      if (dim.stride == strides.cols) pattern.col_dim = pattern.rank;
    }
    pattern.dims[pattern.rank++] = dim;
  }
  return pattern;
}

}  // namespace

Pattern input_pattern(const Problem& problem, std::uint64_t bytes, std::uint64_t begin) {
  Pattern pattern;
  pattern.bytes = bytes;
  pattern.begin = begin;
  pattern.span = std::max(in_span(problem), element_count(problem)) * parts_of_element(problem);
  pattern.element_bytes = std::min(problem.element_bytes, 16U);
  pattern.dims[pattern.rank++] = {pattern.span, 1, 1};
  return pattern;
}

Pattern input_elements_pattern(const Problem& problem, std::uint64_t bytes, std::uint64_t begin) {
  Pattern pattern = input_pattern(problem, bytes, begin);
  const std::int64_t parts = parts_of_element(problem);
  // Counted from the lowest element on, whichever way an axis goes.
  const auto step = [parts](std::int64_t stride) { return std::abs(stride) * parts; };
  std::vector<Pattern::Dim> dims = {{problem.rows, step(problem.in_ld), step(problem.in_ld)},
                                    {problem.cols, parts, parts},
                                    {parts, 1, 1}};
  for (const BatchDim& dim : problem.batch)
    dims.push_back({dim.extent, step(dim.in_stride), step(dim.in_stride)});
  std::erase_if(dims, [](const Pattern::Dim& dim) { return dim.extent == 1 || dim.stride == 0; });
  std::ranges::sort(dims, {}, &Pattern::Dim::stride);
  std::int64_t span = 1;
  for (const Pattern::Dim& dim : dims) {
    if (dim.stride < span) return pattern;  // elements are read more than once
    span += (dim.extent - 1) * dim.stride;
  }
  pattern.span = span;
  std::reverse_copy(dims.begin(), dims.end(), pattern.dims);
  pattern.rank = static_cast<int>(dims.size());
  return pattern;
}

Pattern output_pattern(const Problem& problem, std::uint64_t bytes, std::uint64_t begin) {
  return matrix_pattern(problem, bytes, begin, {1, problem.out_ld});
}

Pattern in_place_pattern(const Problem& problem, std::uint64_t bytes, std::uint64_t begin) {
  return matrix_pattern(problem, bytes, begin, {problem.in_ld, 1});
}

void hold_numbers(Pattern& pattern) {
  // Exponents between the smallest and the largest leave zero, NaN, infinity and subnormals out.
  const int top = pattern.element_bytes == 4 ? 30 : 62;
  pattern.keep = ~(std::uint64_t{1} << top);
  pattern.set = std::uint64_t{1} << (top - 1);
}

std::string describe_part(std::int64_t part) {
  return "bytes " + std::to_string(part * 16) + " to " + std::to_string(part * 16 + 15) + " of ";
}

std::string describe_value(const std::byte* value, std::uint32_t bytes, std::int64_t elements,
                           std::int64_t parts) {
  if (bytes >= 4) {
    std::uint32_t index = 0;
    std::memcpy(&index, value, 4);
    index -= kFirstIndexBits;
    const ElementBits wanted = element_bits(index, bytes);
    if (index < elements * parts && std::memcmp(value, &wanted, bytes) == 0)
      return (parts > 1 ? describe_part(index % parts) : "") + "input element " +
             std::to_string(index / parts);
  }
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "bytes ";
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const auto byte = std::to_integer<unsigned>(value[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

void reference_transpose(const Problem& normal, const std::byte* in, std::byte* out) {
  Problem problem = normal;
  if (problem.in_ld < 0) {  // Eigen counts rows forwards
    problem.batch.push_back({problem.rows, problem.in_ld, 1});
    problem.rows = 1;
    problem.in_ld = problem.cols;
  }
  std::int64_t batches = 1;
  for (const BatchDim& dim : problem.batch) batches *= dim.extent;
  for (std::int64_t b = 0; b < batches; ++b) {
    std::int64_t rest = b;
    std::int64_t in_offset = 0;
    std::int64_t out_offset = 0;
    for (const BatchDim& dim : problem.batch) {
      in_offset += rest % dim.extent * dim.in_stride;
      out_offset += rest % dim.extent * dim.out_stride;
      rest /= dim.extent;
    }
    const std::byte* source = in + in_offset * problem.element_bytes;
    std::byte* target = out + out_offset * problem.element_bytes;
    switch (problem.element_bytes) {
      case 1:
        transpose_matrix<1>(problem, source, target);
        break;
      case 2:
        transpose_matrix<2>(problem, source, target);
        break;
      case 4:
        transpose_matrix<4>(problem, source, target);
        break;
      case 8:
        transpose_matrix<8>(problem, source, target);
        break;
      default:
        transpose_matrix<16>(problem, source, target);
        break;
    }
  }
}

OutputPosition locate_output(const Problem& problem, std::int64_t position) {
  struct Step {
    std::int64_t extent, out_stride, in_stride;
    std::int64_t* index;
  };
  OutputPosition found;
  found.batch.resize(problem.batch.size());
  std::vector<Step> steps = {{problem.rows, 1, problem.in_ld, &found.row},
                             {problem.cols, problem.out_ld, 1, &found.col}};
  for (std::size_t i = 0; i < problem.batch.size(); ++i)
    steps.push_back({problem.batch[i].extent, problem.batch[i].out_stride,
                     problem.batch[i].in_stride, &found.batch.at(i)});
  std::ranges::sort(steps, std::ranges::greater{}, &Step::out_stride);
  for (const Step& step : steps) {
    if (step.extent == 1) continue;
    *step.index = std::min(position / step.out_stride, step.extent - 1);
    position -= *step.index * step.out_stride;
    found.in_index += *step.index * step.in_stride;
  }
  found.is_element = position == 0;
  return found;
}

std::string describe(const Problem& problem, const OutputPosition& at) {
  std::string text = "out[";
  for (std::size_t i = 0; i < problem.batch.size(); ++i)
    text += std::to_string(at.batch.at(i)) + ';';
  return text + std::to_string(at.col) + ',' + std::to_string(at.row) + ']';
}

}  // namespace xpose
