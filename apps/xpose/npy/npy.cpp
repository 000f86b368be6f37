#include "npy/npy.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "npy/npy_dtype.hpp"
#include "npy/python_literal.hpp"
#include "output/excerpt.hpp"

namespace xpose::app {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kMaxHeader = std::uint64_t{1} << 20;
constexpr std::size_t kMaxRank = 64;  // NumPy's
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kGrowthDigits = 21;  // NumPy's room for a first axis that grows in place

std::string latin1_to_utf8(std::string_view latin1) {
  std::string utf8;
  for (const char c : latin1) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xC0 | (byte >> 6));
      utf8 += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return utf8;
}

// The code points of a UTF-8 text; nothing where it is not valid UTF-8.
std::optional<std::u32string> code_points(std::string_view utf8) {
  std::u32string points;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto lead = static_cast<unsigned char>(utf8[i++]);
    const int more = lead < 0x80 ? 0 : lead < 0xC2 ? -1 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    if (more < 0 || lead > 0xF4) return std::nullopt;
    char32_t point = more == 0 ? lead : lead & (0x3Fu >> more);
    for (int j = 0; j < more; ++j, ++i) {
      if (i == utf8.size() || (static_cast<unsigned char>(utf8[i]) & 0xC0) != 0x80)
        return std::nullopt;
      point = (point << 6) | (static_cast<unsigned char>(utf8[i]) & 0x3F);
    }
    const bool overlong = (more == 2 && point < 0x800) || (more == 3 && point < 0x10000);
    const bool surrogate = point >= 0xD800 && point < 0xE000;
    if (overlong || surrogate || point > 0x10FFFF) return std::nullopt;
    points += point;
  }
  return points;
}

// Nothing where a character is not of Latin-1.
std::optional<std::string> utf8_to_latin1(std::string_view utf8) {
  const std::optional<std::u32string> points = code_points(utf8);
  if (!points || std::ranges::any_of(*points, [](char32_t point) { return point > 0xFF; }))
    return std::nullopt;
  std::string latin1;
  for (const char32_t point : *points) latin1 += static_cast<char>(point);
  return latin1;
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

struct HeaderText {
  std::string text;             // UTF-8
  std::uint64_t data_offset{};  // bytes
};

// The dict's text out of magic, version, length and text.
HeaderText header_text(std::string_view file) {
  if (!file.starts_with(kMagic))
    throw NpyError(
        "not a .npy file: it does not begin with \\x93NUMPY; a file of elements alone needs --raw "
        "with --shape and --dtype");
  if (file.size() < kMagic.size() + 2) throw NpyError("the file ends within its format version");
  const int major = static_cast<unsigned char>(file[6]);
  const int minor = static_cast<unsigned char>(file[7]);
  if (major < 1 || major > 3 || minor != 0)
    throw NpyError("the .npy format version " + std::to_string(major) + '.' +
                   std::to_string(minor) + " is unknown: versions 1.0, 2.0 and 3.0 are read");
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = kMagic.size() + 2 + length_bytes;
  if (file.size() < begin) throw NpyError("the file ends within its header's length");
  const std::uint64_t length = little_endian(file.substr(begin - length_bytes, length_bytes));
  if (length > kMaxHeader)
    throw NpyError("the header claims " + std::to_string(length) + " bytes: at most " +
                   std::to_string(kMaxHeader) + " are read");
  if (file.size() - begin < length)
    throw NpyError("the header is truncated: it claims " + std::to_string(length) +
                   " bytes and the file has " + std::to_string(file.size() - begin) + " left");
  const std::string_view text = file.substr(begin, length);
  if (major == 3 && !code_points(text)) throw NpyError("the header is not valid UTF-8");
  return {major == 3 ? std::string(text) : latin1_to_utf8(text), begin + length};
}

// The values of 'descr', 'fortran_order' and 'shape'.
std::array<const Literal*, 3> header_values(const Literal& dict) {
  constexpr std::array<std::string_view, 3> kKeys = {"descr", "fortran_order", "shape"};
  if (dict.kind != Literal::Kind::dict)
    throw NpyError("the header is not a dict: '" + excerpt(dict.source) + '\'');
  std::array<const Literal*, 3> values{};
  for (std::size_t i = 0; i < dict.items.size(); i += 2) {
    const Literal& key = dict.items[i];
    const auto known = std::ranges::find(kKeys, key.text);
    if (key.kind != Literal::Kind::string || known == kKeys.end())
      throw NpyError("the header has an unknown key, " + excerpt(key.source));
    const Literal*& value = values[static_cast<std::size_t>(known - kKeys.begin())];
    if (value != nullptr)
      throw NpyError("the header has the key " + excerpt(key.source) + " twice");
    value = &dict.items[i + 1];
  }
  for (std::size_t i = 0; i < kKeys.size(); ++i)
    if (values[i] == nullptr)
      throw NpyError("the header lacks the key '" + std::string(kKeys[i]) + '\'');
  return values;
}

std::vector<std::int64_t> shape_of(const Literal& literal) {
  if (literal.kind != Literal::Kind::tuple)
    throw NpyError("the shape " + excerpt(literal.source) + " is not a tuple");
  if (literal.items.size() > kMaxRank)
    throw NpyError("the shape has " + std::to_string(literal.items.size()) +
                   " dimensions: at most " + std::to_string(kMaxRank) + " are read");
  std::vector<std::int64_t> shape;
  for (const Literal& extent : literal.items) {
    if (extent.kind != Literal::Kind::integer)
      throw NpyError("the shape " + excerpt(literal.source) +
                     " holds an extent that is not an integer");
    if (extent.number < 0)
      throw NpyError("the shape " + excerpt(literal.source) + " has a negative dimension");
    shape.push_back(extent.number);
  }
  return shape;
}

// Like NumPy, refuses even an empty array whose other extents could not be counted in 63 bits.
std::uint64_t data_bytes_of(const std::vector<std::int64_t>& shape, std::uint64_t item_bytes) {
  std::uint64_t bytes = std::max<std::uint64_t>(item_bytes, 1);
  bool empty = item_bytes == 0;
  for (const std::int64_t extent : shape) {
    empty = empty || extent == 0;
    const auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
    if (bytes > std::numeric_limits<std::int64_t>::max() / factor)
      throw NpyError("the shape overflows: its elements of " + std::to_string(item_bytes) +
                     " bytes exceed 2^63 bytes");
    bytes *= factor;
  }
  return empty ? 0 : bytes;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// Magic, version, length, text, and spaces up to a line feed that ends on a multiple of 64 bytes.
std::string wrapped(char major, std::string text) {
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = kMagic.size() + 2 + length_bytes;
  text.append(kAlignment - (begin + text.size() + 1) % kAlignment, ' ');
  text += '\n';
  std::string header(kMagic);
  header += major;
  header += '\0';
  for (std::size_t i = 0; i < length_bytes; ++i)
    header += static_cast<char>((text.size() >> (8 * i)) & 0xFF);
  return header + text;
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> file) try {
  const auto [text, data_offset] =
      header_text({reinterpret_cast<const char*>(file.data()), file.size()});
  const Literal dict = parse_literal(text, "the header");
  const auto [descr, fortran_order, shape] = header_values(dict);
  if (fortran_order->kind != Literal::Kind::boolean)
    throw NpyError("the header's fortran_order is " + excerpt(fortran_order->source) +
                   ", neither True nor False");
  NpyHeader header{.descr = std::string(descr->source),
                   .fortran_order = fortran_order->number == 1,
                   .shape = shape_of(*shape),
                   .item_bytes = item_bytes(*descr),
                   .data_offset = data_offset};
  header.data_bytes = data_bytes_of(header.shape, header.item_bytes);
  return header;
} catch (const NpyError&) {
  throw;
} catch (const std::runtime_error& error) {
  throw NpyError(error.what());
}

NpyHeader headerless(std::string_view dtype, std::vector<std::int64_t> shape) try {
  const bool is_list = dtype.starts_with('[');
  NpyHeader header{.descr = is_list ? std::string(dtype) : '\'' + std::string(dtype) + '\'',
                   .shape = std::move(shape)};
  header.item_bytes = item_bytes(parse_literal(header.descr, "the dtype"));
  header.data_bytes = data_bytes_of(header.shape, header.item_bytes);
  return header;
} catch (const NpyError&) {
  throw;
} catch (const std::runtime_error& error) {
  throw NpyError(error.what());
}

void check_npy_size(const NpyHeader& header, std::uint64_t file_bytes) {
  const std::uint64_t needed = header.data_offset + header.data_bytes;
  if (file_bytes < needed)
    throw NpyError("the file is truncated: its header asks for " + std::to_string(needed) +
                   " bytes and it has " + std::to_string(file_bytes));
}

std::string format_npy_header(std::string_view descr, bool fortran_order,
                              std::span<const std::int64_t> shape) {
  if (shape.size() > kMaxRank)
    throw NpyError("the output would have " + std::to_string(shape.size()) +
                   " dimensions: a .npy file has at most " + std::to_string(kMaxRank) +
                   "; give fewer axes");
  std::string text = "{'descr': " + std::string(descr) +
                     ", 'fortran_order': " + (fortran_order ? "True" : "False") +
                     ", 'shape': " + shape_text(shape) + ", }";
  if (!shape.empty()) {
    const std::int64_t growing = fortran_order ? shape.back() : shape.front();
    text.append(kGrowthDigits - std::to_string(growing).size(), ' ');
  }
  const std::optional<std::string> latin1 = utf8_to_latin1(text);
  if (!latin1) return wrapped(3, text);
  constexpr std::size_t kMaxVersion1 = 65535 + 10;  // the text, and the ten bytes before it
  std::string version1 = wrapped(1, *latin1);
  return version1.size() <= kMaxVersion1 ? version1 : wrapped(2, *latin1);
}

std::string dtype_name(const NpyHeader& header) {
  std::string_view name = header.descr;
  const bool quoted = name.size() >= 2 && (name.front() == '\'' || name.front() == '"');
  return excerpt(quoted ? name.substr(1, name.size() - 2) : name);
}

}  // namespace xpose::app
