// A number by which ranks find out whether they have stated the same.
#pragma once

#include <cstdint>
#include <string_view>

#include "xpose/placement.hpp"

namespace xpose {

// FNV-1a over 64 bits (Fowler, Noll and Vo): it tells mistakes apart, not attackers.
class Digest {
 public:
  void add(std::string_view bytes);
  void add(std::int64_t number);
  // Without leading dimension and offset, which every rank has for itself.
  void add(const Placement& placement);

  std::uint64_t value() const { return value_; }

 private:
  void add(const AxisPlacement& axis);

  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace xpose
