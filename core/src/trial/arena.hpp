// The buffers of a trial: sets of input and output between guard zones, the images they must equal,
// and the check that says what went wrong.
#pragma once

#include <vector>

#include "device/device.hpp"
#include "plugin/candidates.hpp"
#include "trial/verify.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

// Every allocation is [guard | slack to the problem's real alignment | payload | guard]. The whole
// allocation is compared with an image of what it must hold, so that one comparison covers the
// elements, the gaps between rows and the guards. Output elements are poisoned with the complement
// of what belongs there: whatever is not written is seen. [one thread at a time]
class Arena {
 public:
  // [normal form, not empty] `sets` pairs of buffers with the same content.
  // Throws Error no_memory or device.
  Arena(Backend& backend, const Problem& problem, std::size_t sets,
        Content content = Content::bits);

  std::size_t sets() const { return sets_.size(); }
  const void* in(std::size_t set) const;  // element 0, aligned exactly as the problem says
  void* out(std::size_t set) const;
  const void* copy_in(std::size_t set) const;  // 256-byte aligned, for a copy of the same bytes
  void* copy_out(std::size_t set) const;
  void* workspace(std::uint64_t bytes);  // null for 0; content unspecified, guarded

  void poison(std::size_t set);              // the output; the last workspace's guards
  Outcome check_transpose(std::size_t set);  // after a transpose into a poisoned set
  Outcome check_copy(std::size_t set);       // after a copy into a poisoned set
  void restore(std::size_t set);             // input and output, after damage

  // Device memory that a problem takes with so many sets.
  static std::uint64_t footprint(const Problem& problem, std::size_t sets);

 private:
  struct Set {
    DeviceBuffer in;
    DeviceBuffer out;
  };
  Outcome check_input_and_workspace(std::size_t set);
  Outcome explain_output(std::size_t set, std::uint64_t offset);

  Backend& backend_;
  Problem problem_;
  std::uint64_t bytes_;      // of the elements
  std::uint64_t in_offset_;  // of element 0 in an input allocation
  std::uint64_t out_offset_;
  DeviceBuffer input_;     // image of an untouched input allocation
  DeviceBuffer expected_;  // image of a right output allocation
  DeviceBuffer poisoned_;  // image of an output allocation before a launch
  DeviceBuffer workspace_;
  DeviceBuffer workspace_guard_;
  std::uint64_t workspace_bytes_ = 0;
  std::vector<Set> sets_;
};

}  // namespace xpose
