// Any permutation of axes, by tiles that span several of them.
#include <algorithm>
#include <array>
#include <xpose/plugin.hpp>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/one_thread.hpp"
#include "kernels.hpp"
#include "layout.hpp"

using namespace xpose::plugin;

namespace {

using host::ceil_div;
using host_permute::Blocks;
using host_permute::kLine;
using host_permute::Layout;
using host_permute::Lines;
using host_permute::Piece;
using host_permute::Runs;
using host_permute::Step;
using host_permute::Tiling;

// Input plus output, in bytes.
int64_t traffic(const Problem& problem) {
  int64_t bytes = 2 * problem.rows * problem.cols * problem.element_bytes;
  for (uint32_t i = 0; i < problem.batch_rank; ++i) bytes *= problem.batch[i].extent;
  return bytes;
}

// The longest short side, in bytes, of matrices that are faster here than in host_simd, which has
// an expensive edge in every strip: those with rows that share lines, or sides that are not pairs
// of lines. NOTES.md has the measurements.
int64_t longest_short_side(const Problem& problem) {
  const bool words = problem.element_bytes == 4 || problem.element_bytes == 8;
  return words ? 1536 : problem.rows < problem.cols ? 384 : 0;
}

bool is_ragged_strip(const Problem& problem) {
  const int64_t bytes = problem.element_bytes;
  if (bytes > 16) return false;
  const int64_t line = kLine / bytes, side = std::min(problem.rows, problem.cols);
  const bool whole = problem.out_alignment % kLine == 0 && problem.rows % (2 * line) == 0 &&
                     problem.cols % (2 * line) == 0;
  return line <= side && side * bytes <= longest_short_side(problem) && !whole;
}

// A matrix, or matrices one behind the other on both sides.
bool is_for_others(const Problem& problem) {
  if (problem.in_ld < 0 || is_ragged_strip(problem)) return false;
  if (problem.batch_rank != 1) return problem.batch_rank == 0;
  const bool keeps_run = problem.rows == 1 && problem.out_ld == 1;
  const auto& [extent, in_stride, out_stride] = problem.batch[0];
  return !keeps_run && in_stride >= problem.rows * problem.in_ld &&
         out_stride >= problem.cols * problem.out_ld;
}

int64_t most_threads(const Problem& problem) {
  return std::max<int64_t>(problem.multiprocessors, 1);
}

// The lines of a thread's first tile were not asked for.
constexpr int64_t kFirstTilePercent = 50;
// A tile beyond this size comes from the second level: the first does not hold two and the buffer.
// Each doubling takes so much longer.
constexpr int64_t kLargeTile = 48 * 1024, kLargeTilePercent = 15;
// Stores straight from registers write lines in parts.
constexpr int64_t kPartsPercent = 30;

int64_t large_percent(int64_t tile) {
  int64_t percent = 0;
  for (int64_t size = kLargeTile; size < tile && percent < 4 * kLargeTilePercent; size *= 2)
    percent += kLargeTilePercent;
  return percent;
}

uint32_t slower_percent(const Problem& problem, const Layout& layout, bool streams) {
  const int64_t all = traffic(problem) / 2;
  const int64_t tile = std::min(all, layout.tile_bytes());
  return static_cast<uint32_t>(kFirstTilePercent * tile / all + large_percent(tile) +
                               (streams ? 0 : kPartsPercent));
}

// The values of the axes, the default first.
const std::vector<int64_t> kRuns = {1024, 2048, 512, 128}, kInRuns = {256, 512};

Runs runs_of(const Config& config) { return {config["run"], config["in_run"]}; }

// Throws where an earlier value of an axis makes the same tiles.
void refuse_same_tiles(const Problem& problem, Runs runs, const Tiling& tiling) {
  const auto before = [](const std::vector<int64_t>& values, int64_t value) {
    const auto at = std::ranges::find(values, value);
    return at == values.begin() ? 0 : *(at - 1);
  };
  const auto refuse = [&](const char* axis, int64_t value, int64_t earlier, Runs same) {
    if (earlier == 0 || Layout(problem, same).tiling != tiling) return;
    const std::string name = axis;
    throw Unsupported(name + '=' + std::to_string(value) + " makes the same tiles as " + name +
                      '=' + std::to_string(earlier));
  };
  const int64_t longer = before(kRuns, runs.out), shorter = before(kInRuns, runs.in);
  refuse("run", runs.out, longer, {longer, runs.in});
  refuse("in_run", runs.in, shorter, {runs.out, shorter});
}

struct Permute : private Layout {
  static Card card() {
    return {.name = "host_permute",
            .summary = "permutations: tiles that span several axes, written in whole lines",
            .element_sizes = 1 | 2 | 4 | 8 | 16 | XPOSE_FAT_SIZES,
            .min_alignment = 1,
            .max_batch_rank = XPOSE_MAX_BATCH_RANK,
            .traits = XPOSE_TRAIT_PERMUTES,
            .prior_rank = 110,
            .axes = {{"run", kRuns}, {"in_run", kInRuns}, {"stream", {1, 0}}}};
  }

  static Quote quote(const Problem& problem, const Config& config) {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("aes"))
      throw Unsupported("needs a processor with SSE4.2 and AES instructions");
#endif
    if (problem.in_place) throw Unsupported("does not work in place");
    if (is_for_others(problem))
      throw Unsupported(
          "needs two batch dimensions, a run that stays together, an axis that is read backwards, "
          "or "
          "a short side of at least a line with rows that share lines: up to 1536 bytes of 4- and "
          "8-byte elements, else up to 384 bytes of rows alone");
    const bool streams = config["stream"] != 0;
    const auto cache = static_cast<int64_t>(problem.cache_bytes);
    if (!streams && cache > 0 && traffic(problem) > cache)
      throw Unsupported("stream=0 needs input and output that fit into the cache");
    const Layout layout(problem, runs_of(config));
    refuse_same_tiles(problem, runs_of(config), layout.tiling);
    const auto in_run = static_cast<uint64_t>(layout.tiling.read_run * layout.unit);
    const auto run = static_cast<uint64_t>(layout.tiling.run * layout.unit);
    return {.workspace_bytes =
                streams ? static_cast<uint64_t>(most_threads(problem) * layout.buffer_bytes) : 0,
            .launch = "runs of " + std::to_string(in_run) + " B to runs of " + std::to_string(run) +
                      " B, " + host_permute::kernels().front().target,
            .demand = {.load_run = in_run,
                       .store_run = run,
                       .slower_percent = slower_percent(problem, layout, streams),
                       .traits = streams ? uint32_t{XPOSE_QUOTE_UNCACHED_STORES} : 0}};
  }

  Permute(const Problem& problem, const Config& config)
      : Layout(problem, runs_of(config)), problem_(problem), stream_(config["stream"] != 0) {
    for (auto* pieces : {&tiling.inner, &tiling.outer})
      for (Piece& piece : *pieces) piece = {piece.in * unit, piece.out * unit};
    for (auto* places : {&tiling.rows, &tiling.cols})
      for (int64_t& place : *places) place *= unit;
    find_buffer_cols();
    if (stream_) find_lines();
  }

  void launch(const Launch& launch) const {
    const int64_t tiles = tiling.tiles();
    int64_t parts = std::min<int64_t>({launch.threads, most_threads(problem_), tiles});
    if (traffic(problem_) <= host::kOneThreadBytes) parts = 1;
    run_parts(launch, static_cast<uint32_t>(parts), [&](int64_t part) {
      move_tiles(launch, part, tiles * part / parts, tiles * (part + 1) / parts);
    });
  }

 private:
  // The begin of a tile, in bytes, and its index along each step.
  struct Tile {
    int64_t in, out;
    std::vector<int64_t> index;
  };

  Tile tile_at(int64_t number) const {
    Tile tile{units.in_begin, units.out_begin, std::vector<int64_t>(tiling.steps.size(), 0)};
    for (size_t i = 0; i < tiling.steps.size(); ++i) {
      const int64_t count = tiling.steps[i].count();
      move_along(tile, i, number % count);
      number /= count;
    }
    return tile;
  }

  void move_along(Tile& tile, size_t step, int64_t tiles) const {
    const auto& [axis, extent] = tiling.steps[step];
    tile.index[step] += tiles;
    tile.in += tiles * extent * axis.in * unit;
    tile.out += tiles * extent * axis.out * unit;
  }

  // Behind the last tile comes the first.
  void advance(Tile& tile) const {
    for (size_t i = 0; i < tile.index.size(); ++i) {
      move_along(tile, i, 1);
      if (tile.index[i] < tiling.steps[i].count()) return;
      move_along(tile, i, -tile.index[i]);
    }
  }

  // So many of a full tile's rows, columns or pieces as one tile has; all where no step cuts them.
  template <class Items>
  int64_t count_in(const Tile& tile, int step, const Items& items) const {
    const auto full = std::ssize(items);
    if (step < 0) return full;
    const Step& cut = tiling.steps[static_cast<size_t>(step)];
    const int64_t left = cut.axis.extent - tile.index[static_cast<size_t>(step)] * cut.tile;
    return full / cut.tile * std::min(cut.tile, left);
  }

  void move_tiles(const Launch& launch, int64_t part, int64_t first, int64_t last) const {
    const auto& kernels = host_permute::kernels().front();
    const auto* const in = static_cast<const uint8_t*>(launch.in);
    auto* const out = static_cast<uint8_t*>(launch.out);
    uint8_t* const buffer =
        stream_ ? static_cast<uint8_t*>(launch.workspace) + part * buffer_bytes : nullptr;
    Tile next = tile_at(first);
    for (int64_t number = first; number < last; ++number) {
      const Tile tile = next;
      advance(next);
      const size_t lines = number + 1 < last ? lines_.size() : 0;
      Lines ahead{in + next.in, lines_.data(), lines_.data() + lines, lines_each_, level_};
      move_tile(kernels, tile, in + tile.in, out + tile.out, buffer, ahead);
    }
    if (stream_) kernels.finish();
  }

  void move_tile(const host_permute::Kernels& kernels, const Tile& tile, const uint8_t* in,
                 uint8_t* out, uint8_t* buffer, Lines& ahead) const {
    const Tiling& t = tiling;
    const int64_t rows = count_in(tile, t.rows_step, t.rows),
                  cols = count_in(tile, t.cols_step, t.cols),
                  inner = count_in(tile, t.inner_step, t.inner),
                  outer = count_in(tile, t.outer_step, t.outer);
    // A run that is one piece of the input needs no buffer.
    const bool direct = !stream_ || (t.copies && inner == 1);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t col = 0; col < cols; col += block_cols) {
        const int64_t width = std::min(block_cols, cols - col);
        uint8_t* const to = out + t.outer[static_cast<size_t>(o)].out;
        const int64_t* const places = t.cols.data() + col;
        const Blocks blocks{.in = in + t.outer[static_cast<size_t>(o)].in + col * unit,
                            .out = direct ? to : buffer,
                            .row_in = t.rows.data(),
                            .col_out = direct ? places : buffer_cols_.data(),
                            .rows = rows,
                            .cols = width,
                            .pieces = t.inner.data(),
                            .count = inner};
        const auto runs = std::ranges::lower_bound(run_cols_, width) - run_cols_.begin();
        const int64_t run = rows * inner * (width / runs) * unit;
        if (stream_ && direct) {
          if (o + 1 < outer) ask_for_ends(out + t.outer[static_cast<size_t>(o + 1)].out, run);
          kernels.stream(blocks.in, to + *places, width * unit, ahead);
          continue;
        }
        const auto run_at = [&](int64_t r) {
          return to + places[run_cols_[static_cast<size_t>(r)]];
        };
        if (stream_)
          for (int64_t r = 0; r < runs; ++r) ask_for_ends(run_at(r), run);
        if (t.copies)
          kernels.copy(blocks, width * unit);
        else
          kernels.transpose(blocks, unit);
        if (direct) continue;
        for (int64_t r = 0; r < runs; ++r)
          kernels.stream(buffer + r * buffer_pitch, run_at(r), run, ahead);
      }
  }

  // The lines that a run shares with its neighbours are fetched before they are written, and a
  // store that waits for its line holds up all behind it.
  static void ask_for_ends(const uint8_t* to, int64_t bytes) {
    if (reinterpret_cast<uintptr_t>(to) % kLine != 0) __builtin_prefetch(to, 1, 3);
    if (reinterpret_cast<uintptr_t>(to + bytes) % kLine != 0) __builtin_prefetch(to + bytes, 1, 3);
  }

  // The buffer holds one run behind the other, in the order of their first columns.
  void find_buffer_cols() {
    std::vector<int64_t> runs;  // where they begin in the output
    for (int64_t i = 0; i < block_cols; ++i) {
      const auto col = static_cast<size_t>(i);
      const int64_t in_run = tiling.in_run[col] * unit, begin = tiling.cols[col] - in_run;
      if (in_run == 0) {
        runs.push_back(begin);
        run_cols_.push_back(i);
      }
      const auto run = std::ranges::find(runs, begin) - runs.begin();
      buffer_cols_.push_back(run * buffer_pitch + in_run);
    }
  }

  // The lines of a full tile of the input, to be asked for while the tile before it is written.
  void find_lines() {
    const Tiling& t = tiling;
    std::vector<int64_t> all;
    for (const Piece& outer : t.outer)
      for (const Piece& inner : t.inner)
        for (const int64_t row : t.rows) {
          const int64_t begin = outer.in + inner.in + row;
          const int64_t bytes = std::ssize(t.cols) * unit;
          for (int64_t at = 0; at < bytes; at += kLine) all.push_back(begin + at);
          all.push_back(begin + bytes - 1);
        }
    std::ranges::sort(all);
    for (const int64_t line : all)
      if (lines_.empty() || line - lines_.back() >= kLine) lines_.push_back(line);

    lines_each_ =
        static_cast<int>(ceil_div(std::ssize(lines_), std::max(tile_bytes() / kLine, int64_t{1})));
    // The first level holds two tiles and the buffer, where no set has more lines than ways.
    constexpr int64_t kSets = 64, kMostInASet = 4, kMostLines = 384;
    std::array<int64_t, kSets> in_set{};
    for (const int64_t line : lines_) ++in_set[static_cast<uint64_t>(line / kLine) % kSets];
    const bool fits = std::ssize(lines_) <= kMostLines;
    level_ = fits && *std::ranges::max_element(in_set) <= kMostInASet ? 1 : 2;
  }

  Problem problem_;
  bool stream_;
  std::vector<int64_t> buffer_cols_;  // of a block: where they begin in the buffer
  std::vector<int64_t> run_cols_;     // those that begin a run
  std::vector<int64_t> lines_;        // in bytes from the tile's begin
  int lines_each_ = 0;                // to be asked for, for each line that is written
  int level_ = 2;                     // of the caches, to which they come
};

}  // namespace

XPOSE_PLUGIN("host_permute", "1.0", Permute)
