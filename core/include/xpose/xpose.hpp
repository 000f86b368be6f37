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
// Engine and Plan are safe from several threads at once. The library never prints and never aborts;
// every failure is an xpose::Error.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#include <xpose/problem.hpp>

namespace xpose {

// --------------------------------------------------------------------------------------- choices

// Values of a strategy's axes, in the card's order.
struct AxisValue {
  std::string axis;
  std::int64_t value = 0;
  bool operator==(const AxisValue&) const = default;
};
using Config = std::vector<AxisValue>;

struct Variant {
  std::string strategy;
  Config config;
  bool operator==(const Variant&) const = default;
};
XPOSE_API std::string to_string(const Variant& variant);  // "smem_pad{tile=64,rows=8}"

enum class Verdict {
  ok,
  unsupported,
  wrong_result,
  wrote_outside,
  read_outside,
  modified_input,
  device_error,
  crashed,
  exited,
  timed_out,
  no_memory,
  protocol_error,
  load_refused,
};
XPOSE_API std::string_view to_string(Verdict verdict);  // "ok", "wrong_result", ...

struct Timing {
  double median = 0;  // seconds of one call
  double spread = 0;  // (third quartile - first quartile) / median
  int samples = 0;
};

// One variant on one problem.
struct Trial {
  Variant variant;
  std::string launch;  // short launch description
  bool is_copy = false;
  Verdict verdict = Verdict::ok;
  std::string
      detail;  // why the verdict is not ok; or what is to be said of a time that was doubted
  std::optional<Timing> timing;
  int prior_rank = 0;
  // Seconds of one call by round of the race, discarded rounds included; NaN: discarded. Shorter
  // than others': dropped after its last. Empty without a timing.
  std::vector<double> rounds = {};
  bool is_numeric = false;  // does arithmetic on the elements: timed like a copy, never chosen
  // Of the roof, by the figures of its quote; 0: they say nothing.
  double predicted_share = 0;
  // What a predicted time of its strategy was multiplied by before it counted, because of what
  // earlier ones proved worth; 0: it did not count, since nothing of it was measured here.
  double discount = 1;
};

// The outcome of tuning a problem.
struct TuneReport {
  Problem problem;            // in normal form
  std::uint64_t bytes = 0;    // read plus written by one call of what the trials ran on
  std::vector<Trial> trials;  // transposes and copies, fastest first, then those without a time
  std::optional<std::size_t> roof;       // index into trials: the fastest copy
  std::optional<std::size_t> winner;     // index into trials
  std::optional<std::size_t> runner_up;  // the best variant of another strategy
  double margin = 0;                     // runner-up's time / winner's time - 1
  // Variants the budget did not reach, or predicted to be far behind, or whose strategy's first
  // config was several times slower than the fastest.
  std::size_t untried = 0;
  std::vector<std::string> untried_strategies;  // no variant of which was tried
  // Those of them that may win: only the budget left them out. The choice is provisional, and the
  // next plan() or tune() of another engine that measures tries these first.
  std::vector<std::string> untried_rivals;
  int rounds = 0;
  int discarded_rounds = 0;  // the clock dropped during them
  double seconds = 0;        // spent tuning
  bool interrupted = false;
  // The problem that trials ran on where those of `problem` fit into neither budget nor memory: a
  // smaller one of its alignments and shape. All figures are its.
  std::optional<Problem> stand_in = {};
  // Not even such a problem could be tried: the winner is what the cost model puts first.
  bool is_estimate = false;
  std::string why_not_whole = {};  // trials ran on no problem or another; empty where they did not
};

struct Progress {
  std::string_view stage;  // "verify", "measure"
  std::size_t done = 0;
  std::size_t total = 0;
  const Trial* trial = nullptr;  // the one just finished, while verifying
};

struct TuneOptions {
  double budget_seconds = 2;
  int max_rounds = 15;
  // Try one config of each until the budget is spent, and of `strategies` also then; else trying
  // leaves a part of it for the race.
  bool every_strategy = false;
  bool warm = false;   // leave caches warm: do not rotate buffers
  bool whole = false;  // try the problem itself, however long that takes; Error no_memory
  std::vector<std::string> strategies = {};  // only these; empty: all
  Config config = {};  // only configs with these values on axes of these names
  std::function<void(const Progress&)> progress = {};
  std::function<bool()> interrupted = {};  // asked between steps; true: finish and return
};

enum class Policy {
  measure,      // try the candidates within a budget
  estimate,     // what the cost model puts first, see core/DESIGN.md; no clock
  cached_only,  // what was measured before, else Error no_strategy
};

struct PlanOptions {
  Policy policy = Policy::measure;
  TuneOptions tune = {};
};

// ---------------------------------------------------------------------------------------- engine

struct StrategyInfo {
  std::string name;
  std::string summary;
  DeviceKind device_kind = DeviceKind::host;
  bool is_copy = false;
  bool is_experiment = false;  // of `xpose lab`: neither a transpose nor a copy, and never tried
  bool is_numeric = false;     // does arithmetic on the elements: tried on numbers, never chosen
  std::uint32_t element_sizes = 0;  // bit set, for serves_elements
  std::uint32_t min_alignment = 0;  // bytes; 0: the element size, of fat ones 16
  std::uint32_t min_compute_capability = 0;
  std::uint32_t max_batch_rank = 0;  // batch dimensions it takes itself
  bool in_place = false;
  bool capturable = false;
  bool has_model = false;       // its kernels can be run on the host, see explain.hpp
  std::int64_t max_extent = 0;  // the most rows or columns served; 0: no limit
  int prior_rank = 0;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> axes;
  bool operator==(const StrategyInfo&) const = default;
};

struct PluginInfo {
  std::filesystem::path file;
  std::string digest;  // of the file's content; empty where it may not even be read
  std::string name;
  std::string version;
  std::string build;
  std::vector<StrategyInfo> strategies;
  std::string refused;  // why it is not used, one line; empty: it is
};

struct EngineOptions {
  // Folders whose *.so files are loaded, in order. Empty: default_plugin_folders().
  std::vector<std::filesystem::path> plugin_folders = {};
  unsigned threads = 0;  // for host strategies; 0: all processors this process may use

  // Plugins are described, quoted and tried in a worker process: what a plugin does wrong ends the
  // worker. True: in this process, for debuggers.
  bool in_process = false;
  // The worker's program. Empty: $XPOSE_TRIAL if set, else what is installed beside the library.
  std::filesystem::path worker = {};
  // Seconds that one stage of a trial (load, quote, create, launch, check, destroy, time) may take
  // before the worker is ended; a second more for every 20 MB that the problem moves. A timeout is
  // remembered only where these are not fewer than the default.
  double stage_seconds = 10;

  // The file in which choices are remembered. Empty: default_cache_file() of cache.hpp.
  std::filesystem::path cache = {};
  bool remember = true;  // false: in memory only, and what others remembered is not read

  // Told of what degraded without failing: a cache that cannot be written, a plugin that was put in
  // quarantine. [the calling thread]
  std::function<void(std::string_view)> warn = {};
};

// Where the library's plugins, its worker and the lab are installed: the folder xpose beside the
// library itself. Empty where the system does not say where that is.
XPOSE_API std::filesystem::path installed_folder();

// $XPOSE_PLUGIN_PATH (colon separated, absolute folders; ignored in a privileged process) if set,
// else the folder installed beside the library.
XPOSE_API std::vector<std::filesystem::path> default_plugin_folders();

// A variant bound to a problem. A cheap handle that may be copied; it keeps its engine's plugins
// alive.
class XPOSE_API Plan {
 public:
  // Transposes in to out: addresses of element 0, in the memory of the problem's device.
  // CUDA: enqueues on the stream (a cudaStream_t, null for the default one) and returns.
  // Host: has finished when it returns.
  // In place both are one address. Throws Error invalid for null pointers, for pointers less
  // aligned than the problem promised, for buffers that overlap otherwise and in place for two
  // addresses, device or failed for a launch that failed, no_memory. Host: where the system has no
  // threads to give, fewer work, or the calling one alone. After fork() the child executes the
  // plans of its parent on the host; on CUDA it gets an Error device, because CUDA does not work
  // in the child of a process that used it. [any thread, several at once with different buffers]
  void execute(const void* in, void* out, void* stream = nullptr) const;

  const Problem& problem() const;  // in normal form
  const Variant& variant() const;  // empty strategy for an empty problem
  const std::string& launch() const;
  bool is_estimate() const;  // the cost model chose: nothing was measured on the problem

 private:
  friend class Engine;
  struct Impl;
  explicit Plan(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// A matrix of any library whose interface is Eigen's: dense, direct access, one unit stride.
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

class XPOSE_API Engine {
 public:
  // Loads every plugin of the folders. A file that cannot be used is listed in plugins() with the
  // reason and does not stop the rest.
  explicit Engine(const EngineOptions& options = {});

  const std::vector<PluginInfo>& plugins() const;

  // The plan for a problem. The first call for a problem pays for the choice as the policy says,
  // later ones find it in memory. Never touches the caller's buffers. One problem is measured at a
  // time on a device, so measuring may have to wait; where the budget ends meanwhile, and where it
  // is 0, the choice is an estimate, which waits for nobody.
  Plan plan(const Problem& problem, const PlanOptions& options = {});

  // Tries every candidate and reports all of them; remembers the winner.
  TuneReport tune(const Problem& problem, const TuneOptions& options = {});

  // plan() for the addresses' real alignment, then execute(), whose rules for buffers are checked
  // first. While the stream records a CUDA graph
  // a problem that was not met before is estimated: nothing can be measured then.
  void transpose(const void* in, void* out, const Problem& problem, void* stream = nullptr);

  // Eigen form, host memory: out becomes the transpose of in. out is resized where its type
  // allows. Where both begin at one address, the matrix is square and transposed in place. Throws
  // Error invalid where shapes differ, an inner stride is not 1, or the two overlap otherwise.
  template <DenseMatrix In, DenseMatrix Out>
  void transpose(const In& in, Out&& out);

 private:
  friend struct EngineAccess;  // of the library
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Throws Error invalid unless out's shape is in's transposed and the inner strides are 1.
XPOSE_API void check_dense_pair(std::int64_t in_rows, std::int64_t in_cols, std::int64_t out_rows,
                                std::int64_t out_cols, bool unit_inner_strides);

template <DenseMatrix In, DenseMatrix Out>
void Engine::transpose(const In& in, Out&& out) {
  using InM = std::remove_cvref_t<In>;
  using OutM = std::remove_cvref_t<Out>;
  static_assert(sizeof(typename InM::Scalar) == sizeof(typename OutM::Scalar),
                "transpose() moves elements unchanged: both matrices need elements of one size");
  const void* const from = in.data();
  const bool in_place = from != nullptr && from == out.data();
  // Blocks and maps have a resize() too, which only asserts.
  if constexpr (requires { requires std::same_as<typename OutM::PlainObject, OutM>; })
    if (!in_place && (out.rows() != in.cols() || out.cols() != in.rows()))
      out.resize(in.cols(), in.rows());
  constexpr std::size_t bytes = sizeof(typename InM::Scalar);
  check_dense_pair(in.rows(), in.cols(), out.rows(), out.cols(),
                   in.innerStride() == 1 && out.innerStride() == 1);
  static_assert(bool(InM::IsRowMajor) == bool(OutM::IsRowMajor),
                "transpose() between storage orders is a copy: give both matrices one order");
  Problem problem =
      InM::IsRowMajor ? matrix(in.rows(), in.cols(), bytes) : matrix(in.cols(), in.rows(), bytes);
  problem.in_ld = in.outerStride();
  problem.out_ld = out.outerStride();
  problem.in_place = in_place;
  transpose(static_cast<const void*>(in.data()), static_cast<void*>(out.data()), problem);
}

// A text of somebody else's, for a terminal: one line of UTF-8 of at most `limit` bytes (3 or
// more), cut where it is longer. Controls and ends of lines become spaces; what is no UTF-8, and
// marks that turn the direction of writing, question marks. Names of files are the caller's to
// clean: all other texts that the library hands out are.
XPOSE_API std::string one_line(std::string_view text, std::size_t limit = 2048);

// The version of the loaded library, in the form of XPOSE_VERSION.
XPOSE_API const char* version();

}  // namespace xpose
