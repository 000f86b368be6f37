// Routes between processes, whose messages a communicator of Python carries.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>
#include <xpose/ranks.hpp>

#include "mover.hpp"

namespace xpose::python {

namespace nb = nanobind;

// The ranks of an object of _mpi.py. All its calls are made in the thread that runs a route, with
// Python's lock, which is free between them.
class PythonRanks final : public Ranks {
 public:
  explicit PythonRanks(nb::object carrier);
  ~PythonRanks() override;
  PythonRanks(const PythonRanks&) = delete;
  PythonRanks& operator=(const PythonRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) override;
  void receive(int rank, int channel, std::shared_ptr<std::byte[]> data, std::uint64_t bytes,
               std::uint64_t id) override;
  std::vector<std::uint64_t> wait(double seconds) override;
  void abandon() noexcept override;

  // Python's exception that ended a run, where one did. With Python's lock.
  void raise() const { interruption_.raise(); }

 private:
  struct Transfer {
    std::shared_ptr<const std::byte[]> data;
    std::uint64_t bytes = 0;
    std::uint64_t id = 0;  // of the route's, which may state one twice
  };
  using Transfers = std::map<std::uint64_t, Transfer>;

  void begin(const char* name, int rank, int channel, Transfer transfer);
  std::vector<std::uint64_t> test();
  template <class Call>
  auto ask(const Call& call);

  nb::object carrier_;
  int rank_ = 0, size_ = 1;
  bool is_given_up_ = false;
  std::uint64_t open_bytes_ = 0;
  std::uint64_t begun_ = 0;  // transfers
  Transfers open_;           // by their number
  Interruption interruption_;
};

// The classes Placement, Ranks, DeviceRanks and Route of the module, and what makes placements.
void define_routes(nb::module_& m);

}  // namespace xpose::python
