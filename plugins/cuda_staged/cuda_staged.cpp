// Matrices in the host's memory, transposed by a GPU: tiles go in, and out, at the same time.
#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <xpose/plugin.hpp>

#include "../kit/matrices.hpp"
#include "copies.hpp"
#include "quote.hpp"
#include "slots.hpp"
#include "tiling.hpp"

using namespace xpose::plugin;

namespace {

using staged::kUnderWay;
using staged::Rows;
using staged::Slots;
using staged::Tile;
using staged::Tiling;
using staged::Way;

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kSlotMiB[] = {896, 1792, 16, 4};
// Few large tiles have long runs, and the GPU takes them in turn. Threads wait for some of theirs.
constexpr int64_t kTiles = 8, kTilesOfThreads = 20;
// In which a tile comes. The more there are, the less memory those take that are on the GPU.
constexpr int64_t kBands = 8, kBandsOfThreads = 1;
// Of the tiles that threads copy: pinned memory takes long to get.
constexpr int64_t kMostPinned = 16 * kMiB;
// Handing a part to another thread costs as much as copying this many bytes.
constexpr int64_t kBytesWorthAThread = 128 << 10;

struct Staged {
  static Card card() {
    return {.name = "staged",
            .summary = "through an NVIDIA GPU in tiles, both ways at once; best from pinned memory",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .prior_rank = 700,
            .axes = {{"slot", {std::begin(kSlotMiB), std::end(kSlotMiB)}}}};
  }

  static Quote quote(const Problem& problem, const Config& config) {
    if (!staged::no_gpu().empty()) throw Unsupported(staged::no_gpu());
    if (problem.in_place) throw Unsupported("does not work in place");
    const int64_t slot = config["slot"];
    const Tiling tiling = tiling_of_gpu(problem, slot);
    for (const int64_t other : kSlotMiB) {
      if (other == slot) break;
      if (tiling_of_gpu(problem, other).most_bytes() == tiling.most_bytes())
        throw Unsupported("slot=" + std::to_string(slot) + " makes the tiles that slot=" +
                          std::to_string(other) + " makes: the problem is too small");
    }
    return {.launch = std::to_string(tiling.count()) + " tiles of up to " +
                      std::to_string(tiling.full().rows) + "x" +
                      std::to_string(tiling.full().cols) + ", in and out at the same time",
            .demand = staged::demand_of(problem, tiling_of_threads(problem, slot))};
  }

  Staged(const Problem& problem, const Config& config)
      : problem_(problem),
        tiling_(tiling_of_gpu(problem, config["slot"])),
        tiling_of_threads_(tiling_of_threads(problem, config["slot"])),
        slots_(std::max(tiling_.band_bytes(), tiling_of_threads_.band_bytes()),
               std::max(tiling_.most_bytes(), tiling_of_threads_.most_bytes()),
               tiling_of_threads_.most_bytes()) {}

  void launch(const Launch& launch) const {
    if (!slots_.is_of_this_process())
      throw DeviceError(
          "CUDA does not work in a child of fork(): make the plan there, or execute "
          "it in the parent");
    const std::lock_guard lock(slots_are_busy_);  // other launches wait for this one's end
    const staged::OnDevice on(slots_.device());
    try {
      if (in_is_direct(launch, tiling_) && out_is_direct(launch, tiling_))
        move_tiles(launch, tiling_, true, true);
      else
        move_tiles(launch, tiling_of_threads_, in_is_direct(launch, tiling_of_threads_),
                   out_is_direct(launch, tiling_of_threads_));
    } catch (...) {
      slots_.wait_all();  // nothing is written behind the caller's back
      throw;
    }
  }

 private:
  static Tiling tiling_of_gpu(const Problem& problem, int64_t slot) {
    return {problem, slot * kMiB, kTiles, kBands};
  }
  static Tiling tiling_of_threads(const Problem& problem, int64_t slot) {
    return {problem, std::min(slot * kMiB, kMostPinned), kTilesOfThreads, kBandsOfThreads};
  }

  // Whether the GPU copies that side by itself.
  bool in_is_direct(const Launch& launch, const Tiling& tiling) const {
    return staged::suits_gpu(rows_in(launch, tiling.full())) &&
           staged::is_pinned(rows_in(launch, whole()));
  }
  bool out_is_direct(const Launch& launch, const Tiling& tiling) const {
    return staged::suits_gpu(rows_out(launch, tiling.full())) &&
           staged::is_pinned(rows_out(launch, whole()));
  }

  Tile whole() const { return {0, 0, 0, matrices_of(problem_), problem_.rows, problem_.cols}; }

  // Rows of the input, which is only read.
  Rows rows_in(const Launch& launch, const Tile& tile) const {
    const int64_t e = problem_.element_bytes, stride = problem_.batch[0].in_stride;
    auto* const in = static_cast<unsigned char*>(const_cast<void*>(launch.in));
    return {in + (tile.matrix * stride + tile.row * problem_.in_ld + tile.col) * e,
            tile.cols * e,
            tile.rows,
            tile.matrices,
            problem_.in_ld * e,
            stride * e};
  }
  Rows rows_out(const Launch& launch, const Tile& tile) const {
    const int64_t e = problem_.element_bytes, stride = problem_.batch[0].out_stride;
    auto* const out = static_cast<unsigned char*>(launch.out);
    return {out + (tile.matrix * stride + tile.col * problem_.out_ld + tile.row) * e,
            tile.rows * e,
            tile.cols,
            tile.matrices,
            problem_.out_ld * e,
            stride * e};
  }

  // At each step threads copy one tile in and another one out, while the GPU has those between.
  // Where it copies both sides by itself, all is enqueued at once.
  void move_tiles(const Launch& launch, const Tiling& tiling, bool in_is_direct,
                  bool out_is_direct) const {
    const bool threads_copy = !in_is_direct || !out_is_direct;
    int64_t bands = 0;  // enqueued
    for (int64_t step = 0; step < tiling.count() + kUnderWay; ++step) {
      const int64_t leaving = step - kUnderWay;
      const bool comes = step < tiling.count(), leaves = leaving >= 0;
      if (leaves && threads_copy) slots_.wait(slots_.at(leaving));
      std::optional<Rows> in, out;
      if (comes && !in_is_direct) in = rows_in(launch, tiling.at(step)).joined();
      if (leaves && !out_is_direct) out = rows_out(launch, tiling.at(leaving)).joined();
      copy(launch, in, slots_.at(step), out, slots_.at(leaves ? leaving : 0));
      if (comes) {
        turn(launch, tiling, step, in_is_direct, bands);
        send(launch, tiling, step, out_is_direct, bands - 1);
      }
    }
    for (int64_t slot = 0; slot < kUnderWay; ++slot) slots_.wait(slots_.at(slot));
  }

  // Each thread has its part of both, because either may be the slower one.
  static void copy(const Launch& launch, const std::optional<Rows>& in, const Slots::Slot& to,
                   const std::optional<Rows>& out, const Slots::Slot& from) {
    const int64_t bytes = (in ? in->bytes() : 0) + (out ? out->bytes() : 0);
    if (bytes == 0) return;
    const int64_t parts =
        std::clamp<int64_t>(bytes / kBytesWorthAThread, 1, std::max(launch.threads, 1U));
    const auto part_of = [&](int64_t whole, int64_t part) {
      return whole / parts * part + whole % parts * part / parts;
    };
    run_parts(launch, static_cast<uint32_t>(parts), [&](int64_t part) {
      if (out)
        staged::copy_from_slot(*out, from.pinned_out, part_of(out->bytes(), part),
                               part_of(out->bytes(), part + 1));
      if (in)
        staged::copy_to_slot(*in, to.pinned_in, part_of(in->bytes(), part),
                             part_of(in->bytes(), part + 1));
    });
  }

  // The three ways run at once. A band comes when its buffer is free, and is turned when it has
  // come and the tile has left that had the buffer of its tile before.
  void turn(const Launch& launch, const Tiling& tiling, int64_t number, bool in_is_direct,
            int64_t& bands) const {
    const Tile tile = tiling.at(number);
    const Slots::Slot slot = slots_.at(number);
    slots_.follow(Way::turn, slots_.before(number).left);
    for (int64_t i = 0; i < tiling.bands(tile); ++i) {
      const Tile part = tiling.band(tile, i);
      const Slots::Band band = slots_.band(bands++);
      const Rows in = rows_in(launch, part);
      slots_.follow(Way::in, band.turned);
      if (in_is_direct)
        staged::copy_in(in, band, slots_.stream(Way::in));
      else
        staged::copy_in(in.bytes(), slot, band, slots_.stream(Way::in));
      slots_.mark(band.came, Way::in);
      slots_.follow(Way::turn, band.came);
      staged::transpose(problem_.element_bytes, part, tile, band, slot, slots_.stream(Way::turn));
      slots_.mark(band.turned, Way::turn);
    }
  }

  // A tile leaves when the last of its bands was turned.
  void send(const Launch& launch, const Tiling& tiling, int64_t number, bool out_is_direct,
            int64_t last_band) const {
    const Slots::Slot slot = slots_.at(number);
    const Rows out = rows_out(launch, tiling.at(number));
    slots_.follow(Way::out, slots_.band(last_band).turned);
    if (out_is_direct)
      staged::copy_out(out, slot, slots_.stream(Way::out));
    else
      staged::copy_out(out.bytes(), slot, slots_.stream(Way::out));
    slots_.mark(slot.left, Way::out);
  }

  Problem problem_;
  Tiling tiling_;             // of launches that the GPU copies by itself
  Tiling tiling_of_threads_;  // of others
  Slots slots_;
  mutable std::mutex slots_are_busy_;
};

}  // namespace

XPOSE_PLUGIN("cuda_staged", "1.0", Staged)
