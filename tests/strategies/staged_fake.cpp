// The functions of the slots of `staged`, by the fake.
#include "staged_fake.hpp"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "../../plugins/cuda_staged/slots.hpp"

namespace staged {

Fake fake;

namespace {

void enqueue(
    void* to, std::function<void()> work, std::function<bool()> may_begin = [] { return true; }) {
  static_cast<Stream*>(to)->work.push_back({std::move(work), std::move(may_begin)});
  if (fake.random() % 32 == 0)
    fake.asleep = *std::next(fake.streams.begin(), fake.random() % std::ssize(fake.streams));
  for (Stream* stream : fake.streams)
    if (stream != fake.asleep) stream->run(fake.random() % 3);
}

// In any order that the events allow.
void run_all() {
  bool did = true;
  while (did) {
    did = false;
    for (Stream* stream : fake.streams) did = stream->run(1 + fake.random() % 3) || did;
  }
}

void* bytes(int64_t count) { return std::aligned_alloc(256, static_cast<size_t>(count)); }

template <class Body>
void for_each_run(const Rows& rows, const Body& body) {
  for (int64_t m = 0; m < rows.matrices; ++m)
    for (int64_t r = 0; r < rows.rows; ++r)
      body(rows.begin + m * rows.stride + r * rows.pitch, (m * rows.rows + r) * rows.run);
}

}  // namespace

void free_device(void* memory) { std::free(memory); }
void free_pinned(void* memory) { std::free(memory); }
void destroy_stream(void* stream) {
  fake.streams.erase(static_cast<Stream*>(stream));
  delete static_cast<Stream*>(stream);
}
void destroy_event(void* event) { delete static_cast<Event*>(event); }

OnDevice::OnDevice(int device) : device_(device) {}
OnDevice::~OnDevice() = default;

Slots::Slots(int64_t band, int64_t tile, int64_t pinned)
    : band_bytes_(aligned(band)), tile_bytes_(aligned(tile)), pinned_bytes_(aligned(pinned)) {
  device_memory_.reset(bytes(kBandsOnDevice * band_bytes_ + kTilesOnDevice * tile_bytes_));
  pinned_memory_.reset(bytes(2 * kUnderWay * pinned_bytes_));
  for (auto& owned : streams_) {
    auto* const stream = new Stream;
    fake.streams.insert(stream);
    owned.reset(stream);
  }
  for (auto& owned : events_) owned.reset(new Event);
}

void Slots::mark(void* event, Way way) const {
  auto* const marked = static_cast<Event*>(event);
  const int time = ++marked->marked;
  enqueue(stream(way), [=] { marked->happened = time; });
}

void Slots::follow(Way way, void* event) const {
  const auto* const followed = static_cast<const Event*>(event);
  const int time = followed->marked;
  enqueue(
      stream(way), [] {}, [=] { return followed->happened >= time; });
}

void Slots::wait(const Slot& slot) const {
  const auto* const left = static_cast<const Event*>(slot.left);
  const int time = left->marked;
  while (left->happened < time)
    for (Stream* stream : fake.streams) stream->run(fake.random() % 3);
}

void Slots::wait_all() const noexcept { run_all(); }

bool is_pinned(const Rows& rows) {
  return rows.begin == fake.in ? fake.in_is_pinned : fake.out_is_pinned;
}

void copy_in(const Rows& rows, const Slots::Band& band, void* stream) {
  ++fake.direct_copies;
  enqueue(stream, [=] {
    for_each_run(rows, [&](const unsigned char* from, int64_t at) {
      std::memcpy(band.device + at, from, static_cast<size_t>(rows.run));
    });
  });
}

void copy_out(const Rows& rows, const Slots::Slot& slot, void* stream) {
  ++fake.direct_copies;
  enqueue(stream, [=] {
    for_each_run(rows, [&](unsigned char* to, int64_t at) {
      std::memcpy(to, slot.device + at, static_cast<size_t>(rows.run));
    });
  });
}

void copy_in(int64_t size, const Slots::Slot& slot, const Slots::Band& band, void* stream) {
  enqueue(stream, [=] { std::memcpy(band.device, slot.pinned_in, static_cast<size_t>(size)); });
}

void copy_out(int64_t size, const Slots::Slot& slot, void* stream) {
  enqueue(stream, [=] { std::memcpy(slot.pinned_out, slot.device, static_cast<size_t>(size)); });
}

void copy_element(unsigned char* to, const unsigned char* from, int64_t bytes) {
  switch (bytes) {
    case 1:
      std::memcpy(to, from, 1);
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, static_cast<size_t>(bytes));
  }
}

void transpose(uint32_t element_bytes, const Tile& part, const Tile& whole, const Slots::Band& band,
               const Slots::Slot& slot, void* stream) {
  if (fake.fail_after >= 0 && fake.fail_after-- == 0)
    throw xpose::plugin::DeviceError("kernel staged: the fake fails");
  enqueue(stream, [=] {
    const int64_t e = element_bytes;
    for (int64_t m = 0; m < part.matrices; ++m)
      for (int64_t r = 0; r < part.rows; ++r)
        for (int64_t c = 0; c < part.cols; ++c) {
          const int64_t column = (part.matrix - whole.matrix + m) * whole.cols + c;
          copy_element(slot.device + (column * whole.rows + part.row - whole.row + r) * e,
                       band.device + ((m * part.rows + r) * part.cols + c) * e, e);
        }
  });
}

}  // namespace staged
