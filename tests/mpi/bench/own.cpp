// The route, and the same tiles around one MPI_Alltoallv of the same bytes.
#include <numeric>

#include "contestant.hpp"
#include "exchange/exchange.hpp"

namespace xpose::bench {
namespace {

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

class RouteContestant : public Contestant {
 public:
  RouteContestant(Route route, const std::vector<Arrays>& arrays)
      : route_(std::move(route)), arrays_(arrays) {}
  std::string name() const override { return "route"; }
  void run(std::size_t pair) override { route_.run(arrays_[pair].in, arrays_[pair].out); }

 private:
  Route route_;
  std::vector<Arrays> arrays_;
};

// Packs all messages, exchanges them, and unpacks all. Elements that stay on their rank are moved
// directly.
class AlltoallvContestant : public Contestant {
 public:
  AlltoallvContestant(const Case& matrix, const std::vector<Arrays>& arrays, Engine& engine,
                      const PlanOptions& options)
      : arrays_(arrays) {
    Exchange exchange(placement_of(matrix.from, sizeof(double)),
                      placement_of(matrix.to, sizeof(double)), true);
    exchange.lay_out(world_rank());
    const auto plan_all = [&](const std::vector<Tile>& tiles, std::int64_t in, std::int64_t out,
                              std::vector<Step>& steps) {
      for (const Tile& tile : tiles)
        steps.push_back({engine.plan(tile.problem, options), tile.in + in, tile.out + out});
    };
    std::int64_t at = 0;
    for (const Message& message : exchange.sends(world_rank())) {
      sent_.add(message, at);
      plan_all(exchange.packing(message, message.box()), 0, at, packing_);
      at += message.elements();
    }
    sent_.buffer.resize(static_cast<std::size_t>(at));
    at = 0;
    for (const Message& message : exchange.receives(world_rank())) {
      received_.add(message, at);
      plan_all(exchange.unpacking(message, message.box()), at, 0, unpacking_);
      at += message.elements();
    }
    received_.buffer.resize(static_cast<std::size_t>(at));
    if (const std::optional<Message> kept = exchange.kept(world_rank()))
      plan_all(exchange.moving(*kept, kept->box()), 0, 0, moving_);
  }

  std::string name() const override { return "plans and MPI_Alltoallv"; }
  void run(std::size_t pair) override {
    execute(packing_, arrays_[pair].in, sent_.buffer.data());
    MPI_Alltoallv(sent_.buffer.data(), sent_.counts.data(), sent_.places.data(), MPI_DOUBLE,
                  received_.buffer.data(), received_.counts.data(), received_.places.data(),
                  MPI_DOUBLE, MPI_COMM_WORLD);
    execute(unpacking_, received_.buffer.data(), arrays_[pair].out);
    execute(moving_, arrays_[pair].in, arrays_[pair].out);
  }

 private:
  struct Step {
    Plan plan;
    std::int64_t in, out;  // elements
  };
  struct Side {
    std::vector<int> counts = std::vector<int>(static_cast<std::size_t>(world_size()));
    std::vector<int> places = counts;
    std::vector<double> buffer = {};

    void add(const Message& message, std::int64_t at) {
      counts[static_cast<std::size_t>(message.rank)] = static_cast<int>(message.elements());
      places[static_cast<std::size_t>(message.rank)] = static_cast<int>(at);
    }
  };

  static void execute(const std::vector<Step>& steps, const double* in, double* out) {
    for (const Step& step : steps) step.plan.execute(in + step.in, out + step.out);
  }

  std::vector<Arrays> arrays_;
  Side sent_, received_;
  std::vector<Step> packing_, unpacking_, moving_;
};

}  // namespace

void add_route(Contestants& all, const Case& matrix, const std::vector<Arrays>& arrays,
               Engine& engine, const RouteOptions& options) {
  all.push_back(std::make_unique<RouteContestant>(
      engine.route(placement_of(matrix.from, sizeof(double)),
                   placement_of(matrix.to, sizeof(double)), options),
      arrays));
}

void add_alltoallv(Contestants& all, const Case& matrix, const std::vector<Arrays>& arrays,
                   Engine& engine, const PlanOptions& options) {
  all.push_back(std::make_unique<AlltoallvContestant>(matrix, arrays, engine, options));
}

}  // namespace xpose::bench
