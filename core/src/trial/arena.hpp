// The buffers of a trial: sets of input and output between guard zones, the patterns they must
// have, and the check that says what went wrong.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "strategy/candidates.hpp"
#include "trial/page_watch.hpp"
#include "trial/verify.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

// For the examination of launches that were right in the usual form.
struct ArenaForm {
  // Host: the lowest element begins a page of memory, or the last one ends it, as nearly as the
  // rows' alignment allows: a launch is told of no other. Aligned as the rows are, or to more.
  enum class Edge { none, begins_page, ends_page } edge = Edge::none;
  bool is_other = false;  // all elements have other values, and guards and gaps other bytes
};

// Every allocation is [guard | slack to the alignment that the problem says | payload | guard]. The
// whole allocation is compared with the pattern that it must hold, so that one comparison covers
// the elements, the gaps between rows and the guards. Output elements are poisoned with the
// complement of what belongs there: whatever is not written is seen. In place, input and output are
// the output's buffer, which begins as the input; the input's is for copies. Up to 4 MiB the
// comparison itself is held against Eigen's transpose first. [one thread at a time]
class Arena {
 public:
  // [normal form, not empty] `sets` pairs of buffers with the same content, Content::bits.
  // Throws Error no_memory or device; failed where the check does not accept Eigen's transpose.
  Arena(Backend& backend, const Problem& problem, std::size_t sets, ArenaForm form = {});

  // Fills all sets anew where they hold another content. Throws as the constructor does.
  void hold(Content content);

  std::size_t sets() const { return sets_.size(); }
  const void* in(std::size_t set) const;  // element 0, aligned exactly as the problem says
  void* out(std::size_t set) const;
  const void* copy_in(std::size_t set) const;  // 256-byte aligned, for a copy of the same bytes
  void* copy_out(std::size_t set) const;
  std::span<const std::byte> in_buffer(std::size_t set) const;  // whole allocations
  std::span<const std::byte> out_buffer(std::size_t set) const;
  void* workspace(std::uint64_t bytes);  // null for 0; content unspecified, guarded

  void poison(std::size_t set);              // the output, in place the input
  Outcome check_transpose(std::size_t set);  // after a transpose into a poisoned set
  Outcome check_copy(std::size_t set);       // after a copy into a poisoned set
  void restore(std::size_t set);             // input and output, after damage

  // Spots in as many sets from the first on, `of_set` in each: see spots.hpp. The kind of launch
  // decides where its output lies.
  enum class Launched { transpose, copy };
  Spots spots(Launched launched, std::size_t first_set, std::size_t sets,
              std::uint32_t of_set) const;
  // Changes spots, the same only for the same seed; after one right launch on each set check_spots
  // is ok. The check puts the input back, and leaves an output that was right so.
  Spots change_spots(Spots spots, std::uint64_t seed);
  Outcome check_spots(Spots spots, Launched launched);
  // [spots that are not changed] After a launch into a poisoned set.
  bool is_written(const Spots& spots);

  // The pages of a set in which nothing lies that the launch may touch, and those of the input;
  // none where the set is at no edge of pages. And what a touch of one means, after a check that
  // found nothing.
  std::vector<PageWatch::Pages> closed_pages(std::size_t set, Launched launched);
  Outcome explain_touch(std::size_t set, Launched launched, const std::byte* address);

  // Of what a copy reads and writes, in an allocation: bytes.
  static constexpr std::uint64_t kCopyOffset = 4096;
  // Device memory that a problem takes with so many sets, workspaces aside.
  static std::uint64_t footprint(const Problem& problem, std::size_t sets);

 private:
  struct Set {
    DeviceBuffer in;
    DeviceBuffer out;
  };
  // Of an allocation: all its bytes, and the offset of the lowest element.
  struct Place {
    std::uint64_t bytes;
    std::uint64_t begin;
  };
  // The required content of an allocation.
  struct Side {
    std::uint64_t payload;        // bytes, of which `span` are the problem's
    std::uint64_t span;           // bytes
    std::uint64_t behind;         // a multiple of 256 bytes, where the lowest element lies
    std::uint32_t row_alignment;  // bytes
  };
  static Place place(const Side& side, ArenaForm::Edge edge);
  static Place place_in(const Problem& problem, ArenaForm::Edge edge);
  static Place place_out(const Problem& problem, ArenaForm::Edge edge);
  // The pages of one allocation: whether a launch may touch each, because something lies there.
  std::vector<bool> used_pages(const DeviceBuffer& buffer, bool is_output, Launched launched) const;
  void hold_patterns(Content content);
  void hold_check_against_eigen();
  Pattern workspace_guards() const;
  Outcome check_input_and_workspace(std::size_t set);
  Outcome explain_output(std::size_t set, std::uint64_t offset);
  Outcome explain_spot(const Spot& spot, Launched launched);

  Backend& backend_;
  Problem problem_;
  ArenaForm form_;
  std::uint64_t bytes_;      // of the elements
  std::uint64_t in_begin_;   // of the lowest element in an input allocation
  std::uint64_t in_offset_;  // of element 0 there
  std::uint64_t out_offset_;
  Pattern input_;     // of an untouched input allocation
  Pattern expected_;  // of a right output allocation
  Pattern poison_;    // of an output allocation before a launch
  DeviceBuffer workspace_;
  std::uint64_t workspace_bytes_ = 0;
  std::vector<Set> sets_;
  std::optional<Content> content_;  // of all sets
};

}  // namespace xpose
