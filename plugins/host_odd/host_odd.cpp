// Matrices of odd units: pixels of three bytes, points of three words, and such.
#include <algorithm>
#include <xpose/plugin.hpp>

#include "../kit/host/least_target.hpp"
#include "../kit/host/parts.hpp"
#include "../kit/host/traffic.hpp"
#include "kernels.hpp"
#include "matrices.hpp"

using namespace xpose::plugin;

namespace {

using host::Part;
using host_odd::Dim;
using host_odd::Matrices;
using host_odd::Rectangle;
using host_odd::TileShape;

constexpr int64_t kStagedBytes = 14 << 10;  // of a tile, so that the first level holds two
constexpr int64_t kMostInRun = 512;         // bytes
constexpr int64_t kLeastRow = 16;           // bytes of the input

// The lines at both ends of an output row take as long as so many bytes more, and so does the begin
// of an input row, unless rows that are not the shortest follow each other and tiles have whole
// ones, and that of a tile. Units that are moved one by one take so much longer. NOTES.md has the
// measurements.
constexpr int64_t kOutEndsBytes = 150, kInBeginBytes = 50, kShortestRow = 44, kTileBytes = 500;
constexpr int64_t kMovedUnit = 8, kMovedPercent = 20;

// The ends of a part of a matrix take as long as so many bytes more: those of output rows are lines
// that two threads share.
constexpr int64_t kSharedDown = 1000, kPartAcross = 150;

bool is_read_straight(const Matrices& of, const TileShape& tile) {
  const int64_t row = of.cols * of.unit;
  return of.in_pitch == row && row >= kShortestRow && of.cols <= tile.cols;
}

int64_t load_run(const Matrices& of, const TileShape& tile) {
  return (is_read_straight(of, tile) ? of.rows * of.cols : tile.cols) * of.unit;
}

uint32_t slower_percent(const Matrices& of, const TileShape& tile) {
  const int64_t units = tile.rows * std::min(tile.cols, of.cols);
  return static_cast<uint32_t>(
      100 * kOutEndsBytes / (of.rows * of.unit) +
      (is_read_straight(of, tile) ? 0 : 100 * kInBeginBytes / (of.cols * of.unit)) +
      100 * kTileBytes / (units * of.unit) + (of.unit >= kMovedUnit ? kMovedPercent : 0));
}

TileShape shape_of(const Matrices& matrices, int64_t run) {
  const int64_t unit = matrices.unit, rows = std::max<int64_t>(run / unit / 16, 1) * 16;
  const int64_t cols = std::min(kStagedBytes / (rows * unit), kMostInRun / unit);
  return {unit, rows, std::max<int64_t>(cols / 4, 1) * 4};
}

struct Odd {
  static Card card() {
    return {.name = "host_odd",
            .summary = "matrices of odd elements, padded in registers and written in whole lines",
            .element_sizes = 1 | 2 | 4 | 8,
            .min_alignment = 1,
            .max_batch_rank = XPOSE_MAX_BATCH_RANK,
            .traits = XPOSE_TRAIT_PERMUTES,
            .prior_rank = 108,
            .axes = {{"run", {256, 512, 1024}}}};
  }

  static Quote quote(const Problem& problem, const Config& config) {
    host::require_least_target();
    const Odd odd(problem, config);
    const Matrices& of = odd.matrices_;
    return {.workspace_bytes =
                static_cast<uint64_t>(host::most_threads(problem) * scratch_bytes(odd.shape_)),
            .launch = "tile " + std::to_string(odd.shape_.rows) + "x" +
                      std::to_string(odd.shape_.cols) + " of " + std::to_string(of.unit) + " B, " +
                      host_odd::kernels().front().target,
            .demand = {.load_run = static_cast<uint64_t>(load_run(of, odd.shape_)),
                       .store_run = static_cast<uint64_t>(of.rows * of.unit),
                       .slower_percent = slower_percent(of, odd.shape_),
                       .traits = XPOSE_QUOTE_UNCACHED_STORES}};
  }

  Odd(const Problem& problem, const Config& config) : problem_(problem) {
    if (problem.in_place) throw Unsupported("does not work in place");
    auto found = host_odd::matrices(problem);
    if (!found)
      throw Unsupported(
          "needs elements of 3 to 31 bytes that are no power of two, and that follow each other "
          "along an axis of the input and along another one of the output");
    matrices_ = std::move(*found);
    const int64_t least_rows = host_odd::least_rows(matrices_.unit);
    if (matrices_.rows < least_rows || matrices_.cols * matrices_.unit < kLeastRow)
      throw Unsupported("needs output rows of 64 bytes and input rows of 16");
    shape_ = shape_of(matrices_, config["run"]);
    parts_ = parts_of(host::worth_threads(problem));
  }

  void launch(const Launch& launch) const {
    const int64_t all = host::worth_threads(problem_);
    const int64_t threads = std::min<int64_t>(launch.threads, all);
    const host::Parts parts = threads == all ? parts_ : parts_of(threads);
    const int64_t shares = std::min(threads, parts.count());
    run_parts(launch, static_cast<uint32_t>(shares), [&](int64_t share) {
      parts.share(share, shares, [&](const Part& part, const Part* next) {
        transpose_part(launch, share, part, next);
      });
      host_odd::kernels().front().finish();
    });
  }

 private:
  host::Parts parts_of(int64_t threads) const {
    const Matrices& of = matrices_;
    const host::Side down{of.rows, shape_.rows, shape_.down(of.rows), kSharedDown / of.unit},
        across{of.cols, shape_.cols, shape_.across(of.cols), kPartAcross / of.unit};
    return {of.count(), down, across, threads};
  }

  // From a matrix's begin to a part's, in bytes.
  int64_t input_of(const Part& part) const {
    return part.row_begin * matrices_.in_pitch + part.col_begin * matrices_.unit;
  }

  void transpose_part(const Launch& launch, int64_t share, const Part& part,
                      const Part* next) const {
    const Matrices& of = matrices_;
    const Dim begin = begin_of(part.matrix);
    const auto* const in = static_cast<const uint8_t*>(launch.in);
    Rectangle r = {
        .in = in + begin.in,
        .next = nullptr,
        .out = static_cast<uint8_t*>(launch.out) + begin.out,
        .in_pitch = of.in_pitch,
        .out_pitch = of.out_pitch,
        .row_begin = part.row_begin,
        .row_end = part.row_end,
        .col_begin = part.col_begin,
        .col_end = part.col_end,
        .cols = of.cols,
        .shape = shape_,
        .scratch = static_cast<uint8_t*>(launch.workspace) + share * scratch_bytes(shape_)};
    if (next != nullptr) r.next = in + begin_of(next->matrix).in + input_of(*next) - input_of(part);
    host_odd::kernels().front().transpose(r);
  }

  // Where a matrix begins, in bytes.
  Dim begin_of(int64_t matrix) const {
    Dim at{1, matrices_.in_begin, matrices_.out_begin};
    for (const Dim& dim : matrices_.dims) {
      const int64_t i = matrix % dim.extent;
      at.in += i * dim.in;
      at.out += i * dim.out;
      matrix /= dim.extent;
    }
    return at;
  }

  Problem problem_;
  Matrices matrices_;
  TileShape shape_;
  host::Parts parts_;  // for all threads
};

}  // namespace

XPOSE_PLUGIN("host_odd", "1.0", Odd)
