#include "simulation/account.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "simulation/access_rules.hpp"
#include "strategy/plugin_call.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t kBlocksBetweenNews = 1024;

std::uint32_t factor(const Served& served) {
  return served.ideal == 0 ? 0 : (served.taken + served.ideal - 1) / served.ideal;
}

void add(AccessSite& to, int& to_lanes, const AccessSite& from, int from_lanes) {
  to.requests += from.requests;
  to.bytes += from.bytes;
  to.sectors += from.sectors;
  to.wavefronts += from.wavefronts;
  to.ideal_sectors += from.ideal_sectors;
  to.ideal_wavefronts += from.ideal_wavefronts;
  to.worst_conflict = std::max(to.worst_conflict, from.worst_conflict);
  if (from_lanes > to_lanes) {
    to.example = from.example;
    to_lanes = from_lanes;
  }
}

bool are_one(const AccessSite& a, const AccessSite& b) {
  return a.where == b.where && !a.where.file.empty() && a.space == b.space && a.kind == b.kind &&
         a.lane_bytes == b.lane_bytes;
}

}  // namespace

AccessTotals AccessAccount::totals() const {
  AccessTotals sum;
  for (const KernelAccount& kernel : kernels)
    for (const AccessSite& site : kernel.sites) {
      const bool load = site.kind == AccessKind::load;
      if (site.space == MemorySpace::global) {
        (load ? sum.load_sectors : sum.store_sectors) += site.sectors;
        (load ? sum.ideal_load_sectors : sum.ideal_store_sectors) += site.ideal_sectors;
        (load ? sum.load_requests : sum.store_requests) += site.requests;
      } else {
        (load ? sum.load_wavefronts : sum.store_wavefronts) += site.wavefronts;
        (load ? sum.ideal_load_wavefronts : sum.ideal_store_wavefronts) += site.ideal_wavefronts;
      }
    }
  return sum;
}

Account::Account(std::vector<xpose_region> buffers, std::function<void(double)> kernel_share)
    : buffers_(std::move(buffers)), kernel_share_(std::move(kernel_share)) {}

template <class Body>
void Account::guarded(void* context, const Body& body) noexcept {
  auto& self = *static_cast<Account*>(context);
  if (self.failed_) return;
  try {
    body(self);
  } catch (...) {
    self.failed_ = std::current_exception();
  }
}

xpose_observer Account::observer(std::span<const xpose_region> regions) {
  xpose_observer observer{};
  observer.size = sizeof observer;
  observer.region_count = static_cast<std::uint32_t>(regions.size());
  observer.regions = regions.data();
  observer.context = this;
  observer.kernel = [](void* context, const xpose_kernel* kernel) {
    guarded(context, [&](Account& self) { self.on_kernel(*kernel); });
  };
  observer.block = [](void* context, std::uint64_t block) {
    guarded(context, [&](Account& self) { self.on_block(block); });
  };
  observer.access = [](void* context, const xpose_access* access) {
    guarded(context, [&](Account& self) { self.on_access(*access); });
  };
  observer.barrier = [](void* context, const void*, std::uint32_t warp) {
    guarded(context, [&](Account& self) { self.on_barrier(warp); });
  };
  observer.fault = [](void* context, const xpose_fault* fault) {
    guarded(context, [&](Account& self) { self.on_fault(*fault); });
  };
  return observer;
}

void Account::on_kernel(const xpose_kernel& kernel) {
  const std::string name = kernel.name == nullptr ? "" : one_line(kernel.name);
  const auto known = std::ranges::find(kernels_, name, &KernelAccount::name);
  kernel_ = static_cast<std::size_t>(known - kernels_.begin());
  if (known == kernels_.end()) {
    KernelAccount& added = kernels_.emplace_back();
    added.name = name;
    std::ranges::copy(kernel.grid, added.grid.begin());
    std::ranges::copy(kernel.block, added.block.begin());
    added.shared_bytes = kernel.shared_bytes;
  }
  ++kernels_[kernel_].launches;
  blocks_ = std::uint64_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2];
  blocks_begun_ = 0;
}

void Account::on_block(std::uint64_t block) {
  block_ = block;
  shadow_.start_block();
  if (kernel_share_ && blocks_begun_++ % kBlocksBetweenNews == 0)
    kernel_share_(static_cast<double>(blocks_begun_) / static_cast<double>(blocks_));
}

Account::Site& Account::site_of(const xpose_access& access) {
  const SiteKey key{access.site, kernel_, access.space, access.kind, access.lane_bytes};
  std::size_t& recent = recent_[(reinterpret_cast<std::uintptr_t>(access.site) >> 2) % 64];
  if (recent < sites_.size() && sites_[recent].key == key) return sites_[recent];
  const auto known = std::ranges::find(sites_, key, &Site::key);
  recent = static_cast<std::size_t>(known - sites_.begin());
  if (known != sites_.end()) return *known;
  Site& added = sites_.emplace_back();
  added.key = key;
  added.sums.space = access.space == XPOSE_SHARED ? MemorySpace::shared : MemorySpace::global;
  added.sums.kind = access.kind == XPOSE_STORE ? AccessKind::store : AccessKind::load;
  added.sums.lane_bytes = access.lane_bytes;
  return added;
}

void Account::keep_example(Site& site, const xpose_access& access) const {
  site.example_lanes = std::popcount(access.lanes);
  site.sums.example = {block_, access.warp, access.lanes, {}};
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    std::uint64_t start = 0;
    if (site.sums.space == MemorySpace::global)
      for (const xpose_region& buffer : buffers_)
        if (const auto begin = reinterpret_cast<std::uintptr_t>(buffer.begin);
            access.address[lane] - begin < buffer.bytes)
          start = begin;
    site.sums.example.offset.at(lane) = access.address[lane] - start;
  }
}

void Account::on_access(const xpose_access& access) {
  if (!std::has_single_bit(access.lane_bytes) || access.lane_bytes > 16 || kernels_.empty())
    throw Error(ErrorKind::failed, "the simulator reported an access of " +
                                       std::to_string(access.lane_bytes) +
                                       " bytes, or of one before any kernel");
  Site& site = site_of(access);
  AccessSite& sums = site.sums;
  ++sums.requests;
  sums.bytes +=
      std::uint64_t{access.lane_bytes} * static_cast<unsigned>(std::popcount(access.lanes));
  const std::span<const std::uint64_t, 32> address(access.address);
  if (sums.space == MemorySpace::global) {
    const Served served = sectors(address, access.lanes, access.lane_bytes);
    sums.sectors += served.taken;
    sums.ideal_sectors += served.ideal;
  } else {
    const Served served = wavefronts(address, access.lanes, access.lane_bytes);
    sums.wavefronts += served.taken;
    sums.ideal_wavefronts += served.ideal;
    sums.worst_conflict = std::max(sums.worst_conflict, factor(served));
    shadow_.access(
        sums.kind, access.warp, access.lanes, access.lane_bytes, address,
        [&](FindingKind kind, std::uint32_t thread, std::uint32_t other, std::uint64_t offset) {
          Finding* const finding = found(kind, access.site, thread);
          if (finding == nullptr) return;
          const std::string what = sums.kind == AccessKind::load ? "read" : "wrote";
          const std::string bytes = std::to_string(access.lane_bytes) + " bytes at offset " +
                                    std::to_string(offset) + " of shared memory";
          finding->text = kind == FindingKind::race
                              ? what + ' ' + bytes + " that thread " + std::to_string(other) +
                                    " of its block uses without a barrier between"
                              : what + ' ' + bytes + " that its block has not written";
        });
  }
  if (std::popcount(access.lanes) > site.example_lanes) keep_example(site, access);
}

void Account::on_barrier(std::uint32_t warp) {
  if (warp == XPOSE_ALL_WARPS) {
    shadow_.barrier_of_block();
    if (!kernels_.empty()) ++kernels_[kernel_].barriers;
  } else {
    shadow_.barrier_of_warp(warp);
  }
}

void Account::on_fault(const xpose_fault& fault) {
  block_ = fault.block;
  Finding* const finding =
      found(fault.what == XPOSE_DIVERGENT_BARRIER ? FindingKind::divergent_barrier
                                                  : FindingKind::out_of_bounds,
            fault.site, fault.thread);
  if (finding == nullptr) return;
  finding->text = fault.text == nullptr ? "" : one_line(fault.text);
  if (fault.access == XPOSE_LOAD) finding->access = AccessKind::load;
  if (fault.access == XPOSE_STORE) finding->access = AccessKind::store;
}

Finding* Account::found(FindingKind kind, const void* site, std::uint32_t thread) {
  const auto [at, is_new] = finding_at_.try_emplace({kind, site}, findings_.size());
  if (!is_new) {
    ++findings_[at->second].first.times;
    return nullptr;
  }
  Finding& first = findings_.emplace_back(Found{site, {}}).first;
  first.kind = kind;
  first.block = block_;
  first.thread = thread;
  return &first;
}

AccessAccount Account::finish(const LineOf& line_of) const {
  if (failed_) std::rethrow_exception(failed_);
  AccessAccount account;
  account.kernels = kernels_;
  std::vector<std::vector<int>> example_lanes(kernels_.size());
  for (const Site& site : sites_) {
    AccessSite sums = site.sums;
    sums.where = line_of(site.key.site);
    std::vector<AccessSite>& merged = account.kernels[site.key.kernel].sites;
    std::vector<int>& lanes = example_lanes[site.key.kernel];
    const auto same =
        std::ranges::find_if(merged, [&](const AccessSite& one) { return are_one(one, sums); });
    if (same != merged.end()) {
      add(*same, lanes[static_cast<std::size_t>(same - merged.begin())], sums, site.example_lanes);
    } else {
      merged.push_back(std::move(sums));
      lanes.push_back(site.example_lanes);
    }
  }
  for (const Found& one : findings_) {
    Finding finding = one.first;
    finding.where = line_of(one.site);
    const auto same = std::ranges::find_if(account.findings, [&](const Finding& other) {
      return other.kind == finding.kind && other.where == finding.where &&
             !other.where.file.empty();
    });
    if (same != account.findings.end())
      same->times += finding.times;
    else
      account.findings.push_back(std::move(finding));
  }
  // The fault that ended a launch comes first: it explains the rest.
  std::ranges::stable_sort(account.findings, {}, &Finding::kind);
  return account;
}

}  // namespace xpose
