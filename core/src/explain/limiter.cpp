#include "explain/limiter.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "explain/agreement.hpp"
#include "explain/resident_loads.hpp"
#include "explain/wording.hpp"

namespace xpose {
namespace {

// The most of one multiprocessor in a clock, on the device that is simulated: sectors from or to
// the L2, wavefronts, instructions, and its share of DRAM. core/NOTES.md has their sources.
constexpr double kSectorsAClock = 2;
constexpr double kWavefrontsAClock = 1;
constexpr double kInstructionsAClock = 4;
constexpr double kDramSectorsAClock = 0.65;
constexpr double kCopiedSectorsAClock = 0.52;  // of DRAM, by the fastest copy

constexpr double kNoticeable = 0.1;  // of the clocks that DRAM needs
constexpr double kAtTheRoof = 0.9;   // of the fastest copy
constexpr double kMostClocks = 0.7;  // of a launch's, spent on issuing instructions

double number(std::uint64_t value) { return static_cast<double>(value); }

double ratio(std::uint64_t taken, std::uint64_t ideal) {
  return ideal == 0 ? 1 : number(taken) / number(ideal);
}

// The simulator's totals; without a simulator the hardware's, which have no ideal figures.
AccessTotals totals_of(const Explanation& told) {
  return told.simulation ? told.simulation->totals() : told.hardware->totals;
}

double dram_clocks(const AccessTotals& sum) {
  return number(sum.ideal_load_sectors + sum.ideal_store_sectors) / kDramSectorsAClock;
}

struct Cost {
  Limiter what;
  double clocks;  // beyond what an ideal access pattern needs, of one multiprocessor if all work
};

// The costs of the access pattern that are noticed, the worst first.
std::vector<Cost> pattern_costs(const AccessTotals& sum) {
  const auto beyond = [](std::uint64_t taken, std::uint64_t ideal, double a_clock) {
    return (number(taken) - number(ideal)) / a_clock;
  };
  std::vector<Cost> costs = {
      {Limiter::uncoalesced_loads,
       beyond(sum.load_sectors, sum.ideal_load_sectors, kSectorsAClock)},
      {Limiter::uncoalesced_stores,
       beyond(sum.store_sectors, sum.ideal_store_sectors, kSectorsAClock)},
      {Limiter::bank_conflicts,
       beyond(sum.load_wavefronts + sum.store_wavefronts,
              sum.ideal_load_wavefronts + sum.ideal_store_wavefronts, kWavefrontsAClock)}};
  std::erase_if(costs,
                [&](const Cost& cost) { return cost.clocks <= kNoticeable * dram_clocks(sum); });
  std::ranges::stable_sort(costs, std::ranges::greater{}, &Cost::clocks);
  return costs;
}

double share_of_roof(const Explanation& told) {
  if (!told.hardware || told.hardware->seconds <= 0) return 0;
  return told.hardware->roof_seconds / told.hardware->seconds;
}

std::string at_line(const SourceLine& line) {
  if (line.file.empty()) return "";
  return " at " + line.file.substr(line.file.find_last_of('/') + 1) + ':' +
         std::to_string(line.line);
}

// The line where most is lost to a limiter.
std::string worst_line(const AccessAccount& account, Limiter what) {
  const AccessSite* worst = nullptr;
  std::uint64_t most = 0;
  for (const KernelAccount& kernel : account.kernels)
    for (const AccessSite& site : kernel.sites) {
      const bool shared = what == Limiter::bank_conflicts;
      const AccessKind kind =
          what == Limiter::uncoalesced_loads ? AccessKind::load : AccessKind::store;
      if ((site.space == MemorySpace::shared) != shared || (!shared && site.kind != kind)) continue;
      const std::uint64_t lost =
          shared ? site.wavefronts - site.ideal_wavefronts : site.sectors - site.ideal_sectors;
      if (lost > most) worst = &site, most = lost;
    }
  return worst == nullptr ? "" : at_line(worst->where);
}

std::uint32_t worst_conflict(const AccessAccount& account) {
  std::uint32_t worst = 0;
  for (const KernelAccount& kernel : account.kernels)
    for (const AccessSite& site : kernel.sites) worst = std::max(worst, site.worst_conflict);
  return worst;
}

std::string uncoalesced(const char* what, std::uint64_t sectors, std::uint64_t ideal,
                        const std::string& where) {
  return std::string("uncoalesced ") + what + where + ": they move " + std::to_string(sectors) +
         " sectors of 32 bytes, " + times(ratio(sectors, ideal)) + " times the " +
         std::to_string(ideal) + " that their bytes fill";
}

// Names a cost of the access pattern with its figures.
std::string words_of(Limiter what, const Explanation& told) {
  const AccessTotals sum = told.simulation->totals();
  const std::string where = worst_line(*told.simulation, what);
  switch (what) {
    case Limiter::uncoalesced_loads:
      return uncoalesced("loads", sum.load_sectors, sum.ideal_load_sectors, where);
    case Limiter::uncoalesced_stores:
      return uncoalesced("stores", sum.store_sectors, sum.ideal_store_sectors, where);
    default: {
      const std::uint64_t taken = sum.load_wavefronts + sum.store_wavefronts;
      const std::uint64_t ideal = sum.ideal_load_wavefronts + sum.ideal_store_wavefronts;
      return std::to_string(worst_conflict(*told.simulation)) + "-way bank conflicts" + where +
             ": shared memory takes " + std::to_string(taken) + " wavefronts, " +
             times(ratio(taken, ideal)) + " times the " + std::to_string(ideal) +
             " without conflicts";
    }
  }
}

std::string advice(Limiter what) {
  switch (what) {
    case Limiter::uncoalesced_loads:
    case Limiter::uncoalesced_stores:
      return " Let neighbouring lanes have neighbouring addresses: stage a tile in shared memory.";
    case Limiter::bank_conflicts:
      return " Pad the rows of the tile, or swizzle them, so that a column meets all banks.";
    case Limiter::bytes_in_flight:
      return " More elements a thread, or wider ones, have more under way.";
    default:
      return "";
  }
}

std::string standing(const Explanation& told) {
  const double share = share_of_roof(told);
  if (share == 0) return "";
  return to_string(told.variant) + " runs at " + percent(share) +
         " of the roof, the fastest copy of the same bytes. ";
}

std::string closing(Limiter limiter, const Explanation& told) {
  switch (limiter) {
    case Limiter::wrong:
      return "The kernel is wrong, so its speed means nothing: " +
             told.simulation->findings.front().text + ". Correct it first.";
    case Limiter::bytes_in_flight: {
      const std::uint64_t bytes = loads_in_flight(told);
      return "The limiter is too few bytes in flight: its accesses are as good as they can be, but "
             "the resident threads of a multiprocessor load at most " +
             kilobytes(bytes) + " at a time, and covering the latency of memory takes about " +
             kilobytes(kCoveringLoads) + "." + advice(limiter);
    }
    case Limiter::instructions:
      return "The limiter is the number of instructions: " +
             std::to_string(told.hardware->instructions) +
             " by warps keep the schedulers busy for most of the time. Wider accesses and "
             "less index arithmetic need fewer.";
    case Limiter::roof:
      return share_of_roof(told) != 0
                 ? "The limiter is the roof itself: memory moves no faster."
                 : "The limiter is the roof itself, as far as the simulator can see: every sector "
                   "and wavefront is needed, and enough is in flight to cover the latency of "
                   "memory.";
    case Limiter::unknown:
      return "There is neither a simulator nor a counter to tell the limiter by: " +
             told.no_simulation;
    default: {
      std::string text = "The limiter is " + words_of(limiter, told) + '.';
      for (const Cost& other : pattern_costs(told.simulation->totals()))
        if (other.what != limiter) text += " There are also " + words_of(other.what, told) + '.';
      return text + advice(limiter);
    }
  }
}

// The time of the roof says how long a clock is.
bool issues_most_of_the_time(const Explanation& told) {
  const double share = share_of_roof(told);
  if (share == 0) return false;
  const AccessTotals sum = totals_of(told);
  const double launch_clocks =
      number(sum.ideal_load_sectors + sum.ideal_store_sectors) / kCopiedSectorsAClock / share;
  return number(told.hardware->instructions) / kInstructionsAClock > kMostClocks * launch_clocks;
}

}  // namespace

Limiter limiter_of(const Explanation& told) {
  if (told.simulation && !told.simulation->findings.empty()) return Limiter::wrong;
  if (share_of_roof(told) >= kAtTheRoof) return Limiter::roof;
  if (!told.simulation) return Limiter::unknown;
  const AccessTotals sum = totals_of(told);
  if (const auto costs = pattern_costs(sum); !costs.empty()) return costs.front().what;
  if (issues_most_of_the_time(told)) return Limiter::instructions;
  const std::uint64_t under_way = loads_in_flight(told);  // 0: the device itself copies
  return under_way != 0 && under_way < kCoveringLoads ? Limiter::bytes_in_flight : Limiter::roof;
}

std::string limiter_words(const Explanation& told) {
  const std::string agreed = agreement(told);
  return standing(told) + closing(limiter_of(told), told) + (agreed.empty() ? "" : ' ' + agreed);
}

}  // namespace xpose
