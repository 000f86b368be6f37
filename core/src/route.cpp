#include "xpose/route.hpp"

#include <bit>
#include <chrono>
#include <string>
#include <unordered_map>

#include "placement/digest.hpp"
#include "reported.hpp"
#include "route/route_run.hpp"

namespace xpose {
namespace {

// This process alone: it has nobody to send to.
class Alone : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void send(int, int, std::shared_ptr<const std::byte[]>, std::uint64_t, std::uint64_t) override {}
  void receive(int, int, std::shared_ptr<std::byte[]>, std::uint64_t, std::uint64_t) override {}
  std::vector<std::uint64_t> wait(double) override { return {}; }
  double seconds() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  void abandon() noexcept override {}
};

std::uint64_t digest_of(const Placement& from, const Placement& to, const RouteOptions& options) {
  Digest digest;
  digest.add(std::string_view(XPOSE_VERSION));
  digest.add(from);
  digest.add(to);
  digest.add(std::int64_t{options.transpose});
  digest.add(static_cast<std::int64_t>(options.memory));
  digest.add(std::bit_cast<std::int64_t>(options.deadline_seconds));
  return digest.value();
}

// The plans that this route has used. Tiles differ in their places, and few in their problems.
class Plans {
 public:
  Plans(Engine engine, PlanOptions options)
      : engine_(std::move(engine)), options_(std::move(options)) {}

  void execute(const Problem& problem, const void* in, void* out) {
    const Problem aligned = aligned_as(problem, in, out);
    const std::string key = key_of(aligned);
    auto found = plans_.find(key);
    if (found == plans_.end()) found = plans_.emplace(key, engine_.plan(aligned, options_)).first;
    found->second.execute(in, out);
  }

 private:
  static std::string key_of(const Problem& problem) {
    std::string key;
    const auto add = [&](std::int64_t number) {
      key.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    for (const std::int64_t number :
         {problem.rows, problem.cols, problem.in_ld, problem.out_ld,
          std::int64_t{problem.in_alignment}, std::int64_t{problem.out_alignment}})
      add(number);
    for (const BatchDim& dim : problem.batch)
      for (const std::int64_t number : {dim.extent, dim.in_stride, dim.out_stride}) add(number);
    return key;
  }

  Engine engine_;
  PlanOptions options_;
  std::unordered_map<std::string, Plan> plans_;
};

}  // namespace

struct Route::Impl {
  Impl(const Engine& engine, const Placement& from, const Placement& to,
       const RouteOptions& options);

  void check_arrays(const void* in, const void* out) const;

  std::shared_ptr<Ranks> ranks;
  RouteOptions options;
  std::uint64_t digest;
  LocalArray from_array, to_array;
  Exchange exchange;
  RouteFigures figures;
  Plans plans;
  Move move;
  ChunkBuffers buffers;
};

Route::Impl::Impl(const Engine& engine, const Placement& from, const Placement& to,
                  const RouteOptions& route_options)
    : ranks(route_options.ranks ? route_options.ranks : std::make_shared<Alone>()),
      options(route_options),
      digest(digest_of(from, to, route_options)),
      from_array(
          (check_placement(from, ranks->size(), ranks->rank()), local_array(from, ranks->rank()))),
      to_array((check_placement(to, ranks->size(), ranks->rank()), local_array(to, ranks->rank()))),
      exchange(from, to, route_options.transpose),
      figures(exchange.figures()),
      plans(engine, route_options.plan),
      move([this](const Problem& problem, const void* in, void* out) {
        plans.execute(problem, in, out);
      }) {
  if (!(options.deadline_seconds > 0))
    throw Error(ErrorKind::invalid, "the deadline of a route is more than 0 seconds");
  exchange.lay_out(ranks->rank());
}

void Route::Impl::check_arrays(const void* in, const void* out) const {
  if ((in == nullptr && from_array.elements > 0) || (out == nullptr && to_array.elements > 0))
    throw Error(ErrorKind::invalid, "the array of rank " + std::to_string(ranks->rank()) +
                                        " is null, but its placement gives it elements");
  const auto begin = [](const void* array) { return reinterpret_cast<std::uintptr_t>(array); };
  const auto bytes = [&](const LocalArray& array) {
    return static_cast<std::uint64_t>(array.elements) * exchange.element_bytes();
  };
  if (begin(in) < begin(out) + bytes(to_array) && begin(out) < begin(in) + bytes(from_array))
    throw Error(ErrorKind::invalid, "the arrays of rank " + std::to_string(ranks->rank()) +
                                        " overlap; use a separate output");
}

Route Engine::route(const Placement& from, const Placement& to, const RouteOptions& options) {
  return reported([&] { return Route(std::make_shared<Route::Impl>(*this, from, to, options)); });
}

RouteReport Route::run(const void* in, void* out) {
  return reported([&] {
    const RouteRun::Setting setting{*impl_->ranks,
                                    impl_->exchange,
                                    impl_->digest,
                                    most_chunk_bytes(impl_->options.memory, impl_->figures),
                                    impl_->options.deadline_seconds,
                                    impl_->move,
                                    impl_->buffers};
    return RouteRun(setting, in, out).run([&] { impl_->check_arrays(in, out); });
  });
}

const RouteFigures& Route::figures() const { return impl_->figures; }

}  // namespace xpose
