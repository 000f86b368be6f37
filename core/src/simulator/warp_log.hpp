// The notes of a warp's lanes, put together into the accesses of the warp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulator/state.hpp"

namespace xpose::simulator {

class WarpLog {
 public:
  WarpLog() = default;
  ~WarpLog();
  WarpLog(const WarpLog&) = delete;
  WarpLog& operator=(const WarpLog&) = delete;

  // Where the hooks write. Throws std::bad_alloc.
  void reserve();
  Log& lane(unsigned lane) { return lanes_[lane]; }

  // Doubles the room of one lane, whose notes end at its next. False if memory ran out.
  bool grow(unsigned lane);

  // Forgets what was noted.
  void clear();

  // Tells the observer every access noted, and forgets it. Lanes that note the same key as the
  // others at the same place made one access; where they do not line up, the n-th of a key of each
  // lane are one, and each lane's order is kept.
  void tell(const xpose_observer& observer, uint32_t warp);

 private:
  bool tell_in_step(const xpose_observer& observer);
  void tell_aligned(const xpose_observer& observer);
  void number_notes();

  std::array<Log, 32> lanes_;
  xpose_access access_ = {};
  // For lanes out of step: every note's number among those told as one access, and how many lanes
  // have a note of that number.
  std::array<std::vector<uint32_t>, 32> numbers_;
  std::vector<uint32_t> lanes_left_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> of_key_;  // the n-th of a key: its number
};

}  // namespace xpose::simulator
