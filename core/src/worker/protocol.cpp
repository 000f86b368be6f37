#include "worker/protocol.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <concepts>
#include <filesystem>
#include <system_error>
#include <type_traits>
#include <utility>

#include "plugin/limits.hpp"
#include "trial/examination.hpp"

namespace xpose {
namespace {

// The fields of a message, in order, for both directions.
template <class Io>
void fields(Io& io, Device& device) {
  io(device.kind, device.ordinal);
}
template <class Io>
void fields(Io& io, DeviceInfo& info) {
  io(info.device, info.name, info.id, info.driver, info.multiprocessors, info.compute_capability,
     info.cache_bytes, info.memory_bytes);
}
template <class Io>
void fields(Io& io, BatchDim& dim) {
  io(dim.extent, dim.in_stride, dim.out_stride);
}
template <class Io>
void fields(Io& io, Problem& problem) {
  io(problem.element_bytes, problem.rows, problem.cols, problem.in_ld, problem.out_ld,
     problem.batch, problem.in_place, problem.in_alignment, problem.out_alignment, problem.device);
}
template <class Io>
void fields(Io& io, StrategyInfo& strategy) {
  io(strategy.name, strategy.summary, strategy.device_kind, strategy.role, strategy.element_sizes,
     strategy.min_alignment, strategy.min_compute_capability, strategy.max_batch_rank,
     strategy.in_place, strategy.capturable, strategy.permutes, strategy.has_simulator,
     strategy.max_extent, strategy.prior_rank, strategy.axes);
}
template <class Io>
void fields(Io& io, PluginInfo& plugin) {
  io(plugin.file, plugin.digest, plugin.name, plugin.version, plugin.build, plugin.strategies);
}
template <class Io>
void fields(Io& io, Outcome& outcome) {
  io(outcome.verdict, outcome.detail);
}
template <class Io>
void fields(Io& io, Demand& demand) {
  io(demand.blocks, demand.threads, demand.shared_bytes, demand.load_run, demand.store_run,
     demand.slower_percent, demand.traits);
}
template <class Io>
void fields(Io& io, QuoteAnswer& answer) {
  io(answer.outcome, answer.launch, answer.workspace_bytes, answer.demand);
}
template <class Io>
void fields(Io& io, Request& request) {
  io(request.id, request.what, request.version, request.file, request.digest, request.strategy,
     request.configs, request.problem, request.device, request.threads, request.warm);
}
template <class Io>
void fields(Io& io, Reply& reply) {
  io(reply.id, reply.stage, reply.outcome, reply.seconds, reply.quotes, reply.plugin);
}

constexpr std::size_t kMaxDetailBytes = 4096;

constexpr int last(DeviceKind) { return static_cast<int>(DeviceKind::cuda); }
constexpr int last(Role) { return static_cast<int>(Role::experiment); }
constexpr int last(Verdict) { return static_cast<int>(Verdict::load_refused); }
constexpr int last(Request::What) { return static_cast<int>(Request::What::examine); }

// Numbers in decimal and a space behind each; texts and lists with their length before them.
class Writer {
 public:
  template <class... Fields>
  void operator()(const Fields&... all) {
    (add(all), ...);
  }
  std::string text;

 private:
  template <std::integral T>
  void add(const T& value) {
    text += std::to_string(value) + ' ';
  }
  void add(const double& value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(const std::string& value) {
    add(value.size());
    text += value;
  }
  void add(const std::filesystem::path& value) { add(value.string()); }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  template <class A, class B>
  void add(const std::pair<A, B>& value) {
    add(value.first);
    add(value.second);
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class T>
  void add(const T& value) {
    if constexpr (std::is_enum_v<T>)
      add(static_cast<int>(value));
    else
      fields(*this, const_cast<T&>(value));  // shared with the reader, which does change them
  }
};

class Reader {
 public:
  explicit Reader(std::string_view payload) : rest_(payload), size_(payload.size()) {}

  template <class... Fields>
  void operator()(Fields&... all) {
    (get(all), ...);
  }
  void finish() const {
    if (!rest_.empty()) refuse("the end");
  }

 private:
  [[noreturn]] void refuse(const char* expected) const {
    throw Error(ErrorKind::failed, "not a message of xpose " + build_version() + ": expected " +
                                       expected + " at byte " +
                                       std::to_string(size_ - rest_.size()) + " of " +
                                       std::to_string(size_));
  }
  template <std::integral T>
  void get(T& value) {
    const char* const end = rest_.data() + rest_.size();
    const auto [stop, error] = std::from_chars(rest_.data(), end, value);
    if (error != std::errc() || stop == end || *stop != ' ') refuse("a number in range");
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()) + 1);
  }
  void get(bool& value) {
    int number = 0;
    get(number);
    if (number != 0 && number != 1) refuse("0 or 1");
    value = number == 1;
  }
  void get(double& value) {
    std::uint64_t bits = 0;
    get(bits);
    value = std::bit_cast<double>(bits);
  }
  // Each item takes a byte or more, so that a length beyond the rest is wrong.
  std::size_t length() {
    std::size_t count = 0;
    get(count);
    if (count > rest_.size()) refuse("as many bytes as the length before them");
    return count;
  }
  void get(std::string& value) {
    const std::size_t count = length();
    value = rest_.substr(0, count);
    rest_.remove_prefix(count);
  }
  void get(std::filesystem::path& value) {
    std::string text;
    get(text);
    value = std::move(text);
  }
  template <class T>
  void get(std::vector<T>& values) {
    for (std::size_t count = length(); count > 0; --count) get(values.emplace_back());
  }
  template <class A, class B>
  void get(std::pair<A, B>& value) {
    get(value.first);
    get(value.second);
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool is_there = false;
    get(is_there);
    if (is_there) get(value.emplace());
  }
  template <class T>
  void get(T& value) {
    if constexpr (std::is_enum_v<T>) {
      int number = 0;
      get(number);
      if (number < 0 || number > last(T{})) refuse("an enumerator");
      value = static_cast<T>(number);
    } else {
      fields(*this, value);
    }
  }

  std::string_view rest_;
  std::size_t size_;
};

template <class Message>
std::string written(Message message) {
  Writer writer;
  fields(writer, message);
  return std::move(writer.text);
}

template <class Message>
Message read(std::string_view payload) {
  Message message;
  Reader reader(payload);
  fields(reader, message);
  reader.finish();
  return message;
}

void clean(Outcome& outcome) { outcome.detail = one_line(outcome.detail, kMaxDetailBytes); }

void clean(PluginInfo& plugin) {
  if (const std::size_t bytes = encode(plugin).size(); bytes > kMaxDescriptionBytes)
    throw Error(ErrorKind::failed, "the plugin's description has " + std::to_string(bytes) +
                                       " bytes; the limit is " +
                                       std::to_string(kMaxDescriptionBytes));
  plugin.version = one_line(plugin.version, kMaxSummaryBytes);
  plugin.build = one_line(plugin.build, kMaxSummaryBytes);
  for (StrategyInfo& strategy : plugin.strategies) strategy.summary = one_line(strategy.summary);
  if (const std::string problem = description_problem(plugin); !problem.empty())
    throw Error(ErrorKind::failed, "the plugin's description is over a limit: " + problem);
}

}  // namespace

std::string build_version() { return XPOSE_VERSION ", protocol 4"; }

std::span<const std::string_view> stages_of(Request::What what) {
  static constexpr std::array<std::string_view, 4> kOfVerify = {"create", "launch", "check",
                                                                "destroy"};
  static constexpr std::array<std::string_view, 2> kOfTime = {"create", "time"};
  static constexpr std::array<std::string_view, 3> kOfExamine = {"create", Examination::kAloneStage,
                                                                 Examination::kTogetherStage};
  if (what == Request::What::verify) return kOfVerify;
  if (what == Request::What::examine) return kOfExamine;
  if (what == Request::What::time) return kOfTime;
  return {};
}

std::string encode(const Request& request) { return written(request); }
std::string encode(const Reply& reply) { return written(reply); }
std::string encode(const PluginInfo& plugin) { return written(plugin); }

Request decode_request(std::string_view payload) { return read<Request>(payload); }

Reply decode_reply(std::string_view payload) {
  Reply reply = read<Reply>(payload);
  clean(reply.outcome);
  for (QuoteAnswer& answer : reply.quotes) {
    clean(answer.outcome);
    answer.launch = one_line(answer.launch);
  }
  if (reply.plugin) clean(*reply.plugin);
  return reply;
}

PluginInfo decode_plugin(std::string_view payload) {
  auto plugin = read<PluginInfo>(payload);
  clean(plugin);
  return plugin;
}

}  // namespace xpose
