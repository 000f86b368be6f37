// One rank of a test of routes over MPI between arrays on devices, started by device_test.py:
//   mpi_device_routes exact DEVICE WAY SEED COUNT EXTENT   matrices of at most so many rows,
//   columns mpi_device_routes lost DEVICE WAY FOLDER SIGNAL CALL   rank 2 sends itself the signal
//   mpi_device_routes late DEVICE WAY FOLDER               rank 2 makes no ranks
// DEVICE: "host", or "cuda:0", which all ranks may share. WAY: "staged"; "mapped", where devices
// reach each other; "asked", as MPI says; "direct", by an MPI that is said to take memory of the
// device; "wrong", by one that sends a wrong byte from there.
#include <algorithm>
#include <csignal>
#include <iostream>

#include "drawn_route.hpp"
#include "unlucky.hpp"
#include "xpose/mpi.hpp"

namespace xpose {
namespace {

// Sends another byte in messages that only a trial has: of more than the drawn matrices.
class Wrong : public Unlucky {
 public:
  explicit Wrong(std::shared_ptr<Ranks> ranks)
      : Unlucky(
            std::move(ranks), [] {}, 0) {}
  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) override {
    if (this->rank() == 1 && bytes > 1 << 20) {
      const std::shared_ptr<std::byte[]> changed = std::make_shared<std::byte[]>(bytes);
      std::copy_n(data.get(), bytes, changed.get());
      changed[bytes / 2] ^= std::byte{4};
      data = changed;
    }
    Unlucky::send(rank, channel, std::move(data), bytes, id);
  }
};

struct Way {
  Device device;
  std::string name;

  std::shared_ptr<CarriedRanks> ranks(std::shared_ptr<Ranks> carrier, std::uint64_t memory) const {
    if (name == "wrong") carrier = std::make_shared<Wrong>(std::move(carrier));
    return carried_ranks(std::move(carrier), device,
                         {.may_be_direct = may_be_direct(),
                          .may_map_arrays = may_map_arrays(),
                          .memory = memory,
                          .seconds = 300});
  }
  bool may_be_direct() const {
    return name == "asked" ? mpi_takes_device_memory() : name != "staged" && name != "mapped";
  }
  bool may_map_arrays() const { return name == "mapped"; }
};

bool is_exact(Engine& engine, const std::shared_ptr<DeviceRanks>& ranks, std::uint64_t seed,
              std::int64_t extent, std::int64_t& bytes_sent) {
  auto [options, from, to] = drawn_route(seed, extent, ranks->size());
  options.devices = ranks;
  const std::vector<std::byte> given = Scattered(from).array(from, ranks->rank(), false);
  const std::vector<std::byte> wanted = Scattered(to).array(to, ranks->rank(), options.transpose);
  DeviceMemory in(ranks->device(), given.size()), out(ranks->device(), wanted.size());
  in.upload(given.data(), given.size());
  std::vector<std::byte> found(wanted.size(), std::byte{0xa5});
  out.upload(found.data(), found.size());
  DeviceMemory& target = options.in_place ? in : out;
  Route route = engine.route(from, to, options);
  const RouteReport report = route.run(in.data(), target.data());
  bytes_sent += report.bytes_sent;
  target.download(found.data(), found.size());
  return found == wanted;
}

int run_exact(const Way& way, std::uint64_t seed, int count, std::int64_t extent) {
  Engine engine(own_plugins());
  // Pieces of several sizes, in messages as if an MPI count were a small one.
  const auto large = way.ranks(mpi_ranks(MPI_COMM_WORLD), 1 << 24);
  const auto small = way.ranks(std::make_shared<MpiRanks>(MPI_COMM_WORLD, 1100), 20000);
  std::int64_t bytes = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t number = seed + static_cast<std::uint64_t>(i);
    int own = is_exact(engine, i % 2 == 0 ? large : small, number, extent, bytes) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (own == 0) {
      std::cout << "wrong with seed " << number << '\n';
      return 1;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  // An MPI that says nothing of devices is not tried.
  const bool is_as_asked =
      mpi_device_ranks(MPI_COMM_WORLD, way.device)->is_direct() <= mpi_takes_device_memory();
  if (large->rank() == 0)
    std::cout << count << " routes are exact, of " << bytes << " bytes in "
              << (large->is_direct() && small->is_direct() ? "direct" : "staged") << " messages"
              << (is_as_asked ? "\n" : ", and MPI was tried without its word\n");
  return 0;
}

// Whatever ends in an Error is told by all but rank 2.
int run_failing(const Way& way, const std::filesystem::path& folder, int signal, int call) {
  Engine engine(own_plugins());
  std::shared_ptr<Ranks> carrier = mpi_ranks(MPI_COMM_WORLD);
  const int rank = carrier->rank();
  if (call > 0)
    carrier = std::make_shared<Unlucky>(
        carrier, [signal] { std::raise(signal); }, call);
  const Placement from = row_slabs(400, 400, 8, 4);
  try {
    if (rank == 2 && call == 0) std::this_thread::sleep_for(std::chrono::hours(1));
    RouteOptions options;
    options.devices = carried_ranks(carrier, way.device,
                                    {.may_be_direct = way.may_be_direct(),
                                     .may_map_arrays = way.may_map_arrays(),
                                     .memory = 50000,
                                     .seconds = 5});
    options.memory = 60000;
    options.deadline_seconds = 5;
    DeviceMemory in(way.device, 400 * 100 * 8), out(way.device, 400 * 100 * 8);
    engine.route(from, from, options).run(in.data(), out.data());
  } catch (const Error& error) {
    tell(folder, rank, error.what(), 3);
  }
  tell(folder, rank, "no error", 3);
}

int run(const std::vector<std::string>& arguments) {
  const std::string mode = arguments.empty() ? "" : arguments[0];
  if (arguments.size() < 4) {
    std::cerr << "mpi_device_routes: see its source for the arguments\n";
    return 2;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (arguments[1] != "host" && !cuda_unavailable_reason().empty()) {
    if (rank == 0)
      std::cout << "This test is SKIPPED: CUDA cannot be used, " << cuda_unavailable_reason()
                << '\n';
    return 0;
  }
  const Way way{parse_device(arguments[1]), arguments[2]};
  if (arguments.size() == 6 && mode == "exact")
    return run_exact(way, std::stoull(arguments[3]), std::stoi(arguments[4]),
                     std::stoll(arguments[5]));
  if (arguments.size() == 6 && mode == "lost")
    return run_failing(way, arguments[3], std::stoi(arguments[4]), std::stoi(arguments[5]));
  return run_failing(way, arguments[3], 0, 0);
}

}  // namespace
}  // namespace xpose

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int result = 1;
  try {
    result = xpose::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "mpi_device_routes: " << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return result;
}
