// The hardware's metrics that an account is made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <xpose/explain.hpp>

namespace xpose {

struct Counter {
  const char* metric;                         // as CUPTI and Nsight Compute name it
  std::uint64_t& (*field)(HardwareAccount&);  // where its value goes
};

std::span<const Counter> counters();

// Puts the value of a metric where it belongs, rounded. False, and the account as it was, where the
// metric is not one of counters() or the value is no count (negative, not finite).
bool set_counter(HardwareAccount& account, const std::string& metric, double value);

}  // namespace xpose
