// Buffers that a disk reads from and writes to without a copy.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "run/band_plan.hpp"

namespace xpose::app {

// All of one size, whole pages. None where there is no memory for all of them.
class SectorBuffers {
 public:
  SectorBuffers(std::size_t count, std::size_t bytes)
      : bytes_(bytes),
        memory_(static_cast<std::byte*>(std::aligned_alloc(BandPlan::kPage, count * bytes))) {}

  explicit operator bool() const { return memory_ != nullptr; }
  std::span<std::byte> operator[](std::size_t i) const {
    return {memory_.get() + i * bytes_, bytes_};
  }

 private:
  struct Freed {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  std::size_t bytes_;
  std::unique_ptr<std::byte, Freed> memory_;
};

}  // namespace xpose::app
