// One rank of a test of routes over MPI, started by route_test.py:
//   mpi_routes exact SEED COUNT EXTENT   matrices of at most so many rows and columns
//   mpi_routes differs FOLDER
//   mpi_routes curves FILE BYTES         of the array of a rank
//   mpi_routes time FROM TO ROWS COLS    of a transpose; FROM and TO: "slabs" or a block size
//   mpi_routes letters                   short and long messages on two channels
//   mpi_routes small EXTENT              the messages of MPI in a run of a route of row slabs
//   mpi_routes lost FOLDER SIGNAL CALL MEMORY   rank 2 sends itself the signal at its n-th call
//   mpi_routes cut FOLDER CALL COMMAND   rank 2 has the shell run the command at its n-th call
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>

#include "drawn_route.hpp"
#include "unlucky.hpp"
#include "xpose/forecast.hpp"
#include "xpose/mpi.hpp"
#include "xpose/route.hpp"

namespace {
int isends = 0;  // of messages; a rank that waits for long sends notices besides, on channel 0
}
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int rank, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  if (tag != 0) ++isends;
  return PMPI_Isend(data, count, type, rank, tag, comm, request);
}

namespace xpose {
namespace {

// The bytes in messages of all ranks; -1 where a byte of the own array is wrong after the route.
std::int64_t exact_bytes(Engine& engine, const std::shared_ptr<Ranks>& ranks, std::uint64_t seed,
                         std::int64_t extent) {
  auto [options, from, to] = drawn_route(seed, extent, ranks->size());
  options.ranks = ranks;
  const std::vector<std::byte> in = Scattered(from).array(from, ranks->rank(), false);
  const std::vector<std::byte> wanted = Scattered(to).array(to, ranks->rank(), options.transpose);
  std::vector<std::byte> out = options.in_place ? in : std::vector(wanted.size(), std::byte{0xa5});
  Route route = engine.route(from, to, options);
  route.run(options.in_place ? out.data() : in.data(), out.data());
  return out == wanted ? route.figures().bytes_sent : -1;
}

int run_exact(std::uint64_t seed, int count, std::int64_t extent) {
  Engine engine(own_plugins());
  // Messages in pieces as if an MPI count were a small one.
  const auto whole = mpi_ranks(MPI_COMM_WORLD);
  const auto in_pieces = std::make_shared<MpiRanks>(MPI_COMM_WORLD, 1100);
  std::int64_t bytes = 0;
  for (int i = 0; i < count; ++i) {
    const std::shared_ptr<Ranks> ranks = i % 2 == 0 ? whole : std::shared_ptr<Ranks>(in_pieces);
    std::int64_t own = exact_bytes(engine, ranks, seed + static_cast<std::uint64_t>(i), extent);
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    if (own < 0) {
      std::cout << "wrong with seed " << seed + static_cast<std::uint64_t>(i) << '\n';
      return 1;
    }
    bytes += own;
  }
  if (whole->rank() == 0)
    std::cout << count << " routes are exact, of " << bytes << " bytes in messages\n";
  return 0;
}

int run_curves(const std::filesystem::path& file, std::uint64_t memory) {
  Engine engine(own_plugins());
  CurveOptions options;
  options.ranks = mpi_ranks(MPI_COMM_WORLD);
  options.ranks_per_host = options.ranks->size();
  options.memory = memory;
  const RouteCurves curves = measure_curves(engine, options);
  if (options.ranks->rank() == 0) std::ofstream(file) << curves_json(curves);
  return 0;
}

// Row slabs, or blocks over a grid of 2 rows.
Placement placement_of(const std::string& text, std::int64_t rows, std::int64_t cols, int ranks) {
  if (text == "slabs") return row_slabs(rows, cols, 8, ranks);
  const std::int64_t block = std::stoll(text);
  return block_cyclic(
      {.m = rows, .n = cols, .mb = block, .nb = block, .nprow = 2, .npcol = ranks / 2}, 8);
}

// The median of some runs after the first.
int run_timed(const std::string& from_text, const std::string& to_text, std::int64_t rows,
              std::int64_t cols) {
  Engine engine(own_plugins());
  RouteOptions options;
  options.ranks = mpi_ranks(MPI_COMM_WORLD);
  const int rank = options.ranks->rank(), ranks = options.ranks->size();
  const Placement from = placement_of(from_text, rows, cols, ranks);
  const Placement to = placement_of(to_text, cols, rows, ranks);
  const auto bytes = [&](const Placement& placement) {
    return static_cast<std::size_t>(local_array(placement, rank).elements) * 8;
  };
  const std::vector<std::byte> in(bytes(from));
  std::vector<std::byte> out(bytes(to));
  Route route = engine.route(from, to, options);
  route.run(in.data(), out.data());
  std::vector<double> seconds;
  for (int i = 0; i < 15; ++i) seconds.push_back(route.run(in.data(), out.data()).seconds);
  std::ranges::sort(seconds);
  if (rank == 0) std::cout << seconds[seconds.size() / 2] << '\n';
  return 0;
}

std::shared_ptr<std::byte[]> filled(std::uint64_t bytes, int value) {
  const auto buffer = std::make_shared<std::byte[]>(bytes);
  std::fill_n(buffer.get(), bytes, static_cast<std::byte>(value));
  return buffer;
}

// More messages to the next rank than boxes have places, of which those of the second channel are
// received first, and every third is too long for a place.
int run_letters() {
  constexpr int kMessages = 15, kChannels = 2;
  const auto ranks = mpi_ranks(MPI_COMM_WORLD);
  const int size = ranks->size();
  const auto bytes = [](int number) {
    return number % 3 == 2 ? std::uint64_t{100000} : static_cast<std::uint64_t>(100 * number + 1);
  };
  const auto value = [](int rank, int number, int channel) {
    return 100 * rank + 20 * channel + number;
  };
  std::vector<std::shared_ptr<std::byte[]>> received;
  std::size_t ended = 0;
  const auto pump = [&](double seconds) { ended += ranks->wait(seconds).size(); };
  for (int number = 0; number < kMessages; ++number)
    for (int channel = 0; channel < kChannels; ++channel)
      ranks->send((ranks->rank() + 1) % size, 2 + channel,
                  filled(bytes(number), value(ranks->rank(), number, channel)), bytes(number), 1);
  const int from = (ranks->rank() + size - 1) % size;
  for (int channel = kChannels - 1; channel >= 0; --channel) {
    for (int number = 0; number < kMessages; ++number) {
      received.push_back(filled(bytes(number), 0));
      ranks->receive(from, 2 + channel, received.back(), bytes(number), 2);
    }
    pump(0.01);
  }
  const double end = ranks->seconds() + 60;
  while (ended < 2 * kMessages * kChannels && ranks->seconds() < end) pump(0.01);
  int wrong = ended == 2 * kMessages * kChannels ? 0 : 1;
  for (int i = 0; i < kMessages * kChannels; ++i) {
    const int number = i % kMessages, channel = kChannels - 1 - i / kMessages;
    const auto wanted = filled(bytes(number), value(from, number, channel));
    const std::byte* const found = received[static_cast<std::size_t>(i)].get();
    if (!std::equal(found, found + bytes(number), wanted.get())) ++wrong;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (ranks->rank() == 0) std::cout << wrong << " wrong\n";
  return 0;
}

// The most of some runs.
int run_small(std::int64_t extent) {
  Engine engine(own_plugins());
  RouteOptions options;
  options.ranks = mpi_ranks(MPI_COMM_WORLD);
  const Placement slabs = row_slabs(extent, extent, 8, options.ranks->size());
  const LocalArray local = local_array(slabs, options.ranks->rank());
  const std::vector<std::byte> in(static_cast<std::size_t>(local.elements) * 8);
  std::vector<std::byte> out(in.size());
  Route route = engine.route(slabs, slabs, options);
  int most = 0;
  for (int i = 0; i < 20; ++i) {
    const int before = isends;
    route.run(in.data(), out.data());
    int sent = isends - before;
    MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    most = std::max(most, sent);
  }
  if (options.ranks->rank() == 0) std::cout << most << '\n';
  return 0;
}

// A route of four ranks, whose errors are told; without an accident they state different routes.
int run_failing(const std::filesystem::path& folder, const std::function<void()>& accident,
                int call, std::size_t tellers, std::uint64_t memory = 60000) {
  Engine engine(own_plugins());
  RouteOptions options;
  options.ranks = mpi_ranks(MPI_COMM_WORLD);
  const int rank = options.ranks->rank();
  options.memory = memory;
  options.deadline_seconds = 5;
  if (accident)
    options.ranks = std::make_shared<Unlucky>(options.ranks, accident, call);
  else if (rank == 1)
    options.memory += 1;
  const Placement from = row_slabs(1600, 1600, 8, 4);
  const std::vector<std::byte> in(1600 * 400 * 8);
  std::vector<std::byte> out(in.size());
  try {
    engine.route(from, from, options).run(in.data(), out.data());
  } catch (const Error& error) {
    tell(folder, rank, error.what(), tellers);
  }
  tell(folder, rank, "no error", tellers);
}

int run(const std::vector<std::string>& arguments) {
  const std::string mode = arguments.empty() ? "" : arguments[0];
  if (arguments.size() == 4 && mode == "exact")
    return run_exact(std::stoull(arguments[1]), std::stoi(arguments[2]), std::stoll(arguments[3]));
  if (arguments.size() == 2 && mode == "differs") return run_failing(arguments[1], nullptr, 0, 4);
  if (arguments.size() == 1 && mode == "letters") return run_letters();
  if (arguments.size() == 2 && mode == "small") return run_small(std::stoll(arguments[1]));
  if (arguments.size() == 5 && mode == "lost") {
    const auto accident = [signal = std::stoi(arguments[2])] { std::raise(signal); };
    return run_failing(arguments[1], accident, std::stoi(arguments[3]), 3,
                       std::stoull(arguments[4]));
  }
  if (arguments.size() == 4 && mode == "cut") {
    const auto accident = [&] {
      if (std::system(arguments[3].c_str()) != 0) std::abort();
    };
    return run_failing(arguments[1], accident, std::stoi(arguments[2]), 4);
  }
  if (arguments.size() == 3 && mode == "curves")
    return run_curves(arguments[1], std::stoull(arguments[2]));
  if (arguments.size() == 5 && mode == "time")
    return run_timed(arguments[1], arguments[2], std::stoll(arguments[3]),
                     std::stoll(arguments[4]));
  std::cerr << "mpi_routes: see its source for the arguments\n";
  return 2;
}

}  // namespace
}  // namespace xpose

int main(int argc, char** argv) {
  try {
    xpose::mpi_ranks(MPI_COMM_WORLD);
    std::cerr << "ranks were made before MPI_Init()\n";
    return 1;
  } catch (const xpose::Error&) {
  }
  MPI_Init(&argc, &argv);
  int result = 1;
  try {
    result = xpose::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "mpi_routes: " << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return result;
}
