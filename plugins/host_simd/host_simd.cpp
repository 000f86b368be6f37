// Tiles of one 64-byte line a side, transposed in vector registers.
#include <algorithm>
#include <xpose/plugin.hpp>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/traffic.hpp"
#include "kernels.hpp"
#include "mode.hpp"
#include "quote.hpp"

using namespace xpose::plugin;

namespace {

using host::ceil_div;
using host_simd::BlockOrder;
using host_simd::carry_bytes;
using host_simd::Mode;
using host_simd::Rectangle;
using host_simd::Writing;

struct Simd {
  static Card card() {
    return {.name = "host_simd",
            .summary = "tiles of whole cache lines in vector registers",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .prior_rank = 100,
            .axes = {{"mode", host_simd::modes()}}};
  }

  static Quote quote(const Problem& problem, const Config& config) {
    return host_simd::quote(problem, config);
  }

  Simd(const Problem& problem, const Config& config) : problem_(problem), mode_(config["mode"]) {}

  void launch(const Launch& launch) const {
    const int64_t threads = std::min<int64_t>(launch.threads, host::most_threads(problem_));
    const int64_t shares = host::is_for_one_thread(problem_) ? 1 : threads;
    run_parts(launch, static_cast<uint32_t>(shares),
              [&](int64_t share) { transpose_share(launch, share, shares); });
  }

  // One of several shares: matrices where there are enough of them, else the rows or, where these
  // are fewer, the columns of every matrix.
  void transpose_share(const Launch& launch, int64_t share, int64_t shares) const {
    const int64_t matrices = matrices_of(problem_);
    if (matrices >= 4 * shares) {
      const int64_t end = matrices * (share + 1) / shares;
      for (int64_t i = matrices * share / shares; i < end; ++i)
        transpose_part(launch, share, i, end, 0, 1);
    } else {
      for (int64_t i = 0; i < matrices; ++i)
        transpose_part(launch, share, i, matrices, share, shares);
    }
  }

  // A part of one matrix of a share, whose matrices end with `end`.
  void transpose_part(const Launch& launch, int64_t share, int64_t matrix, int64_t end,
                      int64_t part, int64_t parts) const {
    const int64_t size = problem_.element_bytes,
                  side = host_simd::tile_side(problem_.element_bytes);
    Rectangle r = {.in = static_cast<const uint8_t*>(launch.in),
                   .next = nullptr,
                   .out = static_cast<uint8_t*>(launch.out),
                   .in_pitch = problem_.in_ld * size,
                   .out_pitch = problem_.out_ld * size,
                   .row_begin = 0,
                   .row_end = problem_.rows,
                   .col_begin = 0,
                   .col_end = problem_.cols,
                   .stream = mode_.streams(),
                   .gather = mode_.gather(),
                   .ahead = mode_.ahead,
                   .near = mode_.order != BlockOrder::kFar,
                   .strip = mode_.strip(),
                   .carry = static_cast<uint8_t*>(launch.workspace),
                   .panels = host_simd::panels_of(problem_, mode_)};
    if (r.carry != nullptr) r.carry += share * carry_bytes(problem_, mode_);
    if (problem_.batch_rank != 0) {
      const int64_t in_stride = problem_.batch[0].in_stride * size;
      r.in += matrix * in_stride;
      if (matrix + 1 < end) r.next = r.in + in_stride;
      r.out += matrix * problem_.batch[0].out_stride * size;
    }
    const bool by_rows = problem_.rows >= problem_.cols;
    const int64_t tiles = mode_.writing == Writing::kEights ? 8 : 4;
    const int64_t step = by_rows ? tiles * side : side;
    const int64_t steps = ceil_div(by_rows ? problem_.rows : problem_.cols, step);
    int64_t& first = by_rows ? r.row_begin : r.col_begin;
    int64_t& last = by_rows ? r.row_end : r.col_end;
    first = steps * part / parts * step;
    last = std::min(last, steps * (part + 1) / parts * step);
    if (first < last) host_simd::kernels().front().transpose(r, problem_.element_bytes);
  }

  Problem problem_;
  Mode mode_;
};

}  // namespace

XPOSE_PLUGIN("host_simd", "1.0", Simd)
