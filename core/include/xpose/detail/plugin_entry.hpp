// The plugin's side of the C ABI: an author's class as plain data and functions that let no
// exception out, and XPOSE_PLUGIN, which emits the entry. Authors include plugin.hpp, which ends
// with this.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>
#include <vector>
#include <xpose/plugin.hpp>

#if defined(XPOSE_SIMULATOR) || defined(XPOSE_HAS_SIMULATOR)
#include <xpose/simulator/runtime.hpp>

// The simulator of this plugin's strategies, from the second compilation of its source.
extern "C" __attribute__((visibility("hidden"))) const xpose_trace_fn* xpose_simulator_entry();
#endif

namespace xpose::plugin::detail {

// Writes a message into a text of the caller, cut where it is longer. `message` may be null, as an
// exception's what() may be.
inline void write(xpose_text text, const char* message) noexcept {
  if (text.data != nullptr && text.capacity != 0)
    std::snprintf(text.data, static_cast<size_t>(text.capacity), "%s",
                  message == nullptr ? "an exception without words" : message);
}

// Runs body(); an exception becomes a status and a line in `error`.
template <class Body>
xpose_status guarded(xpose_text error, Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return XPOSE_OK;
  } catch (const Unsupported& e) {
    write(error, e.what());
    return XPOSE_UNSUPPORTED;
  } catch (const DeviceError& e) {
    write(error, e.what());
    return XPOSE_DEVICE_ERROR;
  } catch (const std::bad_alloc&) {
    write(error, "out of memory");
    return XPOSE_NO_MEMORY;
  } catch (const std::exception& e) {
    write(error, e.what());
    return XPOSE_FAILED;
  } catch (...) {
    write(error, "an exception that is not a std::exception");
    return XPOSE_FAILED;
  }
}

// A launch as a host of any version hands it over. Fields that the host did not know are null.
inline Launch known(const xpose_launch& theirs) {
  Launch ours{};
  std::memcpy(&ours, &theirs, std::min<size_t>(theirs.size, sizeof ours));
  return ours;
}

// The C side of one author's class: its card as plain data and the functions.
template <class Strategy>
class Exported {
 public:
  // The strategy's description, made at the first call. `trace` is its function in the simulator,
  // or null.
  static const xpose_strategy* strategy(decltype(xpose_strategy::trace) trace) {
    static const Exported self(trace);
    return &self.strategy_;
  }

#ifdef XPOSE_SIMULATOR
  static xpose_status XPOSE_SIMULATOR_UNOBSERVED trace(const xpose_problem* problem,
                                                       const int64_t* config,
                                                       const xpose_launch* launch,
                                                       const xpose_observer* observer,
                                                       xpose_text error) noexcept {
    Traced traced = {problem, config, launch, error};
    return simulator::observe(*observer, &run_traced, &traced);
  }
#endif

 private:
  explicit Exported(decltype(xpose_strategy::trace) trace) : source_(Strategy::card()) {
    for (const Axis& axis : source_.axes)
      axes_.push_back({axis.name, axis.values.data(), axis.values.size()});
    card_ = {sizeof(xpose_card),
             source_.device_kind,
             source_.name,
             source_.summary,
             source_.role,
             source_.element_sizes,
             source_.min_alignment,
             source_.min_compute_capability,
             source_.max_batch_rank,
             source_.traits,
             source_.max_extent,
             source_.prior_rank,
             static_cast<uint32_t>(axes_.size()),
             axes_.data()};
    strategy_ = {sizeof(xpose_strategy), 0, &card_, &quote, &create, &launch, &destroy, trace};
  }

  static const std::vector<Axis>& axes() {
    // Never destroyed: a thread may make a plan while the process ends.
    static const auto& axes = *new std::vector<Axis>(Strategy::card().axes);
    return axes;
  }

  static xpose_status quote(const xpose_problem* problem, const int64_t* config, xpose_quote* quote,
                            xpose_text error) noexcept {
    return guarded(error, [&] {
      const Quote answer = Strategy::quote(*problem, Config(axes(), config));
      quote->workspace_bytes = answer.workspace_bytes;
      write({quote->launch, sizeof quote->launch}, answer.launch.c_str());
      if (quote->size < sizeof(xpose_quote)) return;  // a host that knows fewer fields
      quote->blocks = answer.demand.blocks;
      quote->threads = answer.demand.threads;
      quote->shared_bytes = answer.demand.shared_bytes;
      quote->load_run = answer.demand.load_run;
      quote->store_run = answer.demand.store_run;
      quote->slower_percent = answer.demand.slower_percent;
      quote->traits = answer.demand.traits;
    });
  }

  static xpose_status create(const xpose_problem* problem, const int64_t* config, xpose_plan** plan,
                             xpose_text error) noexcept {
    return guarded(error, [&] {
#ifdef XPOSE_NO_CUDA
      if (Strategy::card().device_kind == XPOSE_CUDA)
        throw Unsupported("built without the CUDA Toolkit: can be explained, not run");
#endif
      *plan = reinterpret_cast<xpose_plan*>(new Strategy(*problem, Config(axes(), config)));
    });
  }

  static xpose_status launch(const xpose_plan* plan, const xpose_launch* launch,
                             xpose_text error) noexcept {
    return guarded(error, [&] { reinterpret_cast<const Strategy*>(plan)->launch(known(*launch)); });
  }

  static void destroy(xpose_plan* plan) noexcept {
    guarded({}, [&] { delete reinterpret_cast<Strategy*>(plan); });
  }

#ifdef XPOSE_SIMULATOR
  struct Traced {
    const xpose_problem* problem;
    const int64_t* config;
    const xpose_launch* launch;
    xpose_text error;
  };

  static xpose_status run_traced(void* context) {
    const Traced& traced = *static_cast<const Traced*>(context);
    return guarded(traced.error, [&] {
#ifdef __clang__
      throw Unsupported(
          "built with Clang, which does not report copies of structures: only GCC does");
#endif
      const Strategy strategy(*traced.problem, Config(axes(), traced.config));
      strategy.launch(known(*traced.launch));
    });
  }
#endif

  Card source_;
  std::vector<xpose_axis> axes_;
  xpose_card card_{};
  xpose_strategy strategy_{};
};

// The plugin's description, made at the first call; null where that failed. `traces` are the
// strategies' functions in the simulator, in their order, or null.
template <class... Strategies>
const xpose_plugin* describe(const char* name, const char* version,
                             const decltype(xpose_strategy::trace)* traces = nullptr) noexcept {
  try {
    static const auto strategies = [traces]<size_t... I>(std::index_sequence<I...>) {
      return std::array<const xpose_strategy*, sizeof...(Strategies)>{
          Exported<Strategies>::strategy(traces == nullptr ? nullptr : traces[I])...};
    }
    (std::index_sequence_for<Strategies...>{});
    static const xpose_plugin plugin = {XPOSE_ABI_MAJOR,
                                        XPOSE_ABI_MINOR,
                                        sizeof(xpose_plugin),
                                        static_cast<uint32_t>(strategies.size()),
                                        name,
                                        version,
                                        "C++ " __VERSION__,
                                        strategies.data()};
    return &plugin;
  } catch (...) {
    return nullptr;
  }
}

#ifdef XPOSE_SIMULATOR
template <class... Strategies>
const xpose_trace_fn* traces() {
  static constexpr xpose_trace_fn kFunctions[] = {&Exported<Strategies>::trace...};
  return kFunctions;
}
#endif

}  // namespace xpose::plugin::detail

// XPOSE_PLUGIN(NAME, VERSION, STRATEGY...) defines the plugin's entry. NAME and VERSION are texts,
// the strategies are classes as in plugin.hpp. It stands once, in one source file, at global scope:
//
//   XPOSE_PLUGIN("my_plugin", "1.0", MyIdea, MyOtherIdea)
//
// In a CUDA plugin that file is the .cu, which xpose_add_plugin compiles a second time for the
// simulator.
#if defined(XPOSE_SIMULATOR) && !defined(XPOSE_NO_CUDA)
#define XPOSE_PLUGIN(NAME, VERSION, ...) XPOSE_SIMULATOR_ENTRY_(__VA_ARGS__)
#elif defined(XPOSE_HAS_SIMULATOR)
#define XPOSE_PLUGIN(NAME, VERSION, ...) \
  XPOSE_PLUGIN_ENTRY_(NAME, VERSION, xpose_simulator_entry(), __VA_ARGS__)
#else
#define XPOSE_PLUGIN(NAME, VERSION, ...) XPOSE_PLUGIN_ENTRY_(NAME, VERSION, nullptr, __VA_ARGS__)
#endif

#define XPOSE_PLUGIN_ENTRY_(NAME, VERSION, TRACES, ...)                           \
  extern "C" XPOSE_EXPORT const xpose_plugin* xpose_plugin_entry() {              \
    return ::xpose::plugin::detail::describe<__VA_ARGS__>(NAME, VERSION, TRACES); \
  }
#define XPOSE_SIMULATOR_ENTRY_(...)                          \
  extern "C" const xpose_trace_fn* xpose_simulator_entry() { \
    return ::xpose::plugin::detail::traces<__VA_ARGS__>();   \
  }
