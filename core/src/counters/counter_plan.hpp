// How metrics are counted and evaluated: CUPTI's functions that need no device. Throws Denial.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace xpose {

// How to count metrics on a chip; needs no device.
class CounterPlan {
 public:
  CounterPlan(const std::string& chip, const std::vector<std::string>& wanted);
  CounterPlan(const CounterPlan&) = delete;
  CounterPlan& operator=(const CounterPlan&) = delete;
  ~CounterPlan();

  const std::vector<std::string>& metrics() const { return metrics_; }  // that the chip has
  const std::vector<std::string>& unknown() const { return unknown_; }
  std::size_t passes() const { return passes_; }
  const std::vector<std::uint8_t>& image() const { return image_; }
  // Of the one range in what Profiler::count gave; in the order of metrics().
  std::vector<double> evaluate(const std::vector<std::uint8_t>& counted) const;

 private:
  void schedule(const std::vector<std::string>& wanted);
  void release() noexcept;
  void* host_ = nullptr;
  std::vector<std::string> metrics_;
  std::vector<std::string> unknown_;
  std::vector<std::uint8_t> image_;
  std::size_t passes_ = 0;
};

}  // namespace xpose
