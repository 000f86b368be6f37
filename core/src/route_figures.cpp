#include <algorithm>
#include <string>

#include "exchange/assignment.hpp"
#include "exchange/exchange.hpp"
#include "reported.hpp"

namespace xpose {
namespace {

Exchange exchange_of(const Placement& from, const Placement& to, bool transpose) {
  check_named(from);
  check_named(to);
  return {from, to, transpose};
}

// Of seconds, and of 128 MiB.
constexpr std::size_t kMostRelabelled = 4096;

void check_relabelled(const Placement& to) {
  if (to.ranks.size() > kMostRelabelled)
    throw Error(ErrorKind::invalid,
                "a placement over " + std::to_string(to.ranks.size()) +
                    " ranks cannot be relabelled: the time is of the third power of their number, "
                    "and " +
                    std::to_string(kMostRelabelled) +
                    " are the most; use it as it is, or relabel a placement over fewer ranks");
}

}  // namespace

RouteFigures foresee(const Placement& from, const Placement& to, bool transpose) {
  return reported([&] { return exchange_of(from, to, transpose).figures(); });
}

Placement relabelled(const Placement& from, const Placement& to, bool transpose) {
  return reported([&] {
    check_relabelled(to);
    const Exchange exchange = exchange_of(from, to, transpose);
    const auto gain = [&](std::size_t rank, std::size_t cell) {
      return exchange.would_stay(to.ranks[rank], cell);
    };
    const std::vector<std::size_t> cells = best_assignment(to.ranks.size(), gain);
    std::int64_t stays = 0, would_stay = 0;
    Placement better = to;
    for (std::size_t rank = 0; rank < cells.size(); ++rank) {
      stays += gain(rank, rank);
      would_stay += gain(rank, cells[rank]);
      better.ranks[cells[rank]] = to.ranks[rank];
    }
    return would_stay > stays ? better : to;
  });
}

}  // namespace xpose
