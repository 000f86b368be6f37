#include "run/piece_writer.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kPiecesAtOnce = 4096;  // that are remembered; they keep many threads busy

}  // namespace

// Both parts of a page that two pieces share go through the cache.
void PieceWriter::write(std::uint64_t offset, std::span<const std::byte> bytes,
                        const Neighbours& written) {
  const ByteRange direct = file_.direct_part_of({offset, offset + bytes.size()});
  if (direct.size() == 0) return file_.write(offset, bytes, written);
  const std::size_t head = direct.begin - offset;
  file_.write(offset, bytes.first(head), {written.before, false});
  file_.write(direct.end, bytes.subspan(head + direct.size()), {true, written.behind});
  long_.push_back({direct.begin, bytes.subspan(head, direct.size())});
  if (long_.size() == kPiecesAtOnce) finish();
}

void PieceWriter::finish() {
  if (!long_.empty()) file_.write_direct(long_);
  long_.clear();
}

}  // namespace xpose::app
