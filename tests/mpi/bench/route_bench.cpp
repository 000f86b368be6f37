// Routes over MPI beside other ways to transpose a matrix of doubles over the same ranks:
//   mpirun -n 4 route_bench EXTENT ROUNDS            a table of the medians
//   hosts.py 2 1 1gbit mpirun route_bench EXTENT ROUNDS GBIT    with the share of the wire
// Every element is checked before the rounds and after them.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>

#include "../../core/route/scattered.hpp"
#include "contestant.hpp"

namespace xpose::bench {
namespace {

constexpr std::size_t kPairs = 3;

struct Options {
  std::int64_t extent = 0;
  std::size_t rounds = 0;
  double gbit = 0;  // of each rank's wire; 0: none
};

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Slabs, blocks that stay as they are, and blocks that change with their grid.
std::vector<Case> cases(std::int64_t extent, int ranks) {
  int height = 1;
  for (int i = 1; i * i <= ranks; ++i)
    if (ranks % i == 0) height = i;
  const std::int64_t n = (extent + ranks - 1) / ranks * ranks;
  const Layout slabs{{.m = n, .n = n, .mb = n / ranks, .nb = n, .nprow = ranks}, Order::row_major};
  const Layout square{
      {.m = n, .n = n, .mb = 64, .nb = 64, .nprow = height, .npcol = ranks / height}};
  const Layout other{{.m = n, .n = n, .mb = 100, .nb = 100, .nprow = 1, .npcol = ranks}};
  return {{"row slabs", slabs, slabs},
          {"blocks of 64", square, square},
          {"blocks of 64 to columns of 100", square, other}};
}

// An element by its place in the source: every one is another, normal number.
double value(const Case& matrix, std::int64_t row, std::int64_t col) {
  return static_cast<double>(row * matrix.from.blocks.n + col + 1);
}

// Every element of the own array and its place in the matrix.
template <class Body>
void for_elements(const Layout& layout, double* array, const Body& body) {
  const Placement placement = placement_of(layout, sizeof(double));
  const auto cell = static_cast<std::int64_t>(
      std::find(placement.ranks.begin(), placement.ranks.end(), world_rank()) -
      placement.ranks.begin());
  const auto held = [](const AxisPlacement& axis, std::int64_t part) {
    const CountedAxis counted(axis);
    std::vector<std::int64_t> indices;
    for (std::int64_t index = 0; index < axis.extent; ++index)
      if (counted.parts[static_cast<std::size_t>(index)] == part) indices.push_back(index);
    return indices;
  };
  const std::vector<std::int64_t> rows = held(placement.rows, cell / placement.cols.parts);
  const std::vector<std::int64_t> cols = held(placement.cols, cell % placement.cols.parts);
  const bool is_rows = placement.order == Order::row_major;
  for (const std::int64_t slow : is_rows ? rows : cols)
    for (const std::int64_t fast : is_rows ? cols : rows)
      body(*array++, is_rows ? slow : fast, is_rows ? fast : slow);
}

class Bench {
 public:
  Bench(const Case& matrix, const Options& options)
      : matrix_(matrix), options_(options), ranks_(mpi_ranks(MPI_COMM_WORLD)) {
    for (Arrays& pair : arrays_) pair = {allocate(matrix.from), allocate(matrix.to)};
  }
  ~Bench() {
    for (const Arrays& pair : arrays_)
      for (double* array : {pair.in, pair.out}) ::operator delete(array, kAlignment);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void run(Engine& engine) {
    RouteOptions route;
    route.ranks = ranks_;
    add_route(contestants_, matrix_, arrays_, engine, route);
    add_alltoallv(contestants_, matrix_, arrays_, engine, route.plan);
    add_pdtran(contestants_, matrix_, arrays_);
    add_fftw(contestants_, matrix_, arrays_);
    add_costa(contestants_, matrix_, arrays_);
    fill();
    check();
    std::vector<std::vector<double>> seconds(contestants_.size());
    for (std::size_t round = 0; round < options_.rounds; ++round)
      for (std::size_t i = 0; i < contestants_.size(); ++i) {
        const std::size_t turn = (i + round) % contestants_.size();
        seconds[turn].push_back(sample(*contestants_[turn], (round + i) % kPairs));
      }
    check();
    if (world_rank() == 0) print(seconds);
  }

 private:
  static constexpr std::align_val_t kAlignment{256};

  static double* allocate(const Layout& layout) {
    const LocalArray local = local_array(placement_of(layout, sizeof(double)), world_rank());
    return static_cast<double*>(
        ::operator new(static_cast<std::size_t>(local.elements) * sizeof(double), kAlignment));
  }

  void fill() {
    for (const Arrays& pair : arrays_)
      for_elements(matrix_.from, pair.in, [&](double& element, std::int64_t row, std::int64_t col) {
        element = value(matrix_, row, col);
      });
  }

  // Every contestant writes over wrong elements, with every pair of arrays.
  void check() {
    for (const auto& contestant : contestants_)
      for (std::size_t pair = 0; pair < kPairs; ++pair) {
        for_elements(matrix_.to, arrays_[pair].out,
                     [](double& element, std::int64_t, std::int64_t) { element = -1; });
        MPI_Barrier(MPI_COMM_WORLD);
        contestant->run(pair);
        std::int64_t wrong = 0;
        for_elements(matrix_.to, arrays_[pair].out,
                     [&](double& element, std::int64_t row, std::int64_t col) {
                       if (element != value(matrix_, col, row)) ++wrong;
                     });
        if (wrong > 0)
          throw Error(ErrorKind::wrong, contestant->name() + " leaves " + std::to_string(wrong) +
                                            " wrong elements on rank " +
                                            std::to_string(world_rank()) + " (" + matrix_.name +
                                            ")");
      }
  }

  // Seconds from the first rank's begin to the last one's end, by the one clock of this machine. On
  // fewer processors than ranks some begin late, and their own times are shorter than that.
  static double sample(Contestant& contestant, std::size_t pair) {
    const auto now = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
          .count();
    };
    MPI_Barrier(MPI_COMM_WORLD);
    std::array<double, 2> times = {-now(), 0};
    contestant.run(pair);
    times[1] = now();
    MPI_Allreduce(MPI_IN_PLACE, times.data(), 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return times[0] + times[1];
  }

  static double median(std::vector<double> numbers) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
  }

  void print(const std::vector<std::vector<double>>& seconds) const {
    const RouteFigures figures = foresee(placement_of(matrix_.from, sizeof(double)),
                                         placement_of(matrix_.to, sizeof(double)));
    std::printf("%s, %lldx%lld, %lld MB in messages, %zu rounds\n", matrix_.name.c_str(),
                static_cast<long long>(matrix_.from.blocks.m),
                static_cast<long long>(matrix_.from.blocks.n),
                static_cast<long long>(figures.bytes_sent / 1000000), options_.rounds);
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      std::vector<double> ratios;
      for (std::size_t round = 0; round < options_.rounds; ++round)
        ratios.push_back(seconds[0][round] / seconds[i][round]);
      std::printf("  %-24s %9.4f ms   route: %.2f times", contestants_[i]->name().c_str(),
                  median(seconds[i]) * 1e3, median(ratios));
      if (options_.gbit > 0)
        std::printf("   %.1f %% of the wire", static_cast<double>(figures.most_bytes) /
                                                  median(seconds[i]) / (options_.gbit * 1e9 / 8) *
                                                  100);
      std::printf("\n");
    }
    std::fflush(stdout);
  }

  Case matrix_;
  Options options_;
  std::shared_ptr<Ranks> ranks_;
  std::vector<Arrays> arrays_ = std::vector<Arrays>(kPairs);
  Contestants contestants_;
};

int run(const std::vector<std::string>& arguments) {
  Options options;
  if (arguments.size() >= 2) {
    options.extent = std::stoll(arguments[0]);
    options.rounds = std::stoull(arguments[1]);
    if (arguments.size() == 3) options.gbit = std::stod(arguments[2]);
  }
  if (arguments.size() < 2 || arguments.size() > 3 || options.extent < 1 || options.rounds < 1) {
    std::cerr << "route_bench EXTENT ROUNDS [GBIT], under mpirun\n";
    return 2;
  }
  EngineOptions engine_options;
  engine_options.plugin_folders = {XPOSE_PLUGINS};
  engine_options.worker = XPOSE_TRIAL_PROGRAM;
  engine_options.threads = 1;
  engine_options.remember = false;
  Engine engine(engine_options);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const Case& matrix : cases(options.extent, ranks)) Bench(matrix, options).run(engine);
  return 0;
}

}  // namespace
}  // namespace xpose::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int result = 1;
  try {
    result = xpose::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "route_bench: " << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return result;
}
