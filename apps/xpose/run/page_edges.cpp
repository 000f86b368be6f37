#include "run/page_edges.hpp"

#include <utility>

namespace xpose::app {
namespace {

// Bytes that the maps and the allocator take for each part.
constexpr std::uint64_t kForPart = 192;

}  // namespace

bool PageEdges::keep(std::uint64_t offset, Bytes& bytes, Wait wait) {
  const std::uint64_t memory = bytes.size() + kForPart;
  if (memory_ + memory > (wait == Wait::next ? most_ : most_ / 2)) return false;
  begin_.insert_or_assign(offset + bytes.size(), offset);
  parts_.insert_or_assign(offset, std::move(bytes));
  memory_ += memory;
  return true;
}

std::optional<PageEdges::Bytes> PageEdges::take_ending_at(std::uint64_t end) {
  const auto begin = begin_.find(end);
  return begin == begin_.end() ? std::nullopt : take_beginning_at(begin->second);
}

std::optional<PageEdges::Bytes> PageEdges::take_beginning_at(std::uint64_t begin) {
  auto part = parts_.extract(begin);
  if (part.empty()) return std::nullopt;
  begin_.erase(begin + part.mapped().size());
  memory_ -= part.mapped().size() + kForPart;
  return std::move(part.mapped());
}

void PageEdges::take_all(const std::function<void(std::uint64_t, const Bytes&)>& write) {
  for (const auto& [offset, bytes] : parts_) write(offset, bytes);
  parts_.clear();
  begin_.clear();
  memory_ = 0;
}

}  // namespace xpose::app
