// Any permutation of axes in one launch, by tiles that span several of them.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "bulk.cuh"
#include "interleave.cuh"
#include "kept.cuh"
#include "strips.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

using cuda_permute::Axis;
using cuda_permute::Cut;
using cuda_permute::Form;
using cuda_permute::Tile;
using cuda_permute::Way;
using cuda_permute::Work;

// Kept runs from so many bytes on may pass by shared memory, and from kAlwaysDirect on they do.
constexpr int64_t kLeastDirect = 32, kAlwaysDirect = 128;

// Bytes of an output run.
constexpr std::array<int64_t, 3> kRuns = {256, 128, 512};

bool is_kept(const Problem& problem) {
  return problem.rows == 1 && problem.out_ld == 1 && problem.cols > 1;
}

// Matrices with shorter rows on a side are moved several at a time.
constexpr int64_t kShortRow = 256;  // bytes

// Whether the matrices of a batch follow each other on both sides.
bool is_dense(const Problem& problem) {
  const int64_t area = problem.rows * problem.cols;
  return problem.in_ld == problem.cols && problem.out_ld == problem.rows &&
         problem.batch[0].in_stride == area && problem.batch[0].out_stride == area;
}

// A matrix as other strategies take it, or a batch of such that follow each other or have long
// rows.
bool others_serve(const Problem& problem) {
  if (problem.batch_rank >= 2 || (is_kept(problem) && problem.batch_rank > 0)) return false;
  const int64_t row = std::min(problem.rows, problem.cols) * problem.element_bytes;
  if (problem.batch_rank == 1 && row < kShortRow && !is_dense(problem)) return false;
  return problem.in_ld >= problem.cols && problem.out_ld >= problem.rows &&
         problem.batch[0].in_stride >= 0;
}

Form form_of(const Problem& problem) {
  const int64_t bytes = std::min<int64_t>(problem.element_bytes, 16);
  const int64_t parts = problem.element_bytes / bytes;
  Form form{bytes, problem.in_alignment, problem.out_alignment, {{parts, 1, 1}}};
  form.axes.push_back({problem.rows, problem.in_ld * parts, parts});
  form.axes.push_back({problem.cols, parts, problem.out_ld * parts});
  for (uint32_t i = 0; i < problem.batch_rank; ++i)
    form.axes.push_back({problem.batch[i].extent, problem.batch[i].in_stride * parts,
                         problem.batch[i].out_stride * parts});
  std::erase_if(form.axes, [](const Axis& axis) { return axis.extent == 1; });
  return cuda_permute::widened(form);
}

uint32_t multiprocessors(const Problem& problem) {
  constexpr uint32_t kUsual = 132;
  return problem.multiprocessors != 0 ? problem.multiprocessors : kUsual;
}

// The first compute capability of devices that copy in bulk.
constexpr uint32_t kBulkCapability = 90;

Cut cut_of(const Problem& problem, const Config& config, int64_t run) {
  cuda_permute::CutWish wish{.run = run,
                             .direct = config["shared"] == 0,
                             .bulk = problem.compute_capability >= kBulkCapability,
                             .runs = true,
                             .processors = multiprocessors(problem)};
  Cut cut(form_of(problem), wish);
  if (cut.way() != Way::runs || cuda_permute::runs(cut, false, false)) return cut;
  wish.runs = false;
  return Cut(form_of(problem), wish);
}

// In strips, where the input's addresses allow it. The output's are known at a launch.
std::optional<Cut> strips_of(const Problem& problem, const Config& config, int64_t run) {
  if (problem.in_alignment % cuda_permute::kStripWord != 0) return std::nullopt;
  Cut cut(form_of(problem), {.run = run,
                             .direct = config["shared"] == 0,
                             .strips = true,
                             .processors = multiprocessors(problem)});
  if (cut.way() != Way::strips || cut.far()) return std::nullopt;
  return cut;
}

// As it is expected to be moved.
Cut expected_cut(const Problem& problem, const Config& config, int64_t run) {
  if (auto strips = strips_of(problem, config, run)) return *std::move(strips);
  return cut_of(problem, config, run);
}

uint64_t shared_bytes_of(const Cut& cut) {
  if (cut.way() != Way::runs) return cut.shared_bytes();
  return cuda_permute::shared_bytes(*cuda_permute::runs(cut, false, false), cut.form().bytes);
}

// Blocks that run at once.
int64_t resident(const Problem& problem, const Cut& cut) {
  return int64_t{multiprocessors(problem)} * cut.work().blocks;
}

uint32_t blocks_of(const Cut& cut) {
  return static_cast<uint32_t>(blocks_over(cut.tile().tiles, cut.tiles_of_block()));
}

struct Permute {
  static Card card() {
    return cuda_card(
        {.name = "permute",
         .summary = "permutations: tiles that span several axes, in one launch",
         .element_sizes = 1 | 2 | 4 | 8 | 16 | XPOSE_FAT_SIZES,
         .max_batch_rank = XPOSE_MAX_BATCH_RANK,
         .traits = XPOSE_TRAIT_PERMUTES,
         .prior_rank = 45,
         .axes = {
             {"run", {kRuns.begin(), kRuns.end()}}, {"along_input", {0, 1}}, {"shared", {1, 0}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    if (problem.in_place) throw Unsupported("does not work in place");
    if (others_serve(problem))
      throw Unsupported(
          "needs two batch dimensions, or matrices with a side of less than 256 bytes that do not "
          "follow each other; other strategies serve these");
    const int64_t run = config["run"];
    const Cut cut = expected_cut(problem, config, run);
    const Tile& tile = cut.tile();
    const int64_t kept = cuda_permute::kept_bytes(cut.form());
    const bool is_direct = config["shared"] == 0;
    if (is_direct && kept < kLeastDirect)
      throw Unsupported("shared=0 needs an innermost axis of at least 32 bytes on both sides");
    if (!is_direct && kept >= kAlwaysDirect)
      throw Unsupported("shared=1 needs an innermost axis of less than 128 bytes on both sides");
    if (tile.tiles > INT32_MAX) throw Unsupported("needs fewer than 2^31 tiles");
    if (config["along_input"] != 0 && tile.tiles <= resident(problem, cut))
      throw Unsupported("along_input=1 needs more tiles than run at once");
    for (const int64_t other : kRuns) {
      if (other == run) break;
      if (expected_cut(problem, config, other).tile() == tile)
        throw Unsupported("run=" + std::to_string(run) +
                          " makes the tiles of run=" + std::to_string(other));
    }
    const uint32_t blocks = blocks_of(cut);
    const uint64_t shared = shared_bytes_of(cut);
    return {.launch = describe_launch({blocks}, {cut.threads()}, shared) + ", runs of " +
                      std::to_string(tile.load_run) + " B to runs of " +
                      std::to_string(tile.store_run) + " B, " + cut.name(),
            .demand = {.blocks = blocks,
                       .threads = cut.threads(),
                       .shared_bytes = static_cast<uint32_t>(shared),
                       .load_run = static_cast<uint64_t>(tile.load_run),
                       .store_run = static_cast<uint64_t>(tile.store_run),
                       .slower_percent = cut.slower_percent(config["along_input"] != 0)}};
  }

  Permute(const Problem& problem, const Config& config)
      : cut_(cut_of(problem, config, config["run"])),
        wide_cut_(strips_of(problem, config, config["run"])) {
    const bool along_input = config["along_input"] != 0;
    if (wide_cut_) wide_strips_ = cuda_permute::parameters(*wide_cut_, along_input);
    if (cut_.way() == Way::bulk) {
      bulk_ = cuda_permute::bulk(cut_, along_input);
    } else if (cut_.way() == Way::shifted) {
      kept_ = cuda_permute::kept(cut_, along_input);
    } else if (cut_.way() == Way::bulk_squares) {
      bulk_squares_ = cuda_permute::bulk_squares(cut_, along_input);
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
          constexpr Work kWork = cuda_permute::squares_of(Bytes, kSide, kFar, kByColumn);
          if constexpr (kSide > 1 || !kByColumn)
            body(kernels::permute<kernels::Squares<Bytes, kSide, kWork.count, Offset, kByColumn>,
                                  kWork.blocks>);
        });
    });
  }

  Cut cut_;
  std::optional<Cut> wide_cut_;
  cuda_permute::Permutation wide_strips_{};
  std::optional<cuda_permute::Runs> runs_, strips_;
  std::optional<cuda_permute::Bulk> bulk_;
  std::optional<cuda_permute::BulkSquares> bulk_squares_;
  std::optional<cuda_permute::Kept> kept_;
  cuda_permute::Permutation parameters_{};
};

}  // namespace

XPOSE_PLUGIN("cuda_permute", "1.0", Permute)
