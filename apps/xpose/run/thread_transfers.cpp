#include "run/thread_transfers.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "run/sector_buffers.hpp"

namespace xpose::app {
namespace {

class Team {
 public:
  Team(const DirectFile& file, Pieces& pieces, std::size_t buffer_bytes)
      : file_(file), pieces_(pieces), buffer_bytes_(buffer_bytes) {}

  bool move(std::size_t threads) {
    std::vector<std::thread> others;
    try {
      const std::size_t most = std::min(threads, pieces_.size());
      while (others.size() + 1 < most) others.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // no more threads to be had
    }
    work();
    for (std::thread& other : others) other.join();
    if (error_) std::rethrow_exception(error_);
    return has_buffer_;
  }

 private:
  // The first error ends all of them.
  void work() try {
    const SectorBuffers buffer(1, buffer_bytes_);
    if (!buffer) return;
    has_buffer_ = true;
    for (std::size_t i = 0; (i = next_++) < pieces_.size();)
      while (const std::optional<Transfer> transfer = pieces_.next(i, buffer[0]))
        pieces_.moved(i, *transfer, file_.call(*transfer));
  } catch (...) {
    next_ = pieces_.size();
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }

  const DirectFile& file_;
  Pieces& pieces_;
  std::size_t buffer_bytes_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> has_buffer_ = false;
  std::mutex mutex_;  // of:
  std::exception_ptr error_;
};

}  // namespace

bool move_by_threads(const DirectFile& file, Pieces& pieces, std::size_t threads,
                     std::size_t buffer_bytes) {
  return Team(file, pieces, buffer_bytes).move(threads);
}

}  // namespace xpose::app
