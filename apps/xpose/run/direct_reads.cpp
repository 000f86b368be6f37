#include "run/direct_reads.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace xpose::app {
namespace {

// A disk is as fast as it gets with so many calls at once, of so many bytes.
constexpr std::size_t kThreads = 16;
constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

class Team {
 public:
  Team(const InputFile& file, const std::vector<FilePiece>& pieces)
      : file_(file), pieces_(pieces) {}

  void read() {
    std::vector<std::thread> others;
    try {
      const std::size_t most = std::min(kThreads, pieces_.size());
      while (others.size() + 1 < most) others.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // no more threads to be had
    }
    work();
    for (std::thread& other : others) other.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct Freed {
    void operator()(void* memory) const { std::free(memory); }
  };

  // The first error ends all of them.
  void work() try {
    const std::unique_ptr<void, Freed> memory(std::aligned_alloc(InputFile::kSector, kBufferBytes));
    if (!memory) throw std::bad_alloc();
    const std::span<std::byte> buffer(static_cast<std::byte*>(memory.get()), kBufferBytes);
    for (std::size_t i = 0; (i = next_++) < pieces_.size();)
      file_.read_direct(pieces_[i].offset, pieces_[i].to, buffer);
  } catch (...) {
    next_ = pieces_.size();
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }

  const InputFile& file_;
  const std::vector<FilePiece>& pieces_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // of:
  std::exception_ptr error_;
};

}  // namespace

void read_at_once(const InputFile& file, const std::vector<FilePiece>& pieces) {
  Team(file, pieces).read();
}

}  // namespace xpose::app
