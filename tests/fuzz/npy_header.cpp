// The header of a .npy file: what is read can be written, and reads the same again.
#include <span>
#include <string>

#include "fuzz.hpp"
#include "npy/npy.hpp"

namespace {

using namespace xpose::app;
using xpose::fuzz::require;
using xpose::fuzz::require_sentence;

// Whether the bytes are refused; a refusal is an NpyError with a sentence.
template <class Read>
bool is_refused(const Read& read) {
  try {
    read();
    return false;
  } catch (const NpyError& error) {
    require_sentence(error.what());
    return true;
  }
}

void check(const NpyHeader& header, std::span<const std::byte> file) {
  require(header.data_offset <= file.size(), "a header lies within its file");
  require(header.data_bytes < std::uint64_t{1} << 63, "an array has less than 2^63 bytes");
  require(is_refused([&] { parse_npy_header(file.first(header.data_offset - 1)); }),
          "a header that lacks its last byte is refused");
  const bool whole = file.size() - header.data_offset >= header.data_bytes;
  require(is_refused([&] { check_npy_size(header, file.size()); }) == !whole,
          "data is refused exactly where the file ends before it");
  require_sentence(dtype_name(header) + '.');
}

void check_written(const NpyHeader& header) {
  const std::string bytes = format_npy_header(header.descr, header.fortran_order, header.shape);
  require(bytes.size() % 64 == 0, "a header ends at a multiple of 64 bytes");
  const NpyHeader again = parse_npy_header(std::as_bytes(std::span(bytes)));
  require(again.data_offset == bytes.size(), "a written header is read to its end");
  require(again.descr == header.descr && again.fortran_order == header.fortran_order &&
              again.shape == header.shape && again.item_bytes == header.item_bytes &&
              again.data_bytes == header.data_bytes,
          "a header that is read, written and read again is the same");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  NpyHeader header;
  if (is_refused([&] { header = parse_npy_header(file); })) return 0;
  check(header, file);
  check_written(header);
  return 0;
}
