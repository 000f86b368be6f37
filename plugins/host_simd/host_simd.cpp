// Tiles of one 64-byte line a side, transposed in vector registers.
#include <algorithm>
#include <xpose/plugin.hpp>

#include "../kit/host/traffic.hpp"
#include "kernels.hpp"
#include "mode.hpp"
#include "mode_parts.hpp"
#include "quote.hpp"

using namespace xpose::plugin;

namespace {

using host::Part;
using host_simd::BlockOrder;
using host_simd::carry_bytes;
using host_simd::Mode;
using host_simd::Rectangle;

struct Simd {
  static Card card() {
    return {.name = "host_simd",
            .summary = "tiles of whole cache lines in vector registers",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .traits = XPOSE_TRAIT_PERMUTES,  // of matrices whose rows or order lie backwards
            .prior_rank = 100,
            .axes = {{"mode", host_simd::modes()}}};
  }

  static Quote quote(const Problem& problem, const Config& config) {
    return host_simd::quote(problem, config);
  }

  Simd(const Problem& problem, const Config& config)
      : problem_(problem),
        mode_(config["mode"]),
        parts_(host_simd::parts_of(problem, mode_, host::worth_threads(problem))) {}

  void launch(const Launch& launch) const {
    const int64_t all = host::worth_threads(problem_);
    const int64_t threads = std::min<int64_t>(launch.threads, all);
    const host::Parts parts =
        threads == all ? parts_ : host_simd::parts_of(problem_, mode_, threads);
    const int64_t shares = std::min(threads, parts.count());
    run_parts(launch, static_cast<uint32_t>(shares), [&](int64_t share) {
      parts.share(share, shares, [&](const Part& part, const Part* next) {
        transpose_part(launch, share, part, next);
      });
    });
  }

 private:
  // From the input's begin to a part's, in bytes.
  int64_t input_of(const Part& part) const {
    const int64_t stride = problem_.batch_rank == 0 ? 0 : problem_.batch[0].in_stride;
    return (part.matrix * stride + part.row_begin * problem_.in_ld + part.col_begin) *
           problem_.element_bytes;
  }

  void transpose_part(const Launch& launch, int64_t share, const Part& part,
                      const Part* next) const {
    const int64_t size = problem_.element_bytes;
    const auto* const in = static_cast<const uint8_t*>(launch.in);
    Rectangle r = {.in = in,
                   .next = next == nullptr ? nullptr : in + input_of(*next),
                   .out = static_cast<uint8_t*>(launch.out),
                   .in_pitch = problem_.in_ld * size,
                   .out_pitch = problem_.out_ld * size,
                   .row_begin = part.row_begin,
                   .row_end = part.row_end,
                   .col_begin = part.col_begin,
                   .col_end = part.col_end,
                   .stream = mode_.streams(),
                   .gather = mode_.gather(),
                   .ahead = mode_.ahead,
                   .near = mode_.order != BlockOrder::kFar,
                   .strip = mode_.strip(),
                   .carry = static_cast<uint8_t*>(launch.workspace),
                   .panels = host_simd::panels_of(problem_, mode_)};
    if (r.carry != nullptr) r.carry += share * carry_bytes(problem_, mode_);
    if (problem_.batch_rank != 0) {
      r.in += part.matrix * problem_.batch[0].in_stride * size;
      r.out += part.matrix * problem_.batch[0].out_stride * size;
    }
    host_simd::kernels().front().transpose(r, problem_.element_bytes);
  }

  Problem problem_;
  Mode mode_;
  host::Parts parts_;  // for all threads
};

}  // namespace

XPOSE_PLUGIN("host_simd", "1.0", Simd)
