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

// A tile and the buffer that it lies in.
struct Load {
  std::int64_t tile;
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
  Pipeline(std::int64_t tiles, std::uint64_t in_bytes, std::uint64_t out_bytes,
           const BandStages& stages)
      : tiles_(tiles), stages_(stages) {
    const auto buffers = std::min<std::int64_t>(tiles, kBandBuffers);
    for (std::int64_t i = 0; i < buffers; ++i) {
      empty_in_.push({{}, memory_.emplace_back(Device{}, in_bytes).bytes_at()});
      empty_out_.push({{}, memory_.emplace_back(Device{}, out_bytes).bytes_at()});
    }
  }

  void run() {
    if (tiles_ == 1 || !at_once()) in_turn();
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

  void in_turn() {
    std::byte* const in = memory_.at(0).bytes_at();
    std::byte* const out = memory_.at(1).bytes_at();
    for (std::int64_t i = 0; i < tiles_; ++i) {
      stages_.read(i, in);
      stages_.transpose(i, in, out);
      stages_.write(i, out);
    }
  }

  void read() {
    for (std::int64_t i = 0; i < tiles_; ++i) {
      const std::optional<Load> empty = empty_in_.pop();
      if (!empty) return;
      const Load load = {i, empty->buffer};
      stages_.read(load.tile, load.buffer);
      full_in_.push(load);
    }
    full_in_.close();
  }

  void transpose() {
    while (const std::optional<Load> in = full_in_.pop()) {
      const std::optional<Load> empty = empty_out_.pop();
      if (!empty) return;
      stages_.transpose(in->tile, in->buffer, empty->buffer);
      empty_in_.push(*in);
      full_out_.push({in->tile, empty->buffer});
    }
    full_out_.close();
  }

  void write() {
    while (const std::optional<Load> out = full_out_.pop()) {
      stages_.write(out->tile, out->buffer);
      empty_out_.push(*out);
    }
  }

  // The first error stops every stage at its next tile.
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
  std::deque<Buffer> memory_;
  Queue empty_in_, full_in_, empty_out_, full_out_;
  std::mutex mutex_;  // of:
  std::exception_ptr error_;
};

}  // namespace

void run_bands(std::int64_t tiles, std::uint64_t in_bytes, std::uint64_t out_bytes,
               const BandStages& stages) {
  Pipeline(tiles, in_bytes, out_bytes, stages).run();
}

}  // namespace xpose::app
