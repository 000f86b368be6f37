#include "trial/verify.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cstring>
#include <thread>

namespace xpose {
namespace {

// Splits [0, count) among the processors when there is enough to do.
template <class Body>
void in_parallel(std::int64_t count, std::int64_t grain, const Body& body) {
  const std::int64_t workers = std::clamp<std::int64_t>(
      count / grain, 1, std::max<std::int64_t>(1, std::thread::hardware_concurrency()));
  const std::int64_t share = (count + workers - 1) / workers;
  std::vector<std::jthread> threads;
  for (std::int64_t begin = share; begin < count; begin += share)
    threads.emplace_back(
        [&body, begin, end = std::min(count, begin + share)] { body(begin, end); });
  body(0, std::min(count, share));
}

std::uint64_t mix(std::uint64_t x) {  // splitmix64's finaliser
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Elements as opaque bytes that Eigen only moves; any address will do.
template <std::size_t bytes>
struct Opaque {
  std::array<std::byte, bytes> value;
};

template <std::size_t bytes>
void transpose_matrix(const Problem& problem, const std::byte* in, std::byte* out) {
  using Element = Opaque<bytes>;
  using Matrix = Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stride = Eigen::OuterStride<>;
  const Eigen::Map<const Matrix, Eigen::Unaligned, Stride> source(
      reinterpret_cast<const Element*>(in), problem.rows, problem.cols, Stride(problem.in_ld));
  Eigen::Map<Matrix, Eigen::Unaligned, Stride> target(reinterpret_cast<Element*>(out), problem.cols,
                                                      problem.rows, Stride(problem.out_ld));
  // Tile by tile: Eigen's own loop over a whole large matrix misses the cache at every element.
  constexpr std::int64_t tile = 64;
  const std::int64_t bands = (problem.rows + tile - 1) / tile;
  in_parallel(
      bands, std::max<std::int64_t>(1, (1 << 20) / (tile * problem.cols)),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin * tile; r < std::min(end * tile, problem.rows); r += tile)
          for (std::int64_t c = 0; c < problem.cols; c += tile) {
            const std::int64_t height = std::min(tile, problem.rows - r);
            const std::int64_t width = std::min(tile, problem.cols - c);
            target.block(c, r, width, height) = source.block(r, c, height, width).transpose();
          }
      });
}

}  // namespace

std::array<std::byte, 16> element_value(std::int64_t index) {
  const auto i = static_cast<std::uint64_t>(index);
  const std::uint64_t high = i >> 32;
  const auto first = static_cast<std::uint32_t>(i + (high == 0 ? 0 : mix(high)));
  const auto second = static_cast<std::uint32_t>(mix(i + 1));
  const std::uint64_t third = mix(~i);
  std::array<std::byte, 16> value;
  std::memcpy(value.data(), &first, 4);
  std::memcpy(value.data() + 4, &second, 4);
  std::memcpy(value.data() + 8, &third, 8);
  return value;
}

std::array<std::byte, 16> number_value(std::int64_t index, std::uint32_t element_bytes) {
  // Exponents between the smallest and the largest leave zero, NaN, infinity and subnormals out.
  constexpr std::uint64_t double_bits = 0xbfffffffffffffffULL;
  constexpr std::uint64_t double_set = 0x2000000000000000ULL;
  std::array<std::byte, 16> value = element_value(index);
  if (element_bytes == 4) {  // 23 bits of mantissa, the sign, and 7 of the exponent's 8
    std::uint32_t bits = 0;
    std::memcpy(&bits, value.data(), 4);
    const std::uint32_t rest = bits >> 23;
    bits = (bits & 0x7fffffU) | ((64 + (rest & 0x7fU)) << 23) | ((rest >> 7) << 31);
    std::memcpy(value.data(), &bits, 4);
  }
  for (std::size_t at = 0; element_bytes >= 8 && at < element_bytes; at += 8) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, value.data() + at, 8);
    bits = (bits & double_bits) | double_set;
    std::memcpy(value.data() + at, &bits, 8);
  }
  return value;
}

void fill_with_index(std::byte* data, std::int64_t elements, std::uint32_t element_bytes,
                     Content content) {
  in_parallel(elements, 1 << 18, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (element_bytes >= 4) {
        const auto value =
            content == Content::numbers ? number_value(i, element_bytes) : element_value(i);
        std::memcpy(data + i * element_bytes, value.data(), element_bytes);
      } else {  // too narrow for an index: a hash of it
        const std::uint64_t hash = mix(static_cast<std::uint64_t>(i) + 1);
        std::memcpy(data + i * element_bytes, &hash, element_bytes);
      }
    }
  });
}

std::string describe_value(const std::byte* value, std::uint32_t bytes, std::int64_t elements) {
  if (bytes >= 4) {
    std::uint32_t index = 0;
    std::memcpy(&index, value, 4);
    const auto wanted = element_value(index);
    if (index < elements && std::memcmp(value, wanted.data(), bytes) == 0)
      return "input element " + std::to_string(index);
  }
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "bytes ";
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const auto byte = std::to_integer<unsigned>(value[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

void reference_transpose(const Problem& problem, const std::byte* in, std::byte* out) {
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

}  // namespace xpose
