// xpose for callers: transposes matrices as fast as the memory of the machine allows.
//
//   xpose::Engine engine;                                      // loads the plugins, once
//   engine.transpose(in, out, xpose::matrix(rows, cols, 4));   // tries, chooses, remembers, runs
//
// or, to pay for the choice ahead of time:
//
//   xpose::Plan plan = engine.plan(xpose::matrix(4096, 4096, 4));
//   plan.execute(in, out);
//
// The library never prints and never aborts. Every failure is an xpose::Error, whose text states
// the failure, its object, the reason and the remedy.
//
// A tag in brackets says which threads may call a function:
//   [any thread]            any, several at once; the rule where there is no tag
//   [one thread at a time]  any, but the caller keeps two calls on one object apart
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#include <xpose/detail/dense_matrix.hpp>
#include <xpose/problem.hpp>
#include <xpose/tune.hpp>

namespace xpose {

// A strategy's card, as its plugin states it. The fields are those of xpose_card (plugin.h).
struct StrategyInfo {
  std::string name;                           // [a-z][a-z0-9_]*, unique in an engine
  std::string summary;                        // one line
  DeviceKind device_kind = DeviceKind::host;  // where it runs and its pointers live
  Role role = Role::transpose;                // only a transpose is chosen
  std::uint32_t element_sizes = 0;            // bit set, see serves_elements()
  std::uint32_t min_alignment = 0;            // bytes; 0: the element size, of fat elements 16
  std::uint32_t min_compute_capability = 0;   // CUDA: 10 * major + minor; 0: any
  std::uint32_t max_batch_rank = 0;           // batch dimensions that one launch takes
  bool in_place = false;                      // serves problems whose output is their input
  bool capturable = false;                    // its launch may be recorded into a CUDA graph
  bool permutes = false;                      // serves permutations, not problems of matrices alone
  bool has_simulator = false;                 // its kernels can run on the host, see explain.hpp
  std::int64_t max_extent = 0;                // the most rows or columns served; 0: no limit
  int prior_rank = 0;                         // lower is expected to be faster; decides near ties
  // Names and values of the axes, in the card's order. The first value is the author's default.
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> axes;
  bool operator==(const StrategyInfo&) const = default;
};

// A plugin file that was found, in use or refused.
struct PluginInfo {
  std::filesystem::path file;            // absolute
  std::string digest;                    // of the content, 32 hexadecimal digits; empty: unread
  std::string name;                      // of the plugin, [a-z][a-z0-9_]*
  std::string version;                   // the plugin's own, free form
  std::string build;                     // compiler and options, free form
  std::vector<StrategyInfo> strategies;  // empty where the file is refused
  std::string refused;                   // why it is not used, one line; empty: it is in use
};

// The plugins of an engine, the place of its trials, and its memory.
struct EngineOptions {
  // Absolute folders whose *.so files are loaded, in order. Empty: default_plugin_folders().
  std::vector<std::filesystem::path> plugin_folders = {};
  // For host strategies. 0: the processors that affinity and control groups let this process use.
  unsigned threads = 0;

  // False: a worker process describes, quotes and tries plugins, and a broken plugin ends that
  // process. True: this process does, for debuggers.
  bool in_process = false;
  // The worker's program. Empty: $XPOSE_TRIAL if set, else the one installed beside the library.
  std::filesystem::path worker = {};
  // Seconds that one stage of a trial (load, quote, create, launch, check, destroy, time) may take
  // before the worker is ended. A problem gets a second more for every 20 MB that it moves. A
  // timeout under less than the default is not remembered.
  double stage_seconds = 10;

  // The file in which choices are remembered. Empty: default_cache_file() of cache.hpp.
  std::filesystem::path cache = {};
  bool remember = true;  // false: choices live in memory, and no cache file is read

  // Absolute folders of tables (*.json), in order. Empty: default_table_folders(). A table was
  // measured on devices of one class, and orders candidates.
  std::vector<std::filesystem::path> table_folders = {};

  // Told, in one line, of a fault that did not stop the call: a cache that cannot be written, a
  // strategy that was put in quarantine, a plugin of the installation that is refused. Called in
  // the thread that made the call.
  std::function<void(std::string_view)> warn = {};
};

// The folder xpose beside the library's file, in which its plugins, its worker and the lab are
// installed. Empty where the system does not say where the library lies.
XPOSE_API std::filesystem::path installed_folder();

// The folders of $XPOSE_PLUGIN_PATH (separated by colons, absolute; ignored in a privileged
// process), else the folder `plugins` of installed_folder().
XPOSE_API std::vector<std::filesystem::path> default_plugin_folders();

// The folders of $XPOSE_TABLE_PATH (as $XPOSE_PLUGIN_PATH), else the folder `tables` of
// installed_folder().
XPOSE_API std::vector<std::filesystem::path> default_table_folders();

// How a plan's variant is chosen: by an earlier measurement of the problem here, or else
enum class Policy {
  measure,      // by trials within a budget
  estimate,     // by tables and the cost model, without a trial
  cached_only,  // not at all: Error no_strategy
};
// Without an earlier measurement, an estimate of one problem is the same variant in every process,
// on every day and for any number of threads, on devices of one class with as many processors and
// the same version of the library, its tables and its plugins. Strategies of other plugins count in
// it as far as their predictions were measured here, and strategies in quarantine do not.

// The policy that XPOSE_POLICY names ("measure", "estimate" or "cached_only"), empty where it is
// unset or the process privileged. An engine that is made meanwhile takes it in place of the policy
// that a plan states. With "estimate" nothing that was measured here counts, so that a problem has
// the same variant whatever a user has tuned; in code, Policy::estimate does the same in an engine
// with EngineOptions::remember = false that tunes nothing. Engine::tune() measures all the same,
// and what must not wait is estimated with "measure" too: a stream that records a graph, a budget
// of 0. Throws Error invalid for another word.
XPOSE_API std::optional<Policy> imposed_policy();

// The choice of a plan. A choice made with `tune.variants` is not remembered.
struct PlanOptions {
  Policy policy = Policy::measure;  // the way of the choice
  TuneOptions tune = {};            // read for Policy::measure; `variants` and `warm` always
};

// A variant bound to a problem. A copy is cheap and shares all; it keeps its engine's plugins
// alive, and may outlive the engine. [any thread]
class XPOSE_API Plan {
 public:
  // Transposes `in` to `out`: the addresses of element 0 of both buffers, in the memory of the
  // problem's device, with the layout of the problem that the plan was made for. In place both are
  // one address. An empty problem touches neither.
  //
  // Host: the work is done when the call returns. It takes the engine's threads, or fewer where
  // the system has none to give. `stream` is ignored.
  // CUDA: the call enqueues on `stream` (a cudaStream_t of the problem's device; null: the default
  // stream) and returns. A plan whose launch was recorded into a graph must outlive the graph.
  //
  // Throws Error invalid for a null pointer, a pointer aligned to less than the problem promised,
  // buffers that share bytes (parts of one array may interleave without), and in place two
  // addresses; device or failed for a launch that failed; no_memory. In a child of fork(), a plan
  // of the parent works on the host and throws Error device on CUDA. [any thread, several at once
  // with different buffers]
  void execute(const void* in, void* out, void* stream = nullptr) const;

  const Problem& problem() const;     // in normal form; of one layer where output axes interlock
  const Variant& variant() const;     // no strategy where the problem is empty
  const std::string& launch() const;  // the launch in short; empty where the problem is
  bool is_estimate() const;  // true: the cost model chose, and nothing was measured on the problem
  std::uint64_t workspace_bytes() const;  // kept for each call at once, on CUDA for each stream

 private:
  friend class Engine;
  struct Impl;
  explicit Plan(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// A matrix of any library with Eigen's interface: dense, in host memory, with direct access.
template <class M>
concept DenseMatrix = requires(M& m) {
  typename std::remove_cvref_t<M>::Scalar;
  {m.data()};
  { m.rows() } -> std::convertible_to<std::int64_t>;
  { m.cols() } -> std::convertible_to<std::int64_t>;
  { m.outerStride() } -> std::convertible_to<std::int64_t>;
  { m.innerStride() } -> std::convertible_to<std::int64_t>;
  {std::remove_cvref_t<M>::IsRowMajor};
};

// Of <xpose/route.hpp>.
class Route;
struct Placement;
struct RouteOptions;

// The plugins of some folders, a worker to try them in, and the memory of choices. One engine a
// process is the usual case: it is costly to make and cheap to use. [any thread]
class XPOSE_API Engine {
 public:
  // Finds the plugins of the folders. A file that cannot be used stands in plugins() with the
  // reason and stops nothing. Throws Error no_memory or failed, and invalid as imposed_policy() and
  // for stage_seconds that are not more than 0.
  explicit Engine(const EngineOptions& options = {});

  // The plugin files, by folder and then by file name, those refused included. The first call may
  // start a worker to describe them; Error failed where that cannot be started. The reference
  // lives as long as the engine; a later call may return another list.
  const std::vector<PluginInfo>& plugins() const;

  // The plan for a problem. The first call pays for the choice as the policy says; later calls find
  // it in memory. The caller's buffers are never touched. One problem is measured at a time on a
  // device. A call that waits for its turn until the budget ends, has a budget of 0 or is
  // interrupted estimates: Plan::is_estimate() tells. The next call measures.
  // Throws Error invalid for a malformed problem, a budget or a policy that is none, or an axis or
  // value that the strategy of a variant does not have; device for a missing device; no_strategy
  // where no plugin offers that strategy, or none serves the problem (cached_only: where no choice
  // is known); wrong where all that serve it failed verification; no_memory; failed.
  Plan plan(const Problem& problem, const PlanOptions& options = {});

  // Tries the candidates of a problem, reports all of them, and remembers the winner. A problem
  // whose strategies all fail gets a report without a winner, not an Error.
  // Throws Error invalid, device, no_strategy, no_memory or failed, as plan() does.
  TuneReport tune(const Problem& problem, const TuneOptions& options = {});

  // plan() for the real alignment of the two addresses, then Plan::execute(). The rules for the
  // buffers are checked before anything is measured. A problem that is new while `stream` records
  // a CUDA graph is estimated, because nothing can be measured then. Throws as both do.
  void transpose(const void* in, void* out, const Problem& problem, void* stream = nullptr,
                 Policy policy = Policy::measure);

  // transpose() of the problem permutation(shape, axes, element_bytes, device): a dense array of
  // any number of axes, as NumPy's transpose. Throws as transpose() does.
  //
  //   engine.permute(nhwc, nchw, shape, axes, sizeof(float));
  void permute(const void* in, void* out, std::span<const std::int64_t> shape,
               std::span<const int> axes, std::uint32_t element_bytes, Device device = {},
               void* stream = nullptr, Policy policy = Policy::measure);

  // The route of a matrix between two placements over several ranks, for callers who include
  // <xpose/route.hpp>. Nothing is sent before Route::run(). Throws Error invalid where a placement
  // is malformed or names ranks that are not there, where the two are of different matrices, and
  // where no route in place leads from the one to the other.
  Route route(const Placement& from, const Placement& to, const RouteOptions& options);

  // transpose() of Eigen's matrices in host memory: `out` becomes the transpose of `in`.
  //
  //   Eigen::MatrixXf a(1000, 300), b;
  //   engine.transpose(a, b);  // b is 300 x 1000
  //
  // Both have one storage order, or one is a vector. `out` is resized where its type allows. Where
  // both begin at one address the matrix is square and is transposed in place. Throws Error invalid
  // where the shapes do not fit, strides are not a matrix's, or the two overlap otherwise; else as
  // plan() and execute() do.
  template <DenseMatrix In, DenseMatrix Out>
  void transpose(const In& in, Out&& out, Policy policy = Policy::measure);

 private:
  friend struct EngineAccess;  // of the library
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// For the template above. Throws Error invalid unless the output's shape is the input's transposed
// and the inner strides are 1, the outer ones not 0. Extents are in elements.
XPOSE_API void check_dense_pair(std::int64_t in_rows, std::int64_t in_cols, std::int64_t out_rows,
                                std::int64_t out_cols, bool are_stored);

template <DenseMatrix In, DenseMatrix Out>
void Engine::transpose(const In& in, Out&& out, Policy policy) {
  using InM = std::remove_cvref_t<In>;
  using OutM = std::remove_cvref_t<Out>;
  static_assert(sizeof(typename InM::Scalar) == sizeof(typename OutM::Scalar),
                "transpose() moves elements unchanged: both matrices need elements of one size");
  const void* const from = in.data();
  const bool in_place = from != nullptr && from == out.data();
  // Blocks and maps have a resize() too, which only asserts.
  if constexpr (requires { requires std::same_as<typename OutM::PlainObject, OutM>; })
    if (!in_place && (out.rows() != in.cols() || out.cols() != in.rows()) &&
        detail::may_have<OutM>(in.cols(), in.rows()))
      out.resize(in.cols(), in.rows());
  constexpr std::size_t kBytes = sizeof(typename InM::Scalar);
  check_dense_pair(in.rows(), in.cols(), out.rows(), out.cols(),
                   detail::is_stored(in) && detail::is_stored(out));
  constexpr bool kOfOut = detail::is_vector<InM>();
  static_assert(
      kOfOut || detail::is_vector<OutM>() || bool(InM::IsRowMajor) == bool(OutM::IsRowMajor),
      "transpose() between storage orders is a copy: give both matrices one order");
  constexpr bool kRowMajor = kOfOut ? bool(OutM::IsRowMajor) : bool(InM::IsRowMajor);
  Problem problem =
      kRowMajor ? matrix(in.rows(), in.cols(), kBytes) : matrix(in.cols(), in.rows(), kBytes);
  problem.in_ld = detail::leading_dimension(in, kRowMajor);
  problem.out_ld = detail::leading_dimension(out, kRowMajor);
  problem.in_place = in_place;
  transpose(static_cast<const void*>(in.data()), static_cast<void*>(out.data()), problem, nullptr,
            policy);
}

// A foreign text, made fit for a terminal: one line of valid UTF-8 of at most `limit` bytes (at
// least 3), with "..." where it was cut. Control characters and ends of lines become spaces.
// Invalid bytes, and marks that turn the direction of writing, become question marks. All texts
// that the library returns are clean, except for file names, which the caller cleans.
XPOSE_API std::string one_line(std::string_view text, std::size_t limit = 2048);

// The version of the loaded library, in the form of XPOSE_VERSION. A static string.
XPOSE_API const char* version();

}  // namespace xpose
