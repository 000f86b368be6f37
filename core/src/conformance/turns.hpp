// Which configs of a strategy meet a problem, where not all do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

namespace xpose {

class Turns {
 public:
  // At most `most` configs meet a problem; 0: all that serve it. Another `first` begins elsewhere.
  Turns(std::size_t most, std::size_t first) : most_(most), first_(first) {}

  // One truth value a config, in and out: whether it serves the next problem, and whether it meets
  // it. The default, which comes first, meets what it serves; then those that have met the fewest.
  std::vector<bool> next(const std::vector<bool>& serves) {
    met_.resize(serves.size());
    std::vector<std::size_t> serving;
    for (std::size_t i = 0; i < serves.size(); ++i)
      if (serves[i]) serving.push_back(i);
    std::ranges::sort(serving, {}, [&](std::size_t i) {
      return std::tuple(i != 0, met_[i], (i + first_) % serves.size());
    });
    if (most_ != 0 && most_ < serving.size()) serving.resize(most_);
    std::vector<bool> meets(serves.size());
    for (const std::size_t i : serving) {
      meets[i] = true;
      ++met_[i];
    }
    return meets;
  }

 private:
  std::size_t most_;
  std::size_t first_;
  std::vector<std::size_t> met_;  // problems, by each config
};

}  // namespace xpose
