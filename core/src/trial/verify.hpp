// The right result: inputs that encode their own index, and Eigen's transpose of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pattern/pattern.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

// "input element 12" where the bytes decode to one, else the bytes in hexadecimal. Of a fat element
// of so many parts the value is one of them: "bytes 16 to 31 of input element 12".
std::string describe_value(const std::byte* value, std::uint32_t bytes, std::int64_t elements,
                           std::int64_t parts = 1);
std::string describe_part(std::int64_t part);  // "bytes 16 to 31 of "

// [normal form, not empty] What an allocation of `bytes` must hold whose element 0 is at offset
// `begin`: an input, with its gaps filled too and as long as a copy of the same bytes reads; and
// its transpose; and [in place] what that transpose begins with.
Pattern input_pattern(const Problem& problem, std::uint64_t bytes, std::uint64_t begin);
// An input with guard bytes in its gaps, where the elements lie in nested dimensions; else as
// above.
Pattern input_elements_pattern(const Problem& problem, std::uint64_t bytes, std::uint64_t begin);
Pattern output_pattern(const Problem& problem, std::uint64_t bytes, std::uint64_t begin);
Pattern in_place_pattern(const Problem& problem, std::uint64_t bytes, std::uint64_t begin);

// The content of elements: any bits, or (from 4 bytes on) normal floating-point numbers, 16
// bytes as two, for strategies that do arithmetic on them. Numbers tell indices apart modulo 2^29.
enum class Content { bits, numbers };
void hold_numbers(Pattern& pattern);

// [normal form] Eigen's transpose; in and out are the addresses of element 0.
void reference_transpose(const Problem& normal, const std::byte* in, std::byte* out);

// [normal form] Where an output position, in elements from element 0, lies in the problem.
struct OutputPosition {
  bool is_element = false;  // false: in a gap between rows or batches
  std::int64_t row = 0;     // of the input
  std::int64_t col = 0;
  std::vector<std::int64_t> batch = {};
  std::int64_t in_index = 0;  // input position that belongs there, in elements
};
OutputPosition locate_output(const Problem& problem, std::int64_t position);
std::string describe(const Problem& problem, const OutputPosition& at);  // "out[1;7,5]"

}  // namespace xpose
