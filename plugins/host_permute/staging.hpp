// A thread's buffers, and the runs that wait in one of them to be written.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "../kit/host/write_ends.hpp"
#include "kernels.hpp"
#include "layout.hpp"

namespace host_permute {

class Staging {
 public:
  // The workspace is null where nothing is staged.
  Staging(const Layout& layout, uint8_t* workspace) : next_(workspace), other_(workspace) {
    if (layout.overlaps && workspace != nullptr) other_ += layout.buffer_bytes;
  }

  // The buffer to be filled.
  uint8_t* next() const { return next_; }
  void is_filled() { std::swap(next_, other_); }

  // A run in the buffer that is filled. Parts of lines are written at once.
  void wait(const uint8_t* from, uint8_t* to, int64_t bytes) {
    const host::WholeLines lines = host::write_ends(from, to, bytes);
    if (lines.bytes != 0) runs_.push_back({from + lines.begin, to + lines.begin, lines.bytes});
  }

  void write(const Kernels& kernels, Lines& ahead) {
    for (const Run& run : runs_) kernels.stream(run.from, run.to, run.bytes, ahead);
    runs_.clear();
  }
  void write_beside(const Kernels& kernels, const Blocks& blocks, int64_t unit, Lines& ahead) {
    kernels.transpose_beside(blocks, unit, runs_, ahead);
    runs_.clear();
  }

 private:
  uint8_t* next_;
  uint8_t* other_;  // the same where blocks do not overlap
  std::vector<Run> runs_;
};

}  // namespace host_permute
