// Ranks with a device each over ranks that send from host memory. Unlike NCCL's work, that of these
// waits on the host: every call gives signs of life as long as it waits, so that the silent rank is
// named by all others.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "route/roll_call.hpp"
#include "route/staging.hpp"
#include "xpose/ranks.hpp"

namespace xpose {

class Carried final : public CarriedRanks {
 public:
  Carried(std::shared_ptr<Ranks> carrier, Backend& backend, const CarriedOptions& options);

  int rank() const override { return carrier_->rank(); }
  int size() const override { return carrier_->size(); }
  Device device() const override { return backend_.info().device; }
  void* stream() const override { return stream_; }
  bool reaches_others() const override { return false; }
  bool may_map_arrays() const override { return options_.may_map_arrays; }
  bool exchange_waits() const override { return true; }
  bool is_direct() const override { return is_direct_; }
  void use_stream(void* stream) override { stream_ = stream; }

  // From the first one on, the ranks give signs of life, until finish().
  std::vector<Notice> gather(const Notice& own, double seconds) override;
  void exchange(const std::vector<Transfer>& sends, const std::vector<Transfer>& receives,
                double seconds) override;
  void finish(double seconds) override;
  void abandon() noexcept override;

 private:
  struct Claim;

  void agree();
  std::vector<Claim> claims(const Claim& own);
  bool arrives_right(int distance);
  void exchange_directly(const std::vector<Transfer>& sends, const std::vector<Transfer>& receives,
                         const std::function<void()>& check);
  void part();
  void check_open() const;
  void throw_late_failure();
  // Handles what ends until `is_over`.
  void pump_until(const std::function<bool()>& is_over);
  void wait_for_stream();
  void pump(double seconds);
  void handle(std::uint64_t id);

  std::shared_ptr<Ranks> carrier_;
  Backend& backend_;
  void* stream_;
  CarriedOptions options_;
  Staging staging_;
  std::optional<RollCall> roll_call_;
  std::size_t open_ = 0;  // notices and direct messages
  bool is_gathering_ = false;
  std::exception_ptr failure_;  // of another rank, amid a gathering that may tell its reason
  double failure_end_ = 0;      // of the wait for that
  bool is_direct_ = false, is_given_up_ = false;
};

}  // namespace xpose
