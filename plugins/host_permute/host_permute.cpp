// Any permutation of axes, by tiles that span several of them.
#include <algorithm>
#include <array>
#include <set>
#include <xpose/plugin.hpp>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/traffic.hpp"
#include "asks.hpp"
#include "kernels.hpp"
#include "layout.hpp"
#include "quote.hpp"
#include "staging.hpp"
#include "tiles.hpp"

using namespace xpose::plugin;

namespace {

using host::ceil_div;
using host_permute::ask_for_ends;
using host_permute::ask_for_rest;
using host_permute::Asks;
using host_permute::Blocks;
using host_permute::Kernels;
using host_permute::kInRuns;
using host_permute::kLine;
using host_permute::kLongPiece;
using host_permute::kRuns;
using host_permute::Layout;
using host_permute::Lines;
using host_permute::Picks;
using host_permute::Piece;
using host_permute::Runs;
using host_permute::Staging;
using host_permute::Tile;
using host_permute::Tiling;

struct Permute : private Layout {
  static Card card() {
    return {.name = "host_permute",
            .summary = "permutations: tiles that span several axes, written in whole lines",
            .element_sizes = 1 | 2 | 4 | 8 | 16 | XPOSE_FAT_SIZES,
            .min_alignment = 1,
            .max_batch_rank = XPOSE_MAX_BATCH_RANK,
            .traits = XPOSE_TRAIT_PERMUTES,
            .prior_rank = 110,
            .axes = {{"run", {kRuns.begin(), kRuns.end()}},
                     {"in_run", {kInRuns.begin(), kInRuns.end()}},
                     {"stream", {1, 0}}}};
  }

  static Quote quote(const Problem& problem, const Config& config) {
    return host_permute::quote(problem, config);
  }

  Permute(const Problem& problem, const Config& config)
      : Layout(problem, Runs(config)), problem_(problem), stream_(config["stream"] != 0) {
    for (auto* pieces : {&tiling.inner, &tiling.outer})
      for (Piece& piece : *pieces) piece = {piece.in * unit, piece.out * unit};
    for (auto* places : {&tiling.rows, &tiling.cols})
      for (int64_t& place : *places) place *= unit;
    find_slices();
    find_buffer_cols();
    find_picks();
    if (stream_ && asks != Asks::next_rows) find_lines();
  }

  void launch(const Launch& launch) const {
    const int64_t threads = std::min<int64_t>(launch.threads, host::worth_threads(problem_));
    const int64_t slices = tiling.tiles() * slices_, shares = std::min(threads, slices);
    run_parts(launch, static_cast<uint32_t>(shares), [&](int64_t share) {
      move_slices(launch, share, slices * share / shares, slices * (share + 1) / shares);
    });
  }

 private:
  // The slices of a tile that a share has.
  struct Slices {
    int64_t begin, end;
  };

  void move_slices(const Launch& launch, int64_t share, int64_t first, int64_t last) const {
    const Kernels& kernels = host_permute::kernels().front();
    const auto* const in = static_cast<const uint8_t*>(launch.in);
    auto* const out = static_cast<uint8_t*>(launch.out);
    const uint64_t begin = static_cast<uint64_t>(share) * workspace_bytes();
    Staging staging(*this, stream_ ? static_cast<uint8_t*>(launch.workspace) + begin : nullptr);
    Tile next = tile_at(*this, first / slices_);
    for (int64_t number = first / slices_, at = first; at < last; ++number) {
      const Tile tile = next;
      advance(*this, next);
      const int64_t of_tile = number * slices_;
      const Slices slices{at - of_tile, std::min(last - of_tile, slices_)};
      at = of_tile + slices.end;
      const size_t lines = at < last ? lines_.size() : 0;
      Lines ahead{in + next.in, lines_.data(), lines_.data() + lines, lines_each_, level_};
      move_tile(kernels, tile, slices, in + tile.in, out + tile.out, staging, ahead);
      if (overlaps) ask_for_rest(ahead);
    }
    Lines none{};
    staging.write(kernels, none);
    if (stream_) kernels.finish();
  }

  void move_tile(const Kernels& kernels, const Tile& tile, Slices slices, const uint8_t* in,
                 uint8_t* out, Staging& staging, Lines& ahead) const {
    const Tiling& t = tiling;
    const int64_t rows = count_in(t, tile, t.rows_step, t.rows),
                  cols = count_in(t, tile, t.cols_step, t.cols),
                  inner = count_in(t, tile, t.inner_step, t.inner),
                  outer = count_in(t, tile, t.outer_step, t.outer);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t col = 0; col < cols; col += block_cols) {
        const int64_t slice = slice_of(o, col);
        if (slice < slices.begin || slice >= slices.end) continue;
        const int64_t width = std::min(block_cols, cols - col);
        const bool direct = !stream_ || (t.copies && (inner == 1 || needs_no_buffer(out, width)));
        uint8_t* const to = out + t.outer[static_cast<size_t>(o)].out;
        const int64_t* const places = t.cols.data() + col;
        const auto in_of = [&](int64_t piece) {
          return in + t.outer[static_cast<size_t>(piece)].in;
        };
        const uint8_t* const next_in = col + width < cols ? in_of(o) + (col + width) * unit
                                       : o + 1 < outer    ? in_of(o + 1)
                                                          : ahead.base;
        const Blocks blocks{.in = in_of(o) + col * unit,
                            .out = direct ? to : staging.next(),
                            .row_in = t.rows.data(),
                            .col_out = direct ? places : buffer_cols_.data(),
                            .rows = rows,
                            .cols = width,
                            .pieces = t.inner.data(),
                            .count = inner,
                            .asks = asks,
                            .next_in = next_in};
        const auto runs = std::ranges::lower_bound(run_cols_, width) - run_cols_.begin();
        const int64_t run = rows * inner * (width / runs) * unit;
        if (stream_ && direct) {
          if (o + 1 < outer) ask_for_ends(out + t.outer[static_cast<size_t>(o + 1)].out, run);
          if (inner == 1) {
            kernels.stream(blocks.in, to + *places, width * unit, ahead);
          } else {
            ask_for_ends(to + *places, run);
            Blocks there = blocks;
            there.out = to + *places;
            kernels.stream_pieces(there, width * unit, ahead);
          }
          continue;
        }
        const auto run_at = [&](int64_t r) {
          return to + places[run_cols_[static_cast<size_t>(r)]];
        };
        if (stream_)
          for (int64_t r = 0; r < runs; ++r) ask_for_ends(run_at(r), run);
        const Picks* const picks = t.copies ? nullptr : picks_of(rows, col, width);
        if (overlaps && stream_ && picks == nullptr) {
          staging.write_beside(kernels, blocks, unit, ahead);
        } else {
          staging.write(kernels, ahead);
          if (t.copies)
            kernels.copy(blocks, width * unit);
          else if (picks != nullptr)
            kernels.pick(blocks, *picks);
          else
            kernels.transpose(blocks, unit);
        }
        if (direct) continue;
        for (int64_t r = 0; r < runs; ++r)
          staging.wait(staging.next() + r * buffer_pitch, run_at(r), run);
        staging.is_filled();
        if (!overlaps) staging.write(kernels, ahead);
      }
  }

  // Where tiles are few, threads share out their slices: blocks of columns, which have runs of
  // their own.
  void find_slices() {
    constexpr int64_t kManyTiles = 8;  // for each thread
    if (tiling.tiles() < kManyTiles * host::most_threads(problem_))
      slices_ = std::ssize(tiling.outer) * ceil_div(std::ssize(tiling.cols), block_cols);
  }

  // The slice of a tile that has a column of an outer piece.
  int64_t slice_of(int64_t outer, int64_t col) const {
    if (slices_ == 1) return 0;
    return outer * ceil_div(std::ssize(tiling.cols), block_cols) + col / block_cols;
  }

  // Long pieces that share lines, and all that do not.
  bool needs_no_buffer(const uint8_t* out, int64_t width) const {
    const int64_t bytes = width * unit;
    return bytes >= kLongPiece ||
           (has_whole_runs && bytes % kLine == 0 && reinterpret_cast<uintptr_t>(out) % kLine == 0);
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

  // The picks of a block of so many rows and columns, the first of them `col`; null where squares
  // are faster.
  const Picks* picks_of(int64_t rows, int64_t col, int64_t cols) const {
    const auto found = std::ranges::find_if(picked_, [&](const Picked& one) {
      return one.rows == rows && one.cols == cols && (stream_ || one.col == col);
    });
    return found == picked_.end() ? nullptr : &found->picks;
  }

  // Of all blocks that full tiles and last ones have.
  void find_picks() {
    if (tiling.copies) return;
    const int64_t width = host_permute::kernels().front().pick_width;
    const auto counts = [&](int step, const std::vector<int64_t>& places) {
      Tile last{0, 0, std::vector<int64_t>(tiling.steps.size(), 0)};
      const int64_t full = count_in(tiling, last, step, places);
      for (size_t i = 0; i < tiling.steps.size(); ++i) last.index[i] = tiling.steps[i].count() - 1;
      return std::set{full, count_in(tiling, last, step, places)};
    };
    for (const int64_t rows : counts(tiling.rows_step, tiling.rows))
      for (const int64_t all_cols : counts(tiling.cols_step, tiling.cols))
        for (int64_t col = 0; col < all_cols; col += block_cols) {
          const int64_t cols = std::min(block_cols, all_cols - col);
          if (picks_of(rows, col, cols) != nullptr) continue;
          const host_permute::Places places{
              tiling.rows.data(), stream_ ? buffer_cols_.data() : tiling.cols.data() + col, rows,
              cols, unit};
          Picks picks(places, width);
          if (picks.pay(places)) picked_.push_back({rows, col, cols, std::move(picks)});
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

  struct Picked {
    int64_t rows, col, cols;
    Picks picks;
  };

  Problem problem_;
  bool stream_;
  std::vector<int64_t> buffer_cols_;  // of a block: where they begin in the buffer
  std::vector<int64_t> run_cols_;     // those that begin a run
  std::vector<Picked> picked_;        // the blocks that have picks
  std::vector<int64_t> lines_;        // in bytes from the tile's begin
  int lines_each_ = 0;                // to be asked for, for each line that is written
  int level_ = 2;                     // of the caches, to which they come
  int64_t slices_ = 1;                // of a tile
};

}  // namespace

XPOSE_PLUGIN("host_permute", "1.0", Permute)
