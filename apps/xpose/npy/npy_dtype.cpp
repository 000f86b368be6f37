#include "npy/npy_dtype.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "output/excerpt.hpp"

namespace xpose::app {
namespace {

constexpr std::uint64_t kMaxItem = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void fail_unknown(const Literal& literal, const std::string& expected) {
  throw std::runtime_error("the dtype " + excerpt(literal.source) + " is unknown: expected " +
                           expected);
}

std::uint64_t checked_item(std::uint64_t bytes) {
  if (bytes > kMaxItem) throw std::runtime_error("the dtype's item exceeds 2^31 - 1 bytes");
  return bytes;
}

// The sizes that NumPy has for a kind of number; nothing for kinds of any size.
std::vector<std::uint64_t> sizes_of(char kind) {
  switch (kind) {
    case 'b':
      return {1};
    case 'i':
    case 'u':
      return {1, 2, 4, 8};
    case 'f':
      return {2, 4, 8, 12, 16};
    case 'c':
      return {8, 16, 24, 32};
    case 'm':
    case 'M':
      return {8};
    default:
      return {};
  }
}

// "[ns]", "[25s]"
bool is_time_unit(std::string_view text) {
  return text.size() > 2 && text.front() == '[' && text.back() == ']' &&
         std::ranges::all_of(text.substr(1, text.size() - 2), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '/';
         });
}

// '<f4': an optional byte order, a kind, its size in bytes (U: in characters of 4), a time's unit
std::uint64_t type_string_bytes(const Literal& descr) {
  const std::string expected = "a type string like '<f4'";
  std::string_view rest = descr.text;
  if (!rest.empty() && std::string_view("<>|=").find(rest.front()) != rest.npos)
    rest.remove_prefix(1);
  if (rest.empty()) fail_unknown(descr, expected);
  const char kind = rest.front();
  rest.remove_prefix(1);
  if (kind == 'O')
    throw std::runtime_error("the dtype " + excerpt(descr.source) +
                             " holds Python objects, whose bytes mean nothing in a file: convert "
                             "the array to a plain dtype");
  std::uint32_t size = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  if (error == std::errc::result_out_of_range) return checked_item(kMaxItem + 1);
  if (error != std::errc()) fail_unknown(descr, expected);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  const bool is_time = kind == 'm' || kind == 'M';
  if (!rest.empty() && !(is_time && is_time_unit(rest))) fail_unknown(descr, expected);
  if (kind == 'S' || kind == 'a' || kind == 'V') return checked_item(size);
  if (kind == 'U') return checked_item(std::uint64_t{4} * size);
  if (std::ranges::count(sizes_of(kind), size) == 0) fail_unknown(descr, expected);
  return size;
}

// The elements of a field's sub-array: (2, 3), or 6.
std::uint64_t subarray_items(const Literal& shape) {
  const bool single = shape.kind == Literal::Kind::integer;
  if (!single && shape.kind != Literal::Kind::tuple) fail_unknown(shape, "a sub-array's shape");
  std::uint64_t items = 1;
  for (const Literal& extent : single ? std::vector{shape} : shape.items) {
    if (extent.kind != Literal::Kind::integer || extent.number < 0)
      fail_unknown(shape, "a sub-array's shape");
    if (extent.number > static_cast<std::int64_t>(kMaxItem)) return checked_item(kMaxItem + 1);
    items = checked_item(items * static_cast<std::uint64_t>(extent.number));
  }
  return items;
}

bool is_field_name(const Literal& name) {
  const auto is_string = [](const Literal& l) { return l.kind == Literal::Kind::string; };
  return is_string(name) || (name.kind == Literal::Kind::tuple && name.items.size() == 2 &&
                             std::ranges::all_of(name.items, is_string));  // (title, name)
}

// A field's type: a type string, a list of fields, or (type, shape).
std::uint64_t field_type_bytes(const Literal& type) {
  if (type.kind != Literal::Kind::tuple) return item_bytes(type);
  if (type.items.size() != 2) fail_unknown(type, "a (type, shape)");
  return checked_item(field_type_bytes(type.items[0]) * subarray_items(type.items[1]));
}

// (name, type) or (name, type, shape)
std::uint64_t field_bytes(const Literal& field) {
  const std::size_t parts = field.kind == Literal::Kind::tuple ? field.items.size() : 0;
  if ((parts != 2 && parts != 3) || !is_field_name(field.items[0]))
    fail_unknown(field, "a field (name, type) or (name, type, shape)");
  const std::uint64_t bytes = field_type_bytes(field.items[1]);
  return parts == 2 ? bytes : checked_item(bytes * subarray_items(field.items[2]));
}

}  // namespace

std::uint64_t item_bytes(const Literal& descr) {
  if (descr.kind == Literal::Kind::string) return type_string_bytes(descr);
  if (descr.kind != Literal::Kind::list) fail_unknown(descr, "a type string or a list of fields");
  std::uint64_t bytes = 0;
  for (const Literal& field : descr.items) bytes = checked_item(bytes + field_bytes(field));
  return bytes;
}

}  // namespace xpose::app
