#include "run/sector_buffers.hpp"

#include <sys/mman.h>

namespace xpose::app {
namespace {

class Pages {
 public:
  Pages() = default;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { give_back(); }

  // Null where there is no memory.
  std::byte* at_least(std::size_t bytes) {
    if (bytes <= bytes_) return memory_;
    give_back();
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    memory_ = static_cast<std::byte*>(pages);
    bytes_ = bytes;
    return memory_;
  }

 private:
  void give_back() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
    memory_ = nullptr;
    bytes_ = 0;
  }

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

thread_local Pages kept;

}  // namespace

SectorBuffers::SectorBuffers(std::size_t count, std::size_t bytes)
    : bytes_(bytes), memory_(kept.at_least(count * bytes)) {}

}  // namespace xpose::app
