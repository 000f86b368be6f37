// Any permutation of axes in one launch, by tiles that span several of them.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "parameters.hpp"
#include "permute.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

using cuda_permute::Axis;
using cuda_permute::Cut;
using cuda_permute::Form;
using cuda_permute::kThreads;
using cuda_permute::kWord;
using cuda_permute::Tile;
using cuda_permute::Work;

// Kept runs from so many bytes on may pass by shared memory, and from kAlwaysDirect on they do.
constexpr int64_t kLeastDirect = 32, kAlwaysDirect = 128;

// Bytes of an output run.
constexpr std::array<int64_t, 3> kRuns = {256, 128, 512};

bool is_kept(const Problem& problem) {
  return problem.rows == 1 && problem.out_ld == 1 && problem.cols > 1;
}

// A matrix as other strategies take it, with at most one batch dimension.
bool others_serve(const Problem& problem) {
  if (problem.batch_rank >= 2 || (is_kept(problem) && problem.batch_rank > 0)) return false;
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

// Sides whose first element lies at a multiple of a word.
struct Aligned {
  bool in = true, out = true;
};

Cut cut_of(const Problem& problem, const Config& config, int64_t run, Aligned aligned) {
  return Cut(form_of(problem), {.run = run,
                                .direct = config["shared"] == 0,
                                .load_words = aligned.in,
                                .store_words = aligned.out,
                                .processors = multiprocessors(problem)});
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
         .prior_rank = 110,
         .axes = {
             {"run", {kRuns.begin(), kRuns.end()}}, {"along_input", {0, 1}}, {"shared", {1, 0}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    if (problem.in_place) throw Unsupported("does not work in place");
    if (others_serve(problem))
      throw Unsupported("needs two batch dimensions; other strategies serve matrices");
    const int64_t run = config["run"];
    const Cut cut = cut_of(problem, config, run, {});
    const Tile& tile = cut.tile();
    const int64_t kept = cuda_permute::kept_bytes(cut.form());
    if (cut.direct() && kept < kLeastDirect)
      throw Unsupported("shared=0 needs an innermost axis of at least 32 bytes on both sides");
    if (!cut.direct() && kept >= kAlwaysDirect)
      throw Unsupported("shared=1 needs an innermost axis of less than 128 bytes on both sides");
    if (tile.tiles > INT32_MAX) throw Unsupported("needs less than 2^31 tiles");
    if (config["along_input"] != 0 && tile.tiles <= resident(problem, cut))
      throw Unsupported("along_input=1 needs more tiles than run at once");
    for (const int64_t other : kRuns) {
      if (other == run) break;
      if (cut_of(problem, config, other, {}).tile() == tile)
        throw Unsupported("run=" + std::to_string(run) +
                          " makes the tiles of run=" + std::to_string(other));
    }
    const uint32_t blocks = blocks_of(cut);
    return {.launch = describe_launch({blocks}, {kThreads}, cut.shared_bytes()) + ", runs of " +
                      std::to_string(tile.load_run) + " B to runs of " +
                      std::to_string(tile.store_run) + " B, " + cut.way(),
            .demand = {.blocks = blocks,
                       .threads = kThreads,
                       .shared_bytes = static_cast<uint32_t>(cut.shared_bytes()),
                       .load_run = static_cast<uint64_t>(tile.load_run),
                       .store_run = static_cast<uint64_t>(tile.store_run),
                       .slower_percent = cut.slower_percent()}};
  }

  Permute(const Problem& problem, const Config& config) : Permute(problem, config, Aligned{}) {
    const bool in = cut_.loads_words(), out = cut_.stores_words();
    const auto plan = [&](Aligned aligned) {
      return std::unique_ptr<Permute>(new Permute(problem, config, aligned));
    };
    if (in) out_aligned_ = plan({.in = false});
    if (out) in_aligned_ = plan({.out = false});
    if (in && out) unaligned_ = plan({.in = false, .out = false});
  }

  void launch(const Launch& launch) const {
    // A problem says how rows are aligned, which words ask of the first element alone.
    const auto is_aligned = [](const void* address) {
      return reinterpret_cast<uintptr_t>(address) % kWord == 0;
    };
    const bool in = !cut_.loads_words() || is_aligned(launch.in);
    const bool out = !cut_.stores_words() || is_aligned(launch.out);
    if (!in && !out) return unaligned_->launch(launch);
    if (!in) return out_aligned_->launch(launch);
    if (!out) return in_aligned_->launch(launch);
    with_kernel([&](auto kernel) {
      launch_kernel("permute", kernel, {blocks_}, {kThreads}, cut_.shared_bytes(), launch.stream,
                    static_cast<const unsigned char*>(launch.in),
                    static_cast<unsigned char*>(launch.out), parameters_);
    });
  }

 private:
  Permute(const Problem& problem, const Config& config, Aligned aligned)
      : cut_(cut_of(problem, config, config["run"], aligned)),
        parameters_(cuda_permute::parameters(cut_, config["along_input"] != 0)),
        blocks_(blocks_of(cut_)) {}

  // Calls body(kernel) for the cut.
  template <class Body>
  void with_kernel(const Body& body) const {
    with_constant<1, 2, 4, 8, 16>(cut_.form().bytes, [&](auto bytes) {
      constexpr int kBytes = static_cast<int>(bytes());
      with_constant<0, 1>(cut_.far(), [&](auto far) {
        using Offset = std::conditional_t<far() != 0, int64_t, int32_t>;
        if (cut_.direct()) {
          constexpr Work kWork = cuda_permute::direct_of(kBytes, far() != 0);
          body(kernels::permute_runs<kBytes, kWork.count, Offset, kWork.blocks>);
        } else if (cut_.loads_words() || cut_.stores_words()) {
          if constexpr (kBytes < kWord && far() == 0) with_words<kBytes>(body);
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

  template <int Bytes, class Body>
  void with_words(const Body& body) const {
    with_constant<0, 1>(cut_.loads_words(), [&](auto load) {
      with_constant<0, 1>(cut_.stores_words(), [&](auto store) {
        constexpr Work kWork = cuda_permute::words_of(Bytes, load() != 0 && store() != 0);
        if constexpr (load() != 0 || store() != 0)
          body(kernels::permute<kernels::Words<Bytes, kWork.count, load() != 0, store() != 0>,
                                kWork.blocks>);
      });
    });
  }

  Cut cut_;
  cuda_permute::Permutation parameters_;
  uint32_t blocks_;
  // Without the words that are not aligned.
  std::unique_ptr<Permute> in_aligned_, out_aligned_, unaligned_;
};

}  // namespace

XPOSE_PLUGIN("cuda_permute", "1.0", Permute)
