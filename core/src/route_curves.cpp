// Curves by routes themselves: packing, the wire and unpacking share caches, processors and memory,
// so that times of each alone add up to another time.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "reported.hpp"
#include "xpose/forecast.hpp"

namespace xpose {
namespace {

constexpr int kMostMembers = 8;  // of a group, so that messages of a few MiB fit into the arrays
constexpr std::uint64_t kLeastMessage = 1024;
constexpr std::uint64_t kRunMessage = std::uint64_t{4} << 20;  // neither of caches nor beyond them
// Between devices the begin and the end of a run would hide what the runs take of a shorter one.
constexpr std::uint64_t kDeviceRunMessage = std::uint64_t{64} << 20;
constexpr std::uint64_t kLeastArray = std::uint64_t{1} << 20;
constexpr double kDeadlineSeconds = 60;

// Ranks that exchange messages among themselves while other groups do likewise: the rank of a
// member is first + member * step, by its group's first.
struct Groups {
  std::vector<int> firsts;
  int members = 1, step = 1;

  std::vector<int> ranks() const {
    std::vector<int> all;
    for (const int first : firsts)
      for (int member = 0; member < members; ++member) all.push_back(first + member * step);
    return all;
  }
};

// A message, as square as possible.
struct Message {
  std::int64_t rows, cols;
};

int size_of(const CurveOptions& options) {
  return options.devices ? options.devices->size() : options.ranks->size();
}

// Of zeros, on the device of a rank where it has one.
class Array {
 public:
  Array(const CurveOptions& options, const Placement& placement) {
    const int rank = options.devices ? options.devices->rank() : options.ranks->rank();
    host_.resize(static_cast<std::size_t>(local_array(placement, rank).elements) *
                 options.element_bytes);
    if (!options.devices) return;
    device_.emplace(options.devices->device(), host_.size());
    device_->upload(host_.data(), host_.size());
  }
  void* data() { return device_ ? device_->data() : host_.data(); }

 private:
  std::vector<std::byte> host_;
  std::optional<DeviceMemory> device_;
};

class Measurement {
 public:
  Measurement(Engine& engine, const CurveOptions& options)
      : engine_(engine), options_(options), size_(size_of(options)) {}

  RouteCurves all();

 private:
  Message message(std::uint64_t bytes) const;
  std::uint64_t bytes_of(const Message& one) const {
    return static_cast<std::uint64_t>(one.rows * one.cols) * options_.element_bytes;
  }
  std::uint64_t most(const Groups& groups) const {
    return options_.memory / static_cast<std::uint64_t>(groups.members);
  }
  // Median seconds of routes after the first.
  double seconds(const Placement& from, const Placement& to, std::uint64_t bytes);
  double exchange(const Groups& groups, const Message& one, std::int64_t block);
  double stay(const std::vector<int>& ranks, const Message& one);
  std::vector<CurvePoint> messages(const Groups& groups);
  std::vector<CurvePoint> runs(const Groups& all);
  Groups inside() const;
  Groups between() const;
  std::vector<int> everyone() const;

  Engine& engine_;
  const CurveOptions& options_;
  int size_;
  double roll_call_ = 0;
};

Message Measurement::message(std::uint64_t bytes) const {
  const auto elements =
      static_cast<std::int64_t>(std::max<std::uint64_t>(bytes / options_.element_bytes, 1));
  const auto rows = static_cast<std::int64_t>(std::sqrt(static_cast<double>(elements)));
  return {rows, elements / rows};
}

double Measurement::seconds(const Placement& from, const Placement& to, std::uint64_t bytes) {
  RouteOptions options;
  options.ranks = options_.ranks;
  options.devices = options_.devices;
  options.transpose = false;
  options.memory = 4 * options_.memory + (std::uint64_t{1} << 20);  // no message is cut
  options.memory *= static_cast<std::uint64_t>(size_);
  options.deadline_seconds = kDeadlineSeconds;
  Array in(options_, from), out(options_, to);
  Route route = engine_.route(from, to, options);
  route.run(in.data(), out.data());
  // The same number on all ranks.
  const std::uint64_t times = std::clamp<std::uint64_t>(
      (std::uint64_t{64} << 20) / std::max<std::uint64_t>(bytes, 1), 5, 41);
  std::vector<double> samples;
  for (std::uint64_t i = 0; i < times; ++i)
    samples.push_back(route.run(in.data(), out.data()).seconds);
  std::ranges::sort(samples);
  return samples[samples.size() / 2];
}

// Each member has its rows, row by row, and gets its columns, column by column, as in a transpose.
// Both are dealt out in blocks; 0: in one block.
double Measurement::exchange(const Groups& groups, const Message& one, std::int64_t block) {
  const auto count = static_cast<std::int64_t>(groups.firsts.size());
  const std::int64_t members = groups.members;
  const AxisPlacement rows = block == 0 ? slabs(count * members * one.rows, count * members)
                                        : blocks(members * one.rows, block, members);
  const AxisPlacement cols =
      block == 0 ? slabs(members * one.cols, members) : blocks(members * one.cols, block, members);
  const Placement from{options_.element_bytes, rows, slabs(members * one.cols, 1), groups.ranks()};
  const Placement to{options_.element_bytes, slabs(count * members * one.rows, count), cols,
                     groups.ranks(), Order::column_major};
  return seconds(from, to, static_cast<std::uint64_t>(members) * bytes_of(one));
}

double Measurement::stay(const std::vector<int>& ranks, const Message& one) {
  const auto count = static_cast<std::int64_t>(ranks.size());
  const Placement from{options_.element_bytes, slabs(count * one.rows, count), slabs(one.cols, 1),
                       ranks};
  Placement to = from;
  to.order = Order::column_major;
  return seconds(from, to, bytes_of(one));
}

std::vector<CurvePoint> Measurement::messages(const Groups& groups) {
  std::vector<CurvePoint> points;
  if (groups.members < 2) return points;
  for (std::uint64_t bytes = kLeastMessage; bytes <= most(groups); bytes *= 2) {
    const Message one = message(bytes);
    const double whole = exchange(groups, one, 0) - stay(groups.ranks(), one);
    points.push_back({bytes_of(one), std::max(whole, 0.0) / (groups.members - 1)});
  }
  return points;
}

// Messages of one size, by blocks of ever fewer elements.
std::vector<CurvePoint> Measurement::runs(const Groups& all) {
  Groups groups = all;
  groups.firsts.resize(1);
  const Message one =
      message(std::min(options_.devices ? kDeviceRunMessage : kRunMessage, most(groups)));
  const double longest = exchange(groups, one, one.rows);
  const auto moved = static_cast<double>(bytes_of(one)) * (2 * groups.members - 1);
  std::vector<CurvePoint> points;
  for (std::int64_t block = 1; block < one.rows; block *= 2) {
    const double more = exchange(groups, one, block) - longest;
    points.push_back(
        {static_cast<std::uint64_t>(block) * options_.element_bytes, std::max(more, 0.0) / moved});
  }
  return points;
}

Groups Measurement::inside() const {
  Groups groups;
  groups.members = std::min(options_.ranks_per_host, kMostMembers);
  for (int host = 0; host + options_.ranks_per_host <= size_; host += options_.ranks_per_host)
    for (int first = 0; first + groups.members <= options_.ranks_per_host; first += groups.members)
      groups.firsts.push_back(host + first);
  return groups;
}

// One rank of each host, and the next one, and so on: all ranks of a host share its wire.
Groups Measurement::between() const {
  const int hosts = size_ / options_.ranks_per_host;
  Groups groups;
  groups.step = options_.ranks_per_host;
  groups.members = std::min(hosts, kMostMembers);
  for (int host = 0; host + groups.members <= hosts; host += groups.members)
    for (int rank = 0; rank < options_.ranks_per_host; ++rank)
      groups.firsts.push_back(host * options_.ranks_per_host + rank);
  return groups;
}

std::vector<int> Measurement::everyone() const {
  std::vector<int> ranks(static_cast<std::size_t>(size_));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

RouteCurves Measurement::all() {
  RouteCurves curves{.ranks = size_, .ranks_per_host = options_.ranks_per_host};
  const Placement nothing = row_slabs(0, 0, options_.element_bytes, size_);
  roll_call_ = seconds(nothing, nothing, 0);
  curves.seconds_per_rank = roll_call_ / std::max(size_ - 1, 1);
  for (std::uint64_t bytes = kLeastMessage; bytes <= options_.memory; bytes *= 2) {
    const Message one = message(bytes);
    curves.kept.push_back({bytes_of(one), std::max(stay(everyone(), one) - roll_call_, 0.0)});
  }
  curves.inside = messages(inside());
  curves.between = messages(between());
  curves.runs = runs(inside().members > 1 ? inside() : between());
  std::vector<int> alone;
  for (int rank = 0; rank < size_; rank += options_.ranks_per_host) alone.push_back(rank);
  const Message large = message(options_.memory / 4);
  const double crowded = stay(everyone(), large) - roll_call_;
  const double single = std::max(stay(alone, large) - roll_call_, crowded / size_);
  curves.crowding = single > 0 ? std::max(crowded / single, 1.0) : 1;
  return curves;
}

void check(const CurveOptions& options) {
  const auto refuse = [](const std::string& why) { throw Error(ErrorKind::invalid, why); };
  if ((!options.ranks && !options.devices) || size_of(options) < 2)
    refuse("curves are measured by 2 ranks or more: give CurveOptions::ranks or devices");
  if (options.ranks_per_host < 1 || size_of(options) % options.ranks_per_host != 0)
    refuse(std::to_string(size_of(options)) + " ranks cannot be dealt out to hosts of " +
           std::to_string(options.ranks_per_host) + "; state a divisor as ranks_per_host");
  if (const std::string why = element_size_refusal(options.element_bytes); !why.empty())
    refuse("curves cannot be measured: " + why);
  if (options.memory < kLeastArray)
    refuse("curves need arrays of 1 MiB or more on each rank, not of " +
           std::to_string(options.memory) + " bytes");
}

}  // namespace

RouteCurves measure_curves(Engine& engine, const CurveOptions& options) {
  return reported([&] {
    check(options);
    return Measurement(engine, options).all();
  });
}

}  // namespace xpose
