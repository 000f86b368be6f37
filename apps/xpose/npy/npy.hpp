// NumPy's array files, .npy of format 1.0, 2.0 and 3.0:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace xpose::app {

// A fault in the content of a .npy file, as one sentence without the file's name.
class NpyError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct NpyHeader {
  std::string descr;           // the dtype as the header writes it, in UTF-8
  bool fortran_order = false;  // the first axis varies fastest in memory
  std::vector<std::int64_t> shape;
  std::uint64_t item_bytes = 0;   // of one element
  std::uint64_t data_offset = 0;  // bytes from the start of the file to element 0
  std::uint64_t data_bytes = 0;   // product of the shape times item_bytes, below 2^63
};

// Bytes from the start of a file that hold its header, whatever its length.
inline constexpr std::uint64_t kMaxNpyHeaderBytes = (std::uint64_t{1} << 20) + 12;

// The header at the start of a file. Needs no more of the file than the header itself.
// Throws NpyError for all but a well-formed header of at most 1 MiB, and for a dtype that holds
// Python objects.
NpyHeader parse_npy_header(std::span<const std::byte> file);

// The array of a file that has elements and no header, in C order. dtype: as NumPy's dtype.str,
// "<f4" or "V12", or a list of fields. Throws NpyError.
NpyHeader headerless(std::string_view dtype, std::vector<std::int64_t> shape);

// Throws NpyError where a file of so many bytes ends before the elements do.
void check_npy_size(const NpyHeader& header, std::uint64_t file_bytes);

// The bytes that NumPy puts before the elements of such an array, a multiple of 64 of them: format
// 1.0, or 2.0 where the header passes 65535 bytes, or 3.0 where it is not Latin-1. Throws NpyError
// for more than 64 dimensions, which neither NumPy nor parse_npy_header() reads.
std::string format_npy_header(std::string_view descr, bool fortran_order,
                              std::span<const std::int64_t> shape);

// The dtype for a message: "<f4", "[('x', '<f4'), ('y', '<i4')]".
std::string dtype_name(const NpyHeader& header);

}  // namespace xpose::app
