#include "placement/digest.hpp"

namespace xpose {

void Digest::add(std::string_view bytes) {
  for (const char byte : bytes)
    value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
}

void Digest::add(std::int64_t number) {
  for (int shift = 0; shift < 64; shift += 8)
    value_ = (value_ ^ (static_cast<std::uint64_t>(number) >> shift & 0xff)) * 0x100000001b3U;
}

void Digest::add(const AxisPlacement& axis) {
  for (const std::int64_t number : {axis.extent, axis.parts, axis.period}) add(number);
  add(static_cast<std::int64_t>(axis.intervals.size()));
  for (const AxisInterval& interval : axis.intervals) {
    add(interval.begin);
    add(interval.part);
  }
}

void Digest::add(const Placement& placement) {
  add(std::int64_t{placement.element_bytes});
  add(placement.rows);
  add(placement.cols);
  add(static_cast<std::int64_t>(placement.order));
  for (const int rank : placement.ranks) add(std::int64_t{rank});
}

}  // namespace xpose
