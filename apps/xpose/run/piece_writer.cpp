#include "run/piece_writer.hpp"

#include <algorithm>
#include <utility>

namespace xpose::app {
namespace {

constexpr std::size_t kPiecesAtOnce = 1024;  // that are remembered; they keep many threads busy
constexpr std::size_t kLeastJoined = 512;    // bytes: a page is copied once for each piece of it

}  // namespace

bool PieceWriter::joins(std::size_t bytes) const {
  return file_.edges() != nullptr && bytes >= kLeastJoined;
}

// The parts of a page that pieces share are joined, or else go through the cache.
void PieceWriter::write(std::uint64_t offset, std::span<const std::byte> bytes,
                        const Neighbours& written) {
  if (joins(bytes.size())) {
    Sectors piece{offset, bytes};
    join_head(piece, written);
    join_tail(piece, written.behind);
    if (piece.size() != 0) put(std::move(piece));
    return;
  }
  const ByteRange direct = file_.direct_part_of({offset, offset + bytes.size()});
  if (direct.size() == 0) return file_.write(offset, bytes, written);
  const std::size_t head = direct.begin - offset;
  file_.write(offset, bytes.first(head), {written.before, false});
  file_.write(direct.end, bytes.subspan(head + direct.size()), {true, written.behind});
  put({direct.begin, bytes.subspan(head, direct.size())});
}

// Takes what others have of the first page if that is its beginning, else leaves the own part of it
// to them.
void PieceWriter::join_head(Sectors& piece, const Neighbours& written) {
  const std::uint64_t begin = piece.offset;
  const std::size_t in_page = begin % BandPlan::kPage;
  if (in_page == 0) return;
  auto edge = file_.edges()->take_ending_at(begin);
  if (edge && edge->size() == in_page) {
    piece.offset -= in_page;
    piece.before = *std::move(edge);
    return;
  }
  const std::size_t size = std::min<std::size_t>(BandPlan::kPage - in_page, piece.bytes.size());
  const bool is_last = size == piece.bytes.size();
  const auto head = piece.bytes.first(size);
  piece.offset += size;
  piece.bytes = piece.bytes.subspan(size);
  if (written.before && !edge) return file_.write(begin, head, {true, is_last && written.behind});
  if (!edge) edge.emplace();
  const std::uint64_t edge_begin = begin - edge->size();
  edge->insert(edge->end(), head.begin(), head.end());
  if (is_last)
    if (const auto behind = file_.edges()->take_beginning_at(piece.offset))
      edge->insert(edge->end(), behind->begin(), behind->end());
  leave(edge_begin, *std::move(edge), PageEdges::Wait::later);
}

// The same of the last page and of what lies behind.
void PieceWriter::join_tail(Sectors& piece, bool is_written_behind) {
  const std::uint64_t end = piece.offset + piece.size();
  const std::size_t in_page = end % BandPlan::kPage;
  if (piece.size() == 0 || in_page == 0) return;
  auto behind = file_.edges()->take_beginning_at(end);
  if (behind && in_page + behind->size() == BandPlan::kPage) {
    piece.behind = *std::move(behind);
    return;
  }
  std::vector<std::byte> edge;
  if (piece.size() == in_page) std::swap(edge, piece.before);
  const std::size_t own = in_page - edge.size();
  const auto tail = piece.bytes.last(own);
  edge.insert(edge.end(), tail.begin(), tail.end());
  piece.bytes = piece.bytes.first(piece.bytes.size() - own);
  if (is_written_behind && !behind) return file_.write(end - in_page, edge, {true, true});
  if (behind) edge.insert(edge.end(), behind->begin(), behind->end());
  leave(end - in_page, std::move(edge), PageEdges::Wait::next);
}

void PieceWriter::leave(std::uint64_t offset, std::vector<std::byte> edge, PageEdges::Wait wait) {
  if (!file_.edges()->keep(offset, edge, wait)) file_.write(offset, edge, {});
}

void PieceWriter::put(Sectors piece) {
  pieces_.push_back(std::move(piece));
  if (pieces_.size() == kPiecesAtOnce) finish();
}

void PieceWriter::finish() {
  if (!pieces_.empty()) file_.write_direct(std::move(pieces_));
  pieces_.clear();
}

}  // namespace xpose::app
