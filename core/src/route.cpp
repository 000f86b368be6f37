#include "xpose/route.hpp"

#include <bit>
#include <optional>
#include <string>
#include <unordered_map>

#include "checked_options.hpp"
#include "placement/digest.hpp"
#include "reported.hpp"
#include "route/alone.hpp"
#include "route/device_run.hpp"
#include "route/route_run.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 60;  // that counts
// Bytes of a rank's arrays up to which they, and the buffers, stay in the first caches.
constexpr std::int64_t kCachedBytes = std::int64_t{64} << 10;

PlanOptions plan_options(const RouteOptions& options, std::int64_t bytes) {
  PlanOptions plan = options.plan;
  if (!options.devices && bytes <= kCachedBytes) plan.tune.warm = true;
  return plan;
}

RouteOptions with_ranks(RouteOptions options) {
  if (options.ranks != nullptr && options.devices != nullptr)
    throw Error(ErrorKind::invalid,
                "a route has ranks in host memory or on devices: state RouteOptions::ranks or "
                "RouteOptions::devices, not both");
  if (!options.ranks && !options.devices) options.ranks = std::make_shared<Alone>();
  return options;
}

// Of what all ranks state alike.
void check_in_place(const Placement& from, const Placement& to, const RouteOptions& options) {
  if (!options.in_place) return;
  const auto refuse = [](const std::string& why) {
    throw Error(ErrorKind::invalid, "a route in place " + why + "; use a separate output");
  };
  if (!options.transpose) refuse("transposes, and this one leaves elements at their indices");
  if (from.rows.extent != from.cols.extent)
    refuse("is of a square matrix, not of " + std::to_string(from.rows.extent) + 'x' +
           std::to_string(from.cols.extent) + " elements");
  if (from.rows != to.rows || from.cols != to.cols || from.ranks != to.ranks ||
      from.order != to.order)
    refuse("has one placement for source and target, and these two differ");
}

std::uint64_t digest_of(const Placement& from, const Placement& to, const RouteOptions& options) {
  Digest digest;
  digest.add(std::string_view(XPOSE_VERSION));
  digest.add(from);
  digest.add(to);
  digest.add(std::int64_t{options.transpose});
  digest.add(std::int64_t{options.in_place});
  digest.add(static_cast<std::int64_t>(options.memory));
  digest.add(std::bit_cast<std::int64_t>(options.deadline_seconds));
  digest.add(std::int64_t{options.devices != nullptr && options.devices->may_map_arrays()});
  return digest.value();
}

// The plans that this route has used. Tiles differ in their places, and few in their problems.
class Plans {
 public:
  Plans(Engine engine, PlanOptions options)
      : engine_(std::move(engine)), options_(std::move(options)) {}

  void execute(const Problem& problem, const void* in, void* out, Device device = {},
               void* stream = nullptr) {
    Problem aligned = aligned_as(problem, in, out);
    aligned.device = device;
    const std::string key = key_of(aligned);
    auto found = plans_.find(key);
    if (found == plans_.end()) found = plans_.emplace(key, engine_.plan(aligned, options_)).first;
    found->second.execute(in, out, stream);
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
    add(std::int64_t{problem.in_place});
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
  Impl(const Engine& engine, const Placement& source, const Placement& target,
       const RouteOptions& options);

  void check_arrays(const void* in, const void* out) const;
  void check_one_array(const void* in, const void* out) const;
  RouteReport run(const void* in, void* out);
  RouteReport run_on_device(const void* in, void* out);

  RouteOptions options;  // with ranks, unless there are devices
  int rank, size;
  Placement from, to;
  std::uint64_t digest;
  LocalArray from_array, to_array;
  Exchange exchange;
  RouteFigures figures;
  Plans plans;
  Move move;
  Passages passages;
  StreamMove stream_move;
  std::optional<DeviceStreams> streams;
};

Route::Impl::Impl(const Engine& engine, const Placement& source, const Placement& target,
                  const RouteOptions& route_options)
    : options(with_ranks(route_options)),
      rank(options.devices ? options.devices->rank() : options.ranks->rank()),
      size(options.devices ? options.devices->size() : options.ranks->size()),
      from(source),
      to(target),
      digest(digest_of(from, to, options)),
      from_array((check_placement(from, size, rank), local_array(from, rank))),
      to_array((check_placement(to, size, rank), local_array(to, rank))),
      exchange(from, to, options.transpose),
      figures(exchange.figures()),
      plans(engine, plan_options(options, (from_array.elements + to_array.elements) *
                                              exchange.element_bytes())),
      move([this](const Problem& problem, const void* in, void* out) {
        plans.execute(problem, in, out);
      }),
      stream_move([this](const Problem& problem, const void* in, void* out, void* stream) {
        plans.execute(problem, in, out, options.devices->device(), stream);
      }) {
  if (!(options.deadline_seconds > 0))
    throw Error(ErrorKind::invalid, "the deadline of a route is more than 0 seconds");
  check_options(options.plan);
  check_in_place(from, to, options);
  exchange.lay_out(rank);
  if (options.devices) streams.emplace(backend(options.devices->device()));
}

void Route::Impl::check_arrays(const void* in, const void* out) const {
  if ((in == nullptr && from_array.elements > 0) || (out == nullptr && to_array.elements > 0))
    throw Error(ErrorKind::invalid, "the array of rank " + std::to_string(rank) +
                                        " is null, but its placement gives it elements");
  if (options.in_place) return check_one_array(in, out);
  const auto begin = [](const void* array) { return reinterpret_cast<std::uintptr_t>(array); };
  const auto bytes = [&](const LocalArray& array) {
    return static_cast<std::uint64_t>(array.elements) * exchange.element_bytes();
  };
  if (begin(in) < begin(out) + bytes(to_array) && begin(out) < begin(in) + bytes(from_array))
    throw Error(ErrorKind::invalid,
                "the arrays of rank " + std::to_string(rank) +
                    " overlap; use a separate output, or state a route in place");
}

void Route::Impl::check_one_array(const void* in, const void* out) const {
  if (to_array.elements == 0) return;
  if (in != out)
    throw Error(ErrorKind::invalid,
                "the route is in place, but input and output of rank " + std::to_string(rank) +
                    " differ; give one array, or state a route that is not in place");
  // Of one shape, so that they differ in their sizes where they differ in leading dimensions.
  if (from.offset != to.offset || from_array.elements != to_array.elements)
    throw Error(ErrorKind::invalid,
                "the route is in place, but source and target of rank " + std::to_string(rank) +
                    " differ in leading dimension or offset; state the same, or use a separate "
                    "output");
}

Route Engine::route(const Placement& from, const Placement& to, const RouteOptions& options) {
  return reported([&] { return Route(std::make_shared<Route::Impl>(*this, from, to, options)); });
}

RouteReport Route::Impl::run(const void* in, void* out) {
  const RouteRun::Setting setting{*options.ranks,
                                  exchange,
                                  digest,
                                  most_chunk_bytes(options.memory, figures, options.in_place),
                                  options.deadline_seconds,
                                  move,
                                  passages,
                                  options.in_place};
  return RouteRun(setting, in, out).run([&] { check_arrays(in, out); });
}

RouteReport Route::Impl::run_on_device(const void* in, void* out) {
  // A message has two chunks on a rank. One that is written to the other rank has none there.
  const std::uint64_t memory =
      options.devices->reaches_others() ? options.memory : options.memory / 2;
  const DeviceRun::Setting setting{*options.devices,
                                   exchange,
                                   to,
                                   digest,
                                   most_chunk_bytes(memory, figures, options.in_place),
                                   static_cast<std::int64_t>(std::min(options.memory, kMostMemory)),
                                   options.deadline_seconds,
                                   stream_move,
                                   *streams,
                                   {},
                                   options.in_place};
  return DeviceRun(setting, in, out).run([&] { check_arrays(in, out); });
}

RouteReport Route::run(const void* in, void* out) {
  return reported(
      [&] { return impl_->options.devices ? impl_->run_on_device(in, out) : impl_->run(in, out); });
}

const RouteFigures& Route::figures() const { return impl_->figures; }

}  // namespace xpose
