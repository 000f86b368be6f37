// One rank of a test of the lifetimes of routes and of their communicators, started by
// lifetimes_test.py:
//   mpi_lifetimes orders HOSTS   each rank destroys its routes in an order of its own, at its own
//   time mpi_lifetimes late HOSTS     notices that nobody receives, before other ranks of MPI
//   mpi_lifetimes outlives HOSTS routes that are destroyed after MPI_Finalize()
//   mpi_lifetimes slow HOSTS     a rank that is always the last one, and the signs that it gets
//   mpi_lifetimes fatal HOSTS    errors of MPI on a communicator that ends the process with them
// HOSTS: ranks of equal remainder are of one host. The last line tells how many objects of MPI were
// not freed.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "drawn_route.hpp"
#include "unlucky.hpp"
#include "xpose/mpi.hpp"
#include "xpose/route.hpp"

namespace {
int objects = 0;  // of MPI, that the library has made and not freed
int hosts = 1;
}  // namespace

extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  ++objects;
  return PMPI_Comm_dup(comm, made);
}
extern "C" int MPI_Comm_split_type(MPI_Comm comm, int, int key, MPI_Info, MPI_Comm* made) {
  ++objects;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return PMPI_Comm_split(comm, rank % hosts, key, made);
}
extern "C" int MPI_Comm_free(MPI_Comm* comm) {
  --objects;
  return PMPI_Comm_free(comm);
}
extern "C" int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy,
                                      MPI_Comm_delete_attr_function* remove, int* key,
                                      void* extra) {
  ++objects;
  return PMPI_Comm_create_keyval(copy, remove, key, extra);
}
extern "C" int MPI_Comm_free_keyval(int* key) {
  --objects;
  return PMPI_Comm_free_keyval(key);
}
extern "C" int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                                       void* data, MPI_Win* made) {
  ++objects;
  return PMPI_Win_allocate_shared(bytes, unit, info, comm, data, made);
}
extern "C" int MPI_Win_free(MPI_Win* window) {
  --objects;
  return PMPI_Win_free(window);
}

namespace xpose {
namespace {

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void fail(const std::string& text) {
  std::cerr << "rank " << world_rank() << ": " << text << '\n';
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void rest(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

std::shared_ptr<std::byte[]> notice_of(int value) {
  const auto notice = std::make_shared<std::byte[]>(1024);
  std::fill_n(notice.get(), 1024, static_cast<std::byte>(value));
  return notice;
}

// A route with its arrays.
class Trip {
 public:
  Trip(Engine& engine, const std::shared_ptr<Ranks>& ranks, std::uint64_t seed)
      : drawn_(drawn_route(seed, 100, ranks->size())) {
    drawn_.options.ranks = ranks;
    in_ = Scattered(drawn_.from).array(drawn_.from, ranks->rank(), false);
    wanted_ = Scattered(drawn_.to).array(drawn_.to, ranks->rank(), drawn_.options.transpose);
    route_.emplace(engine.route(drawn_.from, drawn_.to, drawn_.options));
  }

  void run() {
    std::vector<std::byte> out =
        drawn_.options.in_place ? in_ : std::vector(wanted_.size(), std::byte{0xa5});
    route_->run(drawn_.options.in_place ? out.data() : in_.data(), out.data());
    if (out != wanted_) fail("a route is wrong");
  }

 private:
  DrawnRoute drawn_;
  std::vector<std::byte> in_, wanted_;
  std::optional<Route> route_;
};

// Communicators of all ranks, in their order and in the reverse one, of every other rank, and of
// one.
std::vector<MPI_Comm> communicators() {
  const int rank = world_rank();
  std::vector<MPI_Comm> made(2, MPI_COMM_NULL);
  PMPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &made[0]);
  PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made[1]);
  made.push_back(MPI_COMM_WORLD);
  made.push_back(MPI_COMM_SELF);
  return made;
}

void free_all(std::vector<MPI_Comm>& comms) {
  for (MPI_Comm& comm : comms)
    if (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF) PMPI_Comm_free(&comm);
}

int run_orders() {
  Engine engine(own_plugins());
  const int rank = world_rank();
  std::vector<MPI_Comm> comms = communicators();
  for (int round = 0; round < 2; ++round) {
    std::vector<std::unique_ptr<Trip>> trips;
    for (int i = 0; i < 8; ++i) {
      MPI_Comm comm = comms[static_cast<std::size_t>(i) % comms.size()];
      trips.push_back(std::make_unique<Trip>(engine, mpi_ranks(comm), 8 * round + i));
    }
    for (const auto& trip : trips) trip->run();
    // From another one on, forwards or backwards.
    std::rotate(trips.begin(), trips.begin() + rank % 8, trips.end());
    if (rank % 2 == 1) std::reverse(trips.begin(), trips.end());
    for (auto& trip : trips) {
      if (rank == round) rest(50);
      trip.reset();
    }
    if (rank == 0 && round == 1) rest(1200);
  }
  free_all(comms);
  return 0;
}

// One that meets a receive of later ranks has another value.
int run_late() {
  for (int round = 1; round < 10; ++round) {
    const auto ranks = mpi_ranks(MPI_COMM_WORLD);
    const int next = (ranks->rank() + 1) % ranks->size();
    const int last = (ranks->rank() + ranks->size() - 1) % ranks->size();
    const auto received = notice_of(0);
    ranks->receive(last, 0, received, 1024, 1);
    for (int i = 0; i < 3; ++i) ranks->send(next, 0, notice_of(round), 1024, 2);
    bool has_come = false;
    while (!has_come) has_come = std::ranges::count(ranks->wait(0.01), std::uint64_t{1}) > 0;
    if (received[0] != static_cast<std::byte>(round) || received[1023] != received[0])
      fail("a notice of other ranks has come");
  }
  return 0;
}

// The routes of `kept`, which main() destroys after MPI_Finalize().
int run_outlives(std::vector<std::unique_ptr<Trip>>& kept, std::vector<Route>& devices,
                 Engine& engine) {
  for (int i = 0; i < 3; ++i)
    kept.push_back(std::make_unique<Trip>(engine, mpi_ranks(MPI_COMM_WORLD), i));
  for (const auto& trip : kept) trip->run();
  RouteOptions options;
  options.devices = mpi_device_ranks(MPI_COMM_WORLD, {DeviceKind::host, 0});
  const Placement slabs = row_slabs(64, 64, 8, options.devices->size());
  const auto elements =
      static_cast<std::size_t>(local_array(slabs, options.devices->rank()).elements);
  const std::vector<double> in(elements);
  std::vector<double> out(elements);
  devices.push_back(engine.route(slabs, slabs, options));
  devices.back().run(in.data(), out.data());
  return 0;
}

// Ranks that wait for the slow one send it signs, one for each of its runs. It must take them, or
// MPI keeps them for ever.
int run_slow() {
  constexpr int kRuns = 200;
  const auto ranks = mpi_ranks(MPI_COMM_WORLD);
  const int size = ranks->size();
  int taken = 0;
  const auto take = [&](int rank) {
    ranks->receive(rank, 0, notice_of(0), 1024, static_cast<std::uint64_t>(rank));
  };
  if (ranks->rank() == 0)
    for (int rank = 1; rank < size; ++rank) take(rank);
  for (int run = 0; run < kRuns; ++run) {
    const auto letter = notice_of(run);
    if (ranks->rank() != 0) {
      ranks->send(0, 0, notice_of(run), 1024, 1000);
      ranks->send(0, 2, letter, 1024, 2000);
      ranks->receive(0, 2, notice_of(0), 1024, 3000);
      for (bool has_come = false; !has_come;)
        has_come = std::ranges::count(ranks->wait(0.01), std::uint64_t{3000}) > 0;
      continue;
    }
    rest(2);
    for (int rank = 1; rank < size; ++rank) {
      ranks->send(rank, 2, letter, 1024, 2000);
      ranks->receive(rank, 2, notice_of(0), 1024, 4000);
    }
    for (int to_come = size - 1; to_come > 0;)
      for (const std::uint64_t id : ranks->wait(0.01)) {
        if (id == 4000) --to_come;
        if (id >= 1000) continue;
        ++taken;
        take(static_cast<int>(id));
      }
  }
  if (ranks->rank() == 0 && taken < (size - 1) * kRuns / 2)
    fail("only " + std::to_string(taken) + " notices were taken");
  return 0;
}

int run_fatal() {
  const auto ranks = mpi_ranks(MPI_COMM_WORLD);
  try {
    ranks->send(ranks->size(), 0, notice_of(0), 1024, 1);
  } catch (const Error& error) {
    return std::string(error.what()).find("MPI cannot send to rank") == 0 ? 0 : 1;
  }
  return 1;
}

int run(const std::string& mode) {
  if (mode == "orders") return run_orders();
  if (mode == "late") return run_late();
  if (mode == "slow") return run_slow();
  if (mode == "fatal") return run_fatal();
  std::cerr << "mpi_lifetimes: see its source for the arguments\n";
  return 2;
}

}  // namespace
}  // namespace xpose

int main(int argc, char** argv) {
  const std::string mode = argc == 3 ? argv[1] : "";
  hosts = argc == 3 ? std::atoi(argv[2]) : 1;
  MPI_Init(nullptr, nullptr);
  const int rank = xpose::world_rank();
  int result = 1;
  std::vector<std::unique_ptr<xpose::Trip>> kept;
  std::vector<xpose::Route> devices;
  xpose::Engine engine(xpose::own_plugins());
  try {
    result = mode == "outlives" ? xpose::run_outlives(kept, devices, engine) : xpose::run(mode);
  } catch (const std::exception& error) {
    xpose::fail(error.what());
  }
  MPI_Finalize();
  for (const auto& trip : kept) try {
      trip->run();
      result = 1;
    } catch (const xpose::Error& error) {
      if (error.kind() != xpose::ErrorKind::invalid) result = 1;
    }
  kept.clear();
  devices.clear();
  std::cout << "rank " + std::to_string(rank) + ": " + std::to_string(objects) + " objects\n";
  return result;
}
