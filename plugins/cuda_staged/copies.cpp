#include "copies.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "../kit/host/stream_run.hpp"

namespace staged {
namespace {

// The pitch that a two-dimensional copy of the GPU takes at most.
constexpr int64_t kMostPitch = std::numeric_limits<int32_t>::max();
// Shorter runs and smaller rectangles take the GPU longer than their bytes do.
constexpr int64_t kLeastRun = 256, kLeastRectangle = 64 << 10;

// In shorter runs, the lines that a run shares with others weigh more than those that it owns.
constexpr int64_t kLeastStreamed = 512;  // bytes

// The output is not read soon.
void stream(unsigned char* to, const unsigned char* from, int64_t bytes) {
  if (bytes >= kLeastStreamed)
    host::stream_run(to, from, bytes);
  else
    std::memcpy(to, from, static_cast<size_t>(bytes));
}

// Calls body(place, offset, bytes) for each run in [first, last), of which the ends may be parts.
template <class Body>
void for_each_run(const Rows& rows, int64_t first, int64_t last, const Body& body) {
  for (int64_t at = first; at < last;) {
    const int64_t number = at / rows.run, inside = at % rows.run;
    const int64_t bytes = std::min(rows.run - inside, last - at);
    body(rows.begin + number / rows.rows * rows.stride + number % rows.rows * rows.pitch + inside,
         at, bytes);
    at += bytes;
  }
}

}  // namespace

Rows Rows::joined() const {
  Rows all = *this;
  if (all.rows == 1 || all.pitch == all.run) {
    all.run *= all.rows;
    all.rows = 1;
    all.pitch = all.run;
  }
  if (all.rows == 1 && (all.matrices == 1 || all.stride == all.run)) {
    all.run *= all.matrices;
    all.matrices = 1;
    all.pitch = all.stride = all.run;
  }
  return all;
}

bool suits_gpu(const Rows& tile) {
  const Rows rows = tile.joined();
  if (rows.rows > 1 && (rows.pitch > kMostPitch || rows.run < kLeastRun)) return false;
  return rows.matrices == 1 || rows.matrix_bytes() >= kLeastRectangle;
}

void copy_to_slot(const Rows& rows, unsigned char* slot, int64_t first, int64_t last) {
  for_each_run(rows, first, last, [&](const unsigned char* from, int64_t at, int64_t bytes) {
    std::memcpy(slot + at, from, static_cast<size_t>(bytes));
  });
}

void copy_from_slot(const Rows& rows, const unsigned char* slot, int64_t first, int64_t last) {
  for_each_run(rows, first, last,
               [&](unsigned char* to, int64_t at, int64_t bytes) { stream(to, slot + at, bytes); });
  host::finish_streams();  // before other threads hear that the output is written
}

}  // namespace staged
