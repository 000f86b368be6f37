// The way into the simulator: one trace at a time, and the launches of its strategy.
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <xpose/simulator/runtime.hpp>

#include "simulator/block.hpp"
#include "simulator/image.hpp"

namespace xpose::simulator {
namespace {

std::mutex one_at_a_time;
const xpose_observer* current = nullptr;  // of the trace that runs

// Undoes what observe has set up, whichever way the strategy ends.
struct Observed {
  explicit Observed(const xpose_observer& by) : lock(one_at_a_time) {
    current = &by;
    memory.regions = by.regions;
    memory.region_count = by.region_count;
    for (uint32_t i = 0; i < 2; ++i)
      hot.regions[i] = i < by.region_count ? Range{reinterpret_cast<uintptr_t>(by.regions[i].begin),
                                                   by.regions[i].bytes}
                                           : Range{};
    memory.image = own_image();
    memory.static_shared = own_thread_local_storage();
  }
  ~Observed() {
    current = nullptr;
    memory = {};
    hot = {};
  }

  std::lock_guard<std::mutex> lock;
};

bool in_a_region(const void* at, uint64_t bytes) {
  for (uint32_t i = 0; i < memory.region_count; ++i)
    if (Range{reinterpret_cast<uintptr_t>(memory.regions[i].begin), memory.regions[i].bytes}.holds(
            reinterpret_cast<uintptr_t>(at), bytes))
      return true;
  return false;
}

}  // namespace

xpose_status observe(const xpose_observer& observer, xpose_status (*body)(void* context),
                     void* context) {
  const Observed observed(observer);
  return body(context);
}

void launch(const char* name, const uint32_t (&grid)[3], const uint32_t (&block)[3],
            uint64_t shared_bytes, void (*thread)(const void* arguments), const void* arguments,
            std::size_t argument_bytes) {
  const uint64_t threads = uint64_t{block[0]} * block[1] * block[2];
  const bool fits = threads >= 1 && threads <= kMaxThreads && block[0] <= kMaxThreads &&
                    block[1] <= kMaxThreads && block[2] <= 64 && grid[0] >= 1 && grid[1] >= 1 &&
                    grid[2] >= 1 && grid[0] <= INT32_MAX && grid[1] <= 65535 && grid[2] <= 65535 &&
                    shared_bytes <= kMaxSharedBytes;
  if (!fits) throw std::runtime_error("kernel " + std::string(name) + ": no device can launch it");
  Kernel kernel = {name, {}, {}, shared_bytes, thread, arguments, argument_bytes};
  std::memcpy(kernel.grid, grid, sizeof kernel.grid);
  std::memcpy(kernel.block, block, sizeof kernel.block);
  device.run(kernel, *current);
}

void copy(void* out, std::size_t out_pitch, const void* in, std::size_t in_pitch,
          std::size_t row_bytes, std::size_t rows) {
  for (std::size_t row = 0; row < rows && row_bytes != 0; ++row) {
    auto* const to = static_cast<unsigned char*>(out) + row * out_pitch;
    const auto* const from = static_cast<const unsigned char*>(in) + row * in_pitch;
    const bool reads_outside = !in_a_region(from, row_bytes);
    if (reads_outside || !in_a_region(to, row_bytes)) {
      xpose_fault fault = {};
      fault.size = sizeof fault;
      fault.what = XPOSE_OUT_OF_BOUNDS;
      fault.access = reads_outside ? XPOSE_LOAD : XPOSE_STORE;
      fault.site = __builtin_extract_return_addr(__builtin_return_address(0));
      fault.text = "a copy on the device reaches out of the memory that the launch may use";
      current->fault(current->context, &fault);
      throw std::runtime_error(fault.text);
    }
    std::memcpy(to, from, row_bytes);
  }
}

}  // namespace xpose::simulator
