// The parts of pages that the pieces of a file share, until the pages are whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace xpose::app {

// Each part lies within a page, and is found by both of its ends. [one thread at a time]
class PageEdges {
 public:
  using Bytes = std::vector<std::byte>;

  // No more memory than that is taken.
  explicit PageEdges(std::uint64_t most_memory = 0) : most_(most_memory) {}

  enum class Wait { next, later };  // for the next tile

  // False where that is too much memory, of which those that wait longer leave a half to the
  // others. `bytes` are as they were then.
  bool keep(std::uint64_t offset, Bytes& bytes, Wait wait);

  // The part that ends, or begins, at this place of the file. It is kept no longer.
  std::optional<Bytes> take_ending_at(std::uint64_t end);
  std::optional<Bytes> take_beginning_at(std::uint64_t begin);

  // Calls write(offset, bytes) with each part that is left; none is kept then.
  void take_all(const std::function<void(std::uint64_t, const Bytes&)>& write);

  std::uint64_t memory() const { return memory_; }

 private:
  std::unordered_map<std::uint64_t, Bytes> parts_;          // by their begin
  std::unordered_map<std::uint64_t, std::uint64_t> begin_;  // by their end
  std::uint64_t most_;
  std::uint64_t memory_ = 0;
};

}  // namespace xpose::app
