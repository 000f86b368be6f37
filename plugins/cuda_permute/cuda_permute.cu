// Any permutation of axes in one launch, by tiles that span several of them.
#include <cstdint>
#include <optional>
#include <type_traits>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "bulk.cuh"
#include "interleave.cuh"
#include "joined.cuh"
#include "kept.cuh"
#include "quote.hpp"
#include "strips.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

using cuda_permute::blocks_of;
using cuda_permute::Cut;
using cuda_permute::kJoins;
using cuda_permute::kRuns;
using cuda_permute::Way;
using cuda_permute::Work;

struct Permute {
  static Card card() {
    return cuda_card({.name = "permute",
                      .summary = "permutations: tiles that span several axes, in one launch",
                      .element_sizes = 1 | 2 | 4 | 8 | 16 | XPOSE_FAT_SIZES,
                      .max_batch_rank = XPOSE_MAX_BATCH_RANK,
                      .traits = XPOSE_TRAIT_PERMUTES,
                      .prior_rank = 45,
                      .axes = {{"run", {kRuns.begin(), kRuns.end()}},
                               {"along_input", {0, 1}},
                               {"shared", {1, 0, kJoins}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    return cuda_permute::quote(problem, config);
  }

  Permute(const Problem& problem, const Config& config)
      : cut_(cuda_permute::cut_of(problem, config, config["run"])),
        wide_cut_(cuda_permute::strips_of(problem, config, config["run"])) {
    const bool along_input = config["along_input"] != 0;
    if (wide_cut_) wide_strips_ = cuda_permute::parameters(*wide_cut_, along_input);
    if (cut_.way() == Way::bulk) {
      bulk_ = cuda_permute::bulk(cut_, along_input);
    } else if (cut_.way() == Way::shifted) {
      kept_ = cuda_permute::kept(cut_, along_input);
    } else if (cut_.way() == Way::bulk_squares) {
      bulk_squares_ = cuda_permute::bulk_squares(cut_, along_input);
    } else if (cut_.way() == Way::joined) {
      joined_ = cuda_permute::joined(cut_, along_input);
    } else if (cut_.way() == Way::runs) {
      runs_ = cuda_permute::runs(cut_, along_input);
      strips_ = cuda_permute::strips(cut_, along_input);
    } else {
      parameters_ = cuda_permute::parameters(cut_, along_input);
    }
  }

  void launch(const Launch& launch) const {
    const auto in_words = [&](int64_t word) {
      return (reinterpret_cast<uintptr_t>(launch.in) | reinterpret_cast<uintptr_t>(launch.out)) %
                 static_cast<uintptr_t>(word) ==
             0;
    };
    if (wide_cut_ && in_words(cuda_permute::kStripWord)) return launch_wide_strips(launch);
    if (strips_ && in_words(cuda_permute::kWord)) return launch_runs(launch, *strips_);
    if (runs_) return launch_runs(launch, *runs_);
    if (joined_) return launch_joined(launch);
    if (bulk_) return start(launch, kernels::permute_bulk<cuda_permute::kBulkBlocks>, cut_, *bulk_);
    if (kept_)
      return start(launch,
                   kernels::permute_kept<cuda_permute::kKeptThreads, cuda_permute::kKeptBlocks>,
                   cut_, *kept_);
    if (bulk_squares_) return launch_bulk_squares(launch);
    with_kernel([&](auto kernel) { start(launch, kernel, cut_, parameters_); });
  }

 private:
  void launch_wide_strips(const Launch& launch) const {
    constexpr Work kWork = cuda_permute::kStrips;
    with_constant<1, 2>(wide_cut_->strip_element(), [&](auto bytes) {
      start(launch,
            kernels::permute_wide_strips<static_cast<int>(bytes()), kWork.count, kWork.blocks>,
            *wide_cut_, wide_strips_);
    });
  }

  void launch_bulk_squares(const Launch& launch) const {
    constexpr int kBlocks = cuda_permute::kBulkSquareBlocks;
    with_constant<2, 4, 8, 16>(cut_.form().bytes, [&](auto bytes) {
      constexpr int kBytes = static_cast<int>(bytes());
      start(launch, kernels::permute_bulk_squares<kBytes, kBlocks>, cut_, *bulk_squares_);
    });
  }

  void launch_joined(const Launch& launch) const {
    with_constant<1, 2>(cut_.form().bytes, [&](auto bytes) {
      with_constant<1, 2>(joined_->piece_words, [&](auto words) {
        with_constant<0, 1>(joined_->runs.swizzled, [&](auto swizzled) {
          start(launch,
                kernels::permute_joined<static_cast<int>(bytes()), static_cast<int>(words()),
                                        swizzled() != 0, cuda_permute::kJoinedBlocks>,
                cut_, *joined_);
        });
      });
    });
  }

  void launch_runs(const Launch& launch, const cuda_permute::Runs& runs) const {
    with_constant<1, 2, 4, 8>(cut_.form().bytes, [&](auto bytes) {
      constexpr int kBytes = static_cast<int>(bytes());
      with_constant<0, 1>(runs.wide, [&](auto wide) {
        with_constant<0, 1>(runs.period != 0, [&](auto periodic) {
          with_constant<0, 1>(runs.swizzled, [&](auto swizzled) {
            launch_runs<kBytes, wide() != 0, periodic() != 0, swizzled() != 0>(launch, runs);
          });
        });
      });
    });
  }

  template <int Bytes, bool Wide, bool Periodic, bool Swizzled>
  void launch_runs(const Launch& launch, const cuda_permute::Runs& runs) const {
    constexpr auto kIn = static_cast<int>(cuda_permute::in_word(Bytes, Wide));
    constexpr auto kOut = static_cast<int>(cuda_permute::out_word(Bytes, Wide));
    if constexpr (Bytes <= 2)
      if (runs.strip_place != 0)
        return start(launch,
                     kernels::permute_strips<Bytes, kIn, cuda_permute::kRunBlocks, Periodic>, cut_,
                     runs);
    if constexpr (!Wide || Bytes < 8)
      start(
          launch,
          kernels::permute_by_runs<Bytes, kIn, kOut, cuda_permute::kRunBlocks, Periodic, Swizzled>,
          cut_, runs);
  }

  template <class Kernel, class Parameters>
  void start(const Launch& launch, Kernel kernel, const Cut& cut, const Parameters& of) const {
    uint64_t shared = cut.shared_bytes();
    if constexpr (std::is_same_v<Parameters, cuda_permute::Runs>)
      shared = cuda_permute::shared_bytes(of, cut.form().bytes);
    if constexpr (std::is_same_v<Parameters, cuda_permute::Joined>)
      shared = cuda_permute::shared_bytes(of, cut.form().bytes);
    allow_shared_bytes("permute", kernel, shared);
    launch_kernel("permute", kernel, {blocks_of(cut)}, {cut.threads()}, shared, launch.stream,
                  static_cast<const unsigned char*>(launch.in),
                  static_cast<unsigned char*>(launch.out), of);
  }

  // Calls body(kernel) for the cut.
  template <class Body>
  void with_kernel(const Body& body) const {
    with_constant<1, 2, 4, 8, 16>(cut_.form().bytes, [&](auto bytes) {
      constexpr int kBytes = static_cast<int>(bytes());
      with_constant<0, 1>(cut_.far(), [&](auto far) {
        using Offset = std::conditional_t<far() != 0, int64_t, int32_t>;
        if (cut_.way() == Way::direct) {
          constexpr Work kWork = cuda_permute::direct_of(far() != 0);
          if constexpr (kBytes == cuda_permute::kKeptWord)
            body(kernels::permute_runs<kBytes, kWork.count, Offset, kWork.blocks>);
        } else {
          with_squares<kBytes, Offset>(body);
        }
      });
    });
  }

  template <int Bytes, class Offset, class Body>
  void with_squares(const Body& body) const {
    constexpr bool kFar = sizeof(Offset) == 8;
    with_constant<1, 2, 4, 8>(cut_.side(), [&](auto side) {
      constexpr int kSide = static_cast<int>(side());
      if constexpr (kSide == 1 || (!kFar && Bytes * kSide <= cuda_permute::widest_square(Bytes)))
        with_constant<0, 1>(cut_.stores_columns(), [&](auto by_column) {
          constexpr bool kByColumn = by_column() != 0;
          if constexpr (kSide > 1 || !kByColumn)
            with_work<Bytes, kSide, kFar, kByColumn>([&](auto work) {
              constexpr Work kWork = work();
              body(kernels::permute<kernels::Squares<Bytes, kSide, kWork.count, Offset, kByColumn>,
                                    kWork.blocks>);
            });
        });
    });
  }

  // Calls body with the work of squares, as a constant.
  template <int Bytes, int Side, bool Far, bool ByColumn, class Body>
  void with_work(const Body& body) const {
    using cuda_permute::squares_of;
    if constexpr (cuda_permute::have_larger_tiles(Bytes, Side, Far, ByColumn))
      if (cut_.has_larger_tile()) {
        body([] { return squares_of(Bytes, Side, Far, ByColumn, true); });
        return;
      }
    body([] { return squares_of(Bytes, Side, Far, ByColumn); });
  }

  Cut cut_;
  std::optional<Cut> wide_cut_;
  cuda_permute::Permutation wide_strips_{};
  std::optional<cuda_permute::Runs> runs_, strips_;
  std::optional<cuda_permute::Joined> joined_;
  std::optional<cuda_permute::Bulk> bulk_;
  std::optional<cuda_permute::BulkSquares> bulk_squares_;
  std::optional<cuda_permute::Kept> kept_;
  cuda_permute::Permutation parameters_{};
};

}  // namespace

XPOSE_PLUGIN("cuda_permute", "1.0", Permute)
