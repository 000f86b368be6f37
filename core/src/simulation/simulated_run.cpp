#include "simulation/simulated_run.hpp"

#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "problem/batch_loop.hpp"
#include "problem/normal_form.hpp"
#include "simulation/account.hpp"
#include "simulation/source_lines.hpp"
#include "strategy/plugin_call.hpp"
#include "trial/arena.hpp"

namespace xpose {
namespace {

std::uint64_t bytes_of(const Problem& problem, std::int64_t elements) {
  return static_cast<std::uint64_t>(elements) * problem.element_bytes;
}

// Progress that only grows, over all matrices of a batch.
class Share {
 public:
  Share(const std::function<void(double)>& progress, double matrices)
      : progress_(progress), matrices_(matrices) {}
  void of_matrix(double share) {
    const double now = (done_ + share) / matrices_;
    if (!progress_ || now <= told_) return;
    told_ = now;
    progress_(now);
  }
  void matrix_done() { of_matrix(1), ++done_; }

 private:
  const std::function<void(double)>& progress_;
  double matrices_;
  double done_ = 0;
  double told_ = 0;
};

Arena host_buffers(const Problem& normal) {
  Backend& host = backend(Device{});
  const std::uint64_t needed = Arena::footprint(normal, 1);
  if (const std::uint64_t free = host.free_bytes(); needed > free)
    throw Error(ErrorKind::no_memory, "running the simulator on " + to_string(normal) +
                                          " takes buffers of " + std::to_string(needed) +
                                          " bytes, but " + std::to_string(free) +
                                          " bytes are free; explain a smaller problem");
  return {host, normal, 1};
}

// The verdict of the comparison of the whole buffers, beyond the simulator's own findings.
void add_outcome(const Outcome& outcome, AccessAccount& account) {
  if (outcome.verdict == Verdict::ok) return;
  Finding finding;
  if (outcome.verdict == Verdict::wrote_outside) {
    finding.kind = FindingKind::out_of_bounds;
    finding.access = AccessKind::store;
  }
  finding.text = outcome.detail;
  account.findings.push_back(std::move(finding));
}

// One candidate's launches over a problem.
class SimulatedRun {
 public:
  SimulatedRun(const Candidate& candidate, const Problem& normal, const DeviceInfo& device,
               const std::function<void(double)>& progress)
      : candidate_(candidate),
        problem_(problem_for(candidate.strategy->info, normal)),
        abi_(to_abi(candidate.strategy->info, problem_, device)),
        arena_(host_buffers(normal)),
        loop_(problem_.batch.begin() + abi_.batch_rank, problem_.batch.end()),
        share_(progress, static_cast<double>(matrices())),
        workspace_(arena_.workspace(candidate.workspace_bytes)),
        in_(candidate.role == Role::copy ? arena_.copy_in(0) : arena_.in(0)),
        out_(candidate.role == Role::copy ? arena_.copy_out(0) : arena_.out(0)),
        account_(regions(problem_, in_, out_), [this](double share) { share_.of_matrix(share); }) {}

  // The status of the first launch that failed, else of the last.
  CallResult launch() {
    Problem one = problem_;
    one.batch.resize(abi_.batch_rank);
    CallResult result;
    for_each_matrix(loop_, problem_.element_bytes, in_, out_, [&](const void* in, void* out) {
      if (result.status != XPOSE_OK) return;
      const std::vector<xpose_region> exact = regions(one, in, out);
      const xpose_observer observer = account_.observer(exact);
      const xpose_launch launch{sizeof(xpose_launch), 0, in, out, workspace_, nullptr, nullptr};
      result = call_plugin([&](xpose_text error) {
        return candidate_.strategy->functions->trace(&abi_, candidate_.values.data(), &launch,
                                                     &observer, error);
      });
      share_.matrix_done();
    });
    return result;
  }

  const Account& account() const { return account_; }
  Outcome check() {
    return candidate_.role == Role::copy ? arena_.check_copy(0) : arena_.check_transpose(0);
  }

 private:
  std::int64_t matrices() const {
    std::int64_t count = 1;
    for (const BatchDim& dim : loop_) count *= dim.extent;
    return count;
  }
  std::vector<xpose_region> regions(const Problem& part, const void* in, const void* out) const {
    // A copy is dense, and its output is laid out as its input.
    const std::int64_t out_elements =
        candidate_.role == Role::copy ? element_count(part) : out_span(part);
    const auto* const lowest =
        static_cast<const std::byte*>(in) + in_low(part) * std::int64_t{part.element_bytes};
    std::vector<xpose_region> all = {{lowest, bytes_of(part, in_span(part))},
                                     {out, bytes_of(part, out_elements)}};
    if (candidate_.workspace_bytes != 0) all.push_back({workspace_, candidate_.workspace_bytes});
    return all;
  }

  const Candidate& candidate_;
  Problem problem_;
  xpose_problem abi_;
  Arena arena_;
  std::vector<BatchDim> loop_;
  Share share_;
  void* workspace_;
  const void* in_;
  void* out_;
  Account account_;
};

}  // namespace

std::variant<AccessAccount, std::string> simulate(const Candidate& candidate, const Problem& normal,
                                                  const DeviceInfo& device,
                                                  const std::filesystem::path& plugin,
                                                  const std::function<void(double)>& progress) {
  const std::string& name = candidate.variant.strategy;
  const auto trace = candidate.strategy->functions->trace;
  if (trace == nullptr)
    return name +
           " has no simulator: its plugin was built without one; rebuild it with this xpose's "
           "xpose_add_plugin()";
  SimulatedRun run(candidate, normal, device, progress);
  const auto begin = std::chrono::steady_clock::now();
  const CallResult result = run.launch();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (result.status == XPOSE_UNSUPPORTED) return result.words;
  if (result.status == XPOSE_NO_MEMORY)
    throw Error(ErrorKind::no_memory,
                "the simulator of " + name + " ran out of memory: " + result.words);

  const SourceLines lines(reinterpret_cast<const void*>(trace), plugin);
  AccessAccount account =
      run.account().finish([&](const void* site) { return lines.before(site); });
  if (result.status != XPOSE_OK && account.findings.empty())
    throw Error(ErrorKind::failed, "the simulator of " + name + " failed: " + result.words);
  account.seconds = seconds.count();
  // A launch that was given up is wrong at its fault; what it left unwritten says no more.
  if (result.status == XPOSE_OK && candidate.strategy->info.role != Role::experiment)
    add_outcome(run.check(), account);
  return account;
}

}  // namespace xpose
