#include "routes.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>
#include <xpose/route.hpp>

#include "arrays.hpp"
#include "interpreter_lock.hpp"

namespace xpose::python {

using namespace nb::literals;

PythonRanks::PythonRanks(nb::object carrier)
    : carrier_(std::move(carrier)),
      rank_(nb::cast<int>(carrier_.attr("rank"))),
      size_(nb::cast<int>(carrier_.attr("size"))) {}

// Calls Python. Its exception ends the run as an Error that the other ranks are told of.
template <class Call>
auto PythonRanks::ask(const Call& call) {
  const Locked lock;
  try {
    return staying(call);
  } catch (const nb::python_error& error) {
    const std::string text = nb::cast<std::string>(nb::str(error.value()));
    interruption_.keep();
    throw Error(ErrorKind::failed, "the communicator failed: " + text);
  }
}

PythonRanks::~PythonRanks() {
  const Locked lock;
  try {
    if (!open_.empty()) ask([&] { carrier_.attr("withdraw")(); });
  } catch (...) {  // MPI may use their buffers
    abandon();
  }
  carrier_.reset();
}

void PythonRanks::begin(const char* name, int rank, int channel, Transfer transfer) {
  if (is_given_up_)
    throw Error(ErrorKind::failed,
                "the ranks of this communicator were given up after a failure; use another one, or "
                "end the program by its Abort()");
  // Python writes to no buffer that is sent.
  auto* const data = const_cast<char*>(reinterpret_cast<const char*>(transfer.data.get()));
  const auto bytes = static_cast<Py_ssize_t>(transfer.bytes);
  const std::uint64_t number = ++begun_;
  open_bytes_ += transfer.bytes;
  open_.emplace(number, std::move(transfer));
  ask([&] {
    nb::object view = nb::steal(PyMemoryView_FromMemory(data, bytes, PyBUF_WRITE));
    if (!view.is_valid()) nb::raise_python_error();
    carrier_.attr(name)(rank, channel, view, number);
  });
}

void PythonRanks::send(int rank, int channel, std::shared_ptr<const std::byte[]> data,
                       std::uint64_t bytes, std::uint64_t id) {
  begin("send", rank, channel, {std::move(data), bytes, id});
}

void PythonRanks::receive(int rank, int channel, std::shared_ptr<std::byte[]> data,
                          std::uint64_t bytes, std::uint64_t id) {
  begin("receive", rank, channel, {std::move(data), bytes, id});
}

std::vector<std::uint64_t> PythonRanks::test() {
  std::vector<std::uint64_t> ids;
  for (const std::uint64_t number :
       ask([&] { return nb::cast<std::vector<std::uint64_t>>(carrier_.attr("test")()); })) {
    const auto ended = open_.find(number);
    ids.push_back(ended->second.id);
    open_bytes_ -= ended->second.bytes;
    open_.erase(ended);
  }
  return ids;
}

std::vector<std::uint64_t> PythonRanks::wait(double seconds) {
  return wait_asking(seconds, open_bytes_, [this] {
    if (interruption_.came()) throw Error(ErrorKind::failed, "interrupted by a signal");
    return test();
  });
}

void PythonRanks::abandon() noexcept try {
  if (is_given_up_) return;
  is_given_up_ = true;
  // MPI may use a buffer as long as a lost rank has not answered: for ever.
  static_cast<void>(new Transfers(std::move(open_)));
  open_.clear();
  ask([&] { carrier_.attr("abandon")(); });
} catch (...) {  // the exception that led here is told
}

namespace {

// Calls the library without Python's lock. Python's exception of the ranks comes before its Error.
template <class Call>
auto unlocked(const std::shared_ptr<PythonRanks>& ranks, const Call& call) {
  try {
    const Unlocked lock;
    return call();
  } catch (const Error&) {
    if (ranks != nullptr) ranks->raise();
    throw;
  }
}

// Ranks with a device each. Null ranks: this process alone.
class PythonDeviceRanks {
 public:
  PythonDeviceRanks(std::shared_ptr<PythonRanks> ranks, bool on_cuda, int ordinal,
                    bool may_be_direct, std::uint64_t memory, double deadline) {
    CarriedOptions options;
    options.may_be_direct = may_be_direct;
    options.memory = std::min(memory, options.memory);
    options.seconds = deadline;
    const Device device{on_cuda ? DeviceKind::cuda : DeviceKind::host, ordinal};
    carried_ = unlocked(ranks, [&] { return carried_ranks(ranks, device, options); });
  }

  const std::shared_ptr<CarriedRanks>& carried() const { return carried_; }

 private:
  std::shared_ptr<CarriedRanks> carried_;
};

// A route, and the ranks that it keeps.
class PythonRoute {
 public:
  PythonRoute(Mover& mover, const Placement& from, const Placement& to,
              std::shared_ptr<PythonRanks> ranks, const PythonDeviceRanks* devices, bool transpose,
              bool in_place, std::uint64_t memory, double deadline)
      : ranks_(std::move(ranks)),
        carried_(devices == nullptr ? nullptr : devices->carried()),
        route_(mover.engine().route(from, to, [&] {
          RouteOptions options;
          if (carried_ == nullptr) options.ranks = ranks_;
          options.devices = carried_;
          options.transpose = transpose;
          options.in_place = in_place;
          options.memory = memory;
          options.deadline_seconds = deadline;
          return options;
        }())) {}

  nb::dict run(nb::handle in, nb::handle out, nb::handle stream) {
    const void* const from = pointer(in);
    void* const to = pointer(out);
    if (carried_ != nullptr) carried_->use_stream(pointer(stream));
    const RouteReport report = unlocked(ranks_, [&] { return route_.run(from, to); });
    nb::dict all;
    all["messages_sent"] = report.messages_sent;
    all["messages_received"] = report.messages_received;
    all["chunks_sent"] = report.chunks_sent;
    all["bytes_sent"] = report.bytes_sent;
    all["bytes_received"] = report.bytes_received;
    all["bytes_kept"] = report.bytes_kept;
    all["tiles"] = report.tiles;
    all["seconds"] = report.seconds;
    all["direct"] = carried_ != nullptr && carried_->is_direct();
    return all;
  }

 private:
  std::shared_ptr<PythonRanks> ranks_;     // null: this process alone
  std::shared_ptr<CarriedRanks> carried_;  // null: in host memory
  Route route_;
};

nb::tuple local_shape(const Placement& placement, int rank) {
  const LocalArray array = local_array(placement, rank);
  return nb::make_tuple(array.rows, array.cols);
}

}  // namespace

void define_routes(nb::module_& m) {
  nb::class_<Placement>(m, "Placement")
      .def("local_shape", &local_shape, "rank"_a)
      .def_prop_ro("is_row_major",
                   [](const Placement& placement) { return placement.order == Order::row_major; })
      .def_prop_ro("ranks", [](const Placement& placement) { return placement.ranks; });
  m.def("on_one_rank", &on_one_rank, "rows"_a, "cols"_a, "itemsize"_a, "rank"_a);
  m.def("row_slabs", &row_slabs, "rows"_a, "cols"_a, "itemsize"_a, "ranks"_a);
  m.def("column_slabs", &column_slabs, "rows"_a, "cols"_a, "itemsize"_a, "ranks"_a);
  m.def(
      "block_cyclic",
      [](std::int64_t rows, std::int64_t cols, std::uint32_t itemsize, std::int64_t block_rows,
         std::int64_t block_cols, int first_row, int first_col, int grid_rows, int grid_cols,
         bool column_major_grid) {
        return block_cyclic({.m = rows,
                             .n = cols,
                             .mb = block_rows,
                             .nb = block_cols,
                             .rsrc = first_row,
                             .csrc = first_col,
                             .nprow = grid_rows,
                             .npcol = grid_cols,
                             .grid = column_major_grid ? Order::column_major : Order::row_major},
                            itemsize);
      },
      "rows"_a, "cols"_a, "itemsize"_a, "block_rows"_a, "block_cols"_a, "first_row"_a,
      "first_col"_a, "grid_rows"_a, "grid_cols"_a, "column_major_grid"_a);
  m.def("relabelled", &relabelled, "source"_a, "target"_a, "transpose"_a);
  nb::class_<PythonRanks>(m, "Ranks").def(nb::init<nb::object>(), "carrier"_a);
  nb::class_<PythonDeviceRanks>(m, "DeviceRanks")
      .def(nb::init<std::shared_ptr<PythonRanks>, bool, int, bool, std::uint64_t, double>(),
           "ranks"_a.none(), "on_cuda"_a, "ordinal"_a, "may_be_direct"_a, "memory"_a, "deadline"_a);
  nb::class_<PythonRoute>(m, "Route")
      .def(nb::init<Mover&, const Placement&, const Placement&, std::shared_ptr<PythonRanks>,
                    const PythonDeviceRanks*, bool, bool, std::uint64_t, double>(),
           "engine"_a, "source"_a, "target"_a, "ranks"_a.none(), "devices"_a.none(), "transpose"_a,
           "in_place"_a, "memory"_a, "deadline"_a)
      .def("run", &PythonRoute::run, "source"_a, "target"_a, "stream"_a);
}

}  // namespace xpose::python
