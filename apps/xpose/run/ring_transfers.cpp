#include "run/ring_transfers.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

#include "run/sector_buffers.hpp"

namespace xpose::app {
namespace {

// One call hands over so much of all, and waits for as many ends: the disk has enough to do
// meanwhile.
constexpr std::size_t kShareOfCall = 4;

class RingMove {
 public:
  RingMove(Ring& ring, const DirectFile& file, Pieces& pieces, const SectorBuffers& buffers,
           std::size_t slots)
      : ring_(ring), file_(file), pieces_(pieces), buffers_(buffers), slots_(slots) {}
  RingMove(const RingMove&) = delete;  // the kernel may be at its buffers
  RingMove& operator=(const RingMove&) = delete;
  ~RingMove() { drain(); }

  // False where the ring refuses.
  bool move() {
    for (std::size_t slot = 0; slot < slots_.size() && !is_refused_; ++slot) {
      begin_next(slot);
      if (pushed_ > slots_.size() / kShareOfCall) submit(0);
    }
    while (!is_refused_ && pushed_ + under_way_ != 0) {
      submit(std::max<std::size_t>((pushed_ + under_way_) / kShareOfCall, 1));
      while (const std::optional<Ring::End> end = ring_.pop()) take(*end);
    }
    return !is_refused_;
  }

 private:
  struct Slot {
    std::size_t piece = 0;
    Transfer transfer;
  };

  void begin_next(std::size_t slot) {
    while (next_ < pieces_.size()) {
      slots_[slot].piece = next_++;
      if (push(slot)) return;
    }
  }

  // False where the piece is done.
  bool push(std::size_t slot) {
    const std::optional<Transfer> next = pieces_.next(slots_[slot].piece, buffers_[slot]);
    if (!next) return false;
    slots_[slot].transfer = *next;
    ring_.push(file_, *next, slot);
    ++pushed_;
    return true;
  }

  void submit(std::size_t ends) {
    const int taken = ring_.submit(ends);
    if (taken > 0) {
      pushed_ -= static_cast<std::size_t>(taken);
      under_way_ += static_cast<std::size_t>(taken);
      return;
    }
    if (taken == -EINTR) return;
    const bool is_full = taken == -EAGAIN || taken == -EBUSY;  // until one of them has ended
    if (is_full && under_way_ != 0) return wait();
    is_refused_ = taken < 0 || under_way_ == 0;
  }

  // An error is made sure of by a call. Where that succeeds, the ring is at fault.
  void take(const Ring::End& end) {
    --under_way_;
    const Slot& slot = slots_[end.tag];
    ssize_t result = end.result;
    if (result < 0) {
      result = file_.call(slot.transfer);
      const bool is_for_now = end.result == -EAGAIN || end.result == -EINTR;
      if (result >= 0 && !is_for_now) is_refused_ = true;
    }
    pieces_.moved(slot.piece, slot.transfer, result);
    if (!is_refused_ && !push(end.tag)) begin_next(end.tag);
  }

  // Transfers that end meanwhile are made again by others. Those that were not submitted stay so.
  void drain() {
    while (under_way_ != 0) {
      while (ring_.pop()) --under_way_;
      if (under_way_ != 0) wait();
    }
  }

  // Ends come without a wait, too.
  void wait() {
    if (ring_.wait() < 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  Ring& ring_;
  const DirectFile& file_;
  Pieces& pieces_;
  const SectorBuffers& buffers_;
  std::vector<Slot> slots_;
  std::size_t next_ = 0;       // piece
  std::size_t pushed_ = 0;     // transfers that the kernel has not taken
  std::size_t under_way_ = 0;  // and those that it has
  bool is_refused_ = false;
};

}  // namespace

bool move_by_ring(Ring& ring, const DirectFile& file, Pieces& pieces, std::size_t buffers,
                  std::size_t buffer_bytes) {
  const SectorBuffers memory(buffers, buffer_bytes);
  return memory && RingMove(ring, file, pieces, memory, buffers).move();
}

}  // namespace xpose::app
