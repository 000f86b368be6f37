// The history of each byte of a block's shared memory: finds races and reads of bytes never
// written.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "xpose/explain.hpp"

namespace xpose {

// Two threads race in a byte where one writes it and the other reads or writes it without a barrier
// between: one of the block, or one of their warp if they share it.
//
// Bytes are kept in cells as wide as the narrowest access so far, since kernels mostly use one
// width. Cells of less than a word are made where they are used alone: a kernel that moves words
// has a few of them at the ends of its rows. Blocks and barriers advance numbers, so that nothing
// is cleared between them. [one thread at a time]
class SharedShadow {
 public:
  // One block's shared memory is far smaller on every device; what lies behind is not looked at.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;

  void start_block() { block_ = next_interval(); }
  void barrier_of_block() { next_interval(); }
  void barrier_of_warp(std::uint32_t warp) { warp_interval(warp) = ++last_warp_interval_; }

  // report(kind, thread, other, offset) for each lane with something wrong, once; `other` is the
  // thread that a race is with. A lane's bytes: [offset, offset + lane_bytes).
  template <class Report>
  void access(AccessKind kind, std::uint32_t warp, std::uint32_t lanes, std::uint32_t lane_bytes,
              std::span<const std::uint64_t, 32> offset, const Report& report);

 private:
  // The last write, and the reads since the last barrier. Of a split word `written` alone: where
  // its bytes are.
  struct Cell {
    std::uint32_t written = 0;  // in which interval of the block; 0: never
    std::uint32_t read = 0;
    std::uint32_t writer_warp_interval = 0;
    std::uint32_t reader_warp_interval = 0;
    std::uint16_t writer = 0;  // threads
    std::uint16_t reader = 0;
    std::uint16_t another_reader = 0;
    bool several_readers : 1 = false;  // of the reader's warp, in its interval
    bool several_warps : 1 = false;
    bool is_split : 1 = false;
  };
  enum class Wrong { nothing, race, uninitialised };

  std::uint32_t next_interval() {
    if (interval_ == ~0U) {  // the numbers are used up: forget everything
      cells_.clear();
      bytes_.clear();
      interval_ = 0;
    }
    return ++interval_;
  }
  std::uint32_t& warp_interval(std::uint32_t warp) { return warp_interval_[warp % 32]; }
  void cover(std::uint64_t end, unsigned shift);
  Cell* bytes_of(Cell& word);

  static bool is_separated(std::uint32_t thread, std::uint32_t now, std::uint32_t other,
                           std::uint32_t then) {
    return thread == other || (thread / 32 == other / 32 && then != now);
  }
  Wrong load(Cell& cell, std::uint32_t thread, std::uint32_t now, std::uint32_t& other) const;
  Wrong store(Cell& cell, std::uint32_t thread, std::uint32_t now, std::uint32_t& other) const;

  static constexpr unsigned kWord = 2;  // its shift
  std::vector<Cell> cells_;
  std::vector<Cell> bytes_;  // of split words, four each
  unsigned shift_ = 4;       // cells of 16 bytes
  std::uint32_t interval_ = 0;
  std::uint32_t block_ = 0;  // the interval in which the block began
  std::uint32_t last_warp_interval_ = 0;
  std::array<std::uint32_t, 32> warp_interval_{};
};

inline SharedShadow::Wrong SharedShadow::load(Cell& cell, std::uint32_t thread, std::uint32_t now,
                                              std::uint32_t& other) const {
  Wrong wrong = Wrong::nothing;
  if (cell.written == interval_ &&
      !is_separated(thread, now, cell.writer, cell.writer_warp_interval)) {
    wrong = Wrong::race;
    other = cell.writer;
  } else if (cell.written < block_) {
    wrong = Wrong::uninitialised;
  }
  if (cell.read != interval_) {
    cell.several_warps = cell.several_readers = false;
  } else if (cell.reader / 32U != thread / 32U) {
    cell.several_warps = true;
    cell.another_reader = cell.reader;
  } else if (cell.reader_warp_interval != now) {
    cell.several_readers = false;
  } else if (cell.reader != thread) {
    cell.several_readers = true;
    cell.another_reader = cell.reader;
  }
  cell.read = interval_;
  cell.reader = static_cast<std::uint16_t>(thread);
  cell.reader_warp_interval = now;
  return wrong;
}

inline SharedShadow::Wrong SharedShadow::store(Cell& cell, std::uint32_t thread, std::uint32_t now,
                                               std::uint32_t& other) const {
  Wrong wrong = Wrong::nothing;
  if (cell.written == interval_ &&
      !is_separated(thread, now, cell.writer, cell.writer_warp_interval)) {
    wrong = Wrong::race;
    other = cell.writer;
  } else if (cell.read == interval_) {
    const bool in_this_interval =
        cell.reader / 32U == thread / 32U && cell.reader_warp_interval == now;
    if (!is_separated(thread, now, cell.reader, cell.reader_warp_interval)) {
      wrong = Wrong::race;
      other = cell.reader;
    } else if (cell.several_warps || (in_this_interval && cell.several_readers)) {
      wrong = Wrong::race;
      other = cell.another_reader;
    }
  }
  cell.written = interval_;
  cell.writer = static_cast<std::uint16_t>(thread);
  cell.writer_warp_interval = now;
  return wrong;
}

template <class Report>
void SharedShadow::access(AccessKind kind, std::uint32_t warp, std::uint32_t lanes,
                          std::uint32_t lane_bytes, std::span<const std::uint64_t, 32> offset,
                          const Report& report) {
  std::uint64_t end = 0;
  std::uint64_t low_bits = lane_bytes;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t at = offset[static_cast<std::size_t>(std::countr_zero(rest))];
    if (at < kMaxBytes) end = std::max(end, at + lane_bytes);
    low_bits |= at;
  }
  cover(end, std::max(kWord, static_cast<unsigned>(std::countr_zero(low_bits))));
  const std::uint32_t now = warp_interval(warp);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (offset[lane] >= kMaxBytes) continue;
    const std::uint32_t thread = warp * 32 + lane;
    Wrong worst = Wrong::nothing;
    std::uint32_t other = thread;
    const auto look = [&](Cell& cell) {
      const Wrong wrong = kind == AccessKind::load ? load(cell, thread, now, other)
                                                   : store(cell, thread, now, other);
      if (wrong != Wrong::nothing && worst != Wrong::race) worst = wrong;
    };
    const std::uint64_t stop = offset[lane] + lane_bytes;
    for (std::uint64_t at = offset[lane]; at < stop;) {
      Cell& cell = cells_[at >> shift_];
      const std::uint64_t cell_end = ((at >> shift_) + 1) << shift_;
      const std::uint64_t next = std::min(stop, cell_end);
      if (next - at == std::uint64_t{1} << shift_ && !cell.is_split) {
        look(cell);
      } else {
        Cell* const bytes = bytes_of(cell);
        for (; at < next; ++at) look(bytes[at % (1 << kWord)]);
      }
      at = next;
    }
    if (worst != Wrong::nothing)
      report(worst == Wrong::race ? FindingKind::race : FindingKind::uninitialised_shared, thread,
             other, offset[lane]);
  }
}

}  // namespace xpose
