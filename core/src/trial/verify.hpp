// What is right: inputs that encode their own index, and Eigen's transpose of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "xpose/xpose.hpp"

namespace xpose {

// The value of the element at a linear index: its first `bytes` bytes. Neighbours differ, and so do
// indices that are equal modulo 2^32, so that a wrapped index shows. From 4 bytes on, an index
// below 2^32 can be read back with decode_index.
std::array<std::byte, 16> element_value(std::int64_t index);

// "element 12 of the input" where the bytes decode to one, else the bytes in hexadecimal.
std::string describe_value(const std::byte* value, std::uint32_t bytes, std::int64_t elements);

// What elements hold: any bits, or (from 4 bytes on) those of normal floating-point numbers, 16
// bytes as two, for strategies that do arithmetic on them. Numbers tell indices apart modulo 2^31.
enum class Content { bits, numbers };
std::array<std::byte, 16> number_value(std::int64_t index, std::uint32_t element_bytes);

// Fills `elements` elements with their values.
void fill_with_index(std::byte* data, std::int64_t elements, std::uint32_t element_bytes,
                     Content content = Content::bits);

// [normal form] Eigen's transpose; in and out are the addresses of element 0.
void reference_transpose(const Problem& problem, const std::byte* in, std::byte* out);

// [normal form] Where an output position, in elements from element 0, lies in the problem.
struct OutputPosition {
  bool is_element = false;  // false: in a gap between rows or batches
  std::int64_t row = 0;     // of the input
  std::int64_t col = 0;
  std::array<std::int64_t, 8> batch{};
  std::int64_t in_index = 0;  // input position that belongs there, in elements
};
OutputPosition locate_output(const Problem& problem, std::int64_t position);

}  // namespace xpose
