// Listens to a strategy's kernels as the simulator runs them, and adds up what they do.
#pragma once

#include <array>
#include <exception>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "simulation/shared_shadow.hpp"
#include "xpose/explain.hpp"
#include "xpose/plugin.h"

namespace xpose {

// The line of the access or barrier in front of an address of the plugin's code.
using LineOf = std::function<SourceLine(const void* site)>;

// [one thread at a time]
class Account {
 public:
  // `buffers`: those of the problem, from whose starts global offsets count. `blocks_done`: told
  // how many blocks of how many the running kernel has begun.
  Account(std::vector<xpose_region> buffers, std::function<void(double)> kernel_share = {});

  // The observer to hand to trace; refers to this and to the regions. Calls no function that
  // throws: what fails inside is thrown by finish().
  xpose_observer observer(std::span<const xpose_region> regions);

  bool has_findings() const { return !findings_.empty(); }

  // The account so far. Sites of one source line, space, kind and width are one: unrolled copies,
  // instances of a template. So are findings of a kind at a line; they come in the order of
  // FindingKind.
  AccessAccount finish(const LineOf& line_of) const;

 private:
  struct SiteKey {
    const void* site = nullptr;
    std::size_t kernel = 0;
    std::uint32_t space = 0, kind = 0, lane_bytes = 0;
    bool operator==(const SiteKey&) const = default;
  };
  struct Site {
    SiteKey key;
    AccessSite sums;
    int example_lanes = 0;
  };
  struct Found {
    const void* site = nullptr;
    Finding first;
  };

  template <class Body>
  static void guarded(void* context, const Body& body) noexcept;
  void on_kernel(const xpose_kernel& kernel);
  void on_block(std::uint64_t block);
  void on_access(const xpose_access& access);
  void on_barrier(std::uint32_t warp);
  void on_fault(const xpose_fault& fault);

  Site& site_of(const xpose_access& access);
  void keep_example(Site& site, const xpose_access& access) const;
  // A finding to fill in where it is the first of its kind at the site, else null: it is counted.
  Finding* found(FindingKind kind, const void* site, std::uint32_t thread);

  std::vector<xpose_region> buffers_;
  std::function<void(double)> kernel_share_;
  std::vector<KernelAccount> kernels_;
  std::size_t kernel_ = 0;  // the running one
  std::uint64_t blocks_ = 0, blocks_begun_ = 0, block_ = 0;
  std::vector<Site> sites_;
  std::array<std::size_t, 64> recent_{};  // places in sites_, by a hash of the address
  SharedShadow shadow_;
  std::vector<Found> findings_;
  std::map<std::pair<FindingKind, const void*>, std::size_t> finding_at_;
  std::exception_ptr failed_;
};

}  // namespace xpose
