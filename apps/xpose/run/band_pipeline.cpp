#include "run/band_pipeline.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "xpose/xpose.hpp"

namespace xpose::app {
namespace {

// A strip, or a whole tile, and the buffer that it lies in.
struct Load {
  Strip strip;
  std::byte* buffer;
};

// Hands loads from one thread to another until it is closed.
class Queue {
 public:
  void push(const Load& load) {
    const std::lock_guard lock(mutex_);
    loads_.push_back(load);
    changed_.notify_one();
  }

  // Waits for a load; nothing once the queue is closed and empty.
  std::optional<Load> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !loads_.empty(); });
    if (loads_.empty()) return std::nullopt;
    const Load load = loads_.front();
    loads_.pop_front();
    return load;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  void abandon() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    loads_.clear();
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Load> loads_;
  bool closed_ = false;
};

class Pipeline {
 public:
  Pipeline(std::int64_t tiles, const BandBuffers& buffers, const BandStages& stages)
      : tiles_(tiles), stages_(stages), is_one_(tiles == 1 && stages.strips(0) == 1) {
    for (std::int64_t i = 0; i < (is_one_ ? 1 : kBandBuffers); ++i)
      empty_in_.push({{}, in_.emplace_back(Device{}, buffers.in_bytes).bytes_at()});
    for (std::int64_t i = 0; i < std::min(tiles, buffers.outs); ++i)
      empty_out_.push({{}, out_.emplace_back(Device{}, buffers.out_bytes).bytes_at()});
  }

  void run() {
    if (is_one_ || !at_once()) in_turn();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct Buffer : DeviceMemory {
    using DeviceMemory::DeviceMemory;
    std::byte* bytes_at() const { return static_cast<std::byte*>(data()); }
  };

  // A thread that is waited for.
  struct Joined {
    explicit Joined(std::function<void()> work) : thread(std::move(work)) {}
    Joined(const Joined&) = delete;  // joins once
    Joined& operator=(const Joined&) = delete;
    ~Joined() { thread.join(); }
    std::thread thread;
  };

  // False where there are no threads to be had; nothing is done then. The reader begins last.
  bool at_once() {
    std::optional<Joined> writer;
    std::optional<Joined> reader;
    try {
      writer.emplace([&] { guarded([&] { write(); }); });
      reader.emplace([&] { guarded([&] { read(); }); });
    } catch (const std::system_error&) {
      abandon();
      return false;
    }
    guarded([&] { transpose(); });
    return true;
  }

  // Calls take() for every strip in turn.
  template <class Take>
  void for_each_strip(const Take& take) const {
    for (std::int64_t tile = 0; tile < tiles_; ++tile) {
      const std::int64_t strips = stages_.strips(tile);
      for (std::int64_t number = 0; number < strips; ++number)
        if (!take(Strip{tile, number})) return;
    }
  }

  bool ends_tile(const Strip& strip) const {
    return strip.number + 1 == stages_.strips(strip.tile);
  }

  void in_turn() {
    std::byte* const in = in_.at(0).bytes_at();
    std::byte* const out = out_.at(0).bytes_at();
    for_each_strip([&](const Strip& strip) {
      stages_.read(strip, in);
      stages_.transpose(strip, in, out);
      if (ends_tile(strip)) stages_.write(strip.tile, out);
      return true;
    });
  }

  void read() {
    for_each_strip([&](const Strip& strip) {
      const std::optional<Load> empty = empty_in_.pop();
      if (!empty) return false;
      stages_.read(strip, empty->buffer);
      full_in_.push({strip, empty->buffer});
      return true;
    });
    full_in_.close();
  }

  void transpose() {
    std::optional<Load> out;
    while (const std::optional<Load> in = full_in_.pop()) {
      if (!out) out = empty_out_.pop();
      if (!out) return;
      stages_.transpose(in->strip, in->buffer, out->buffer);
      empty_in_.push(*in);
      if (!ends_tile(in->strip)) continue;
      full_out_.push({in->strip, out->buffer});
      out.reset();
    }
    full_out_.close();
  }

  void write() {
    while (const std::optional<Load> out = full_out_.pop()) {
      stages_.write(out->strip.tile, out->buffer);
      empty_out_.push(*out);
    }
  }

  // The first error stops every stage at its next strip.
  void guarded(const std::function<void()>& stage) {
    try {
      stage();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      abandon();
    }
  }

  void abandon() {
    for (Queue* queue : {&empty_in_, &full_in_, &empty_out_, &full_out_}) queue->abandon();
  }

  std::int64_t tiles_;
  const BandStages& stages_;
  bool is_one_;  // strip
  std::deque<Buffer> in_, out_;
  Queue empty_in_, full_in_, empty_out_, full_out_;
  std::mutex mutex_;  // of:
  std::exception_ptr error_;
};

}  // namespace

void run_bands(std::int64_t tiles, const BandBuffers& buffers, const BandStages& stages) {
  Pipeline(tiles, buffers, stages).run();
}

}  // namespace xpose::app
