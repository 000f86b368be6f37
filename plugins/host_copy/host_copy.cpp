// Copies of the problem's bytes: the fastest of them is the roof a transpose is held against. A
// plain memcpy reads the lines it is about to overwrite; stores that bypass the cache and the
// processor's own string move do not, and on large data one of those two is the fastest.
#include <cstring>
#include <xpose/plugin.hpp>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/host_loop.hpp"
#include "../kit/host/stream_run.hpp"

using namespace xpose::plugin;

namespace {

constexpr int64_t kStepBytes = 4096;

// A strategy around one way to copy a run of bytes.
template <class Way>
struct Copy {
  static Card card() {
    return {.name = Way::kName,
            .summary = Way::kSummary,
            .role = XPOSE_COPY,
            .min_alignment = 1,
            .prior_rank = Way::kPriorRank,
            .axes = {{"parallel", {1, 0}}}};
  }

  static Quote quote(const Problem&, const Config& config) {
    return {.launch = config["parallel"] != 0 ? "all threads" : "one thread"};
  }

  Copy(const Problem& problem, const Config& config)
      : problem_(problem), parallel_(config["parallel"] != 0) {}

  void launch(const Launch& launch) const {
    const uint32_t threads = parallel_ ? launch.threads : 1;
    const auto* const in = static_cast<const unsigned char*>(launch.in);
    auto* const out = static_cast<unsigned char*>(launch.out);
    const int64_t row_bytes = problem_.cols * problem_.element_bytes;
    const int64_t bytes = problem_.rows * row_bytes;
    if (problem_.in_ld == problem_.cols && problem_.out_ld == problem_.cols) {
      const int64_t steps = host::ceil_div(bytes, kStepBytes);
      host::split(launch, threads, steps, bytes, [&](int64_t first, int64_t last) {
        const int64_t begin = first * kStepBytes;
        const int64_t end = std::min(last * kStepBytes, bytes);
        Way::copy(out + begin, in + begin, static_cast<size_t>(end - begin));
      });
    } else {
      const int64_t in_pitch = problem_.in_ld * problem_.element_bytes;
      const int64_t out_pitch = problem_.out_ld * problem_.element_bytes;
      host::split(launch, threads, problem_.rows, bytes, [&](int64_t first, int64_t last) {
        for (int64_t r = first; r < last; ++r)
          Way::copy(out + r * out_pitch, in + r * in_pitch, static_cast<size_t>(row_bytes));
      });
    }
  }

  Problem problem_;
  bool parallel_;
};

struct Memcpy {
  static constexpr const char* kName = "copy_memcpy";
  static constexpr const char* kSummary = "memcpy of the C library";
  static constexpr int kPriorRank = 920;
  static void copy(unsigned char* out, const unsigned char* in, size_t bytes) {
    std::memcpy(out, in, bytes);
  }
};

#if defined(__x86_64__)

template <int64_t Ahead>
void stream(unsigned char* out, const unsigned char* in, size_t bytes) {
  host::stream_run<Ahead>(out, in, static_cast<int64_t>(bytes));
  host::finish_streams();  // before the caller's later stores
}

struct Stream {
  static constexpr const char* kName = "copy_stream";
  static constexpr const char* kSummary = "non-temporal stores, which bypass the caches";
  static constexpr int kPriorRank = 900;
  static void copy(unsigned char* out, const unsigned char* in, size_t bytes) {
    stream<0>(out, in, bytes);
  }
};

struct StreamAhead {
  static constexpr const char* kName = "copy_stream_ahead";
  static constexpr const char* kSummary =
      "non-temporal stores, with input prefetched into the second-level cache";
  static constexpr int kPriorRank = 905;
  static void copy(unsigned char* out, const unsigned char* in, size_t bytes) {
    stream<2048>(out, in, bytes);
  }
};

struct RepMovsb {
  static constexpr const char* kName = "copy_rep_movsb";
  static constexpr const char* kSummary = "the processor's string move";
  static constexpr int kPriorRank = 910;
  static void copy(unsigned char* out, const unsigned char* in, size_t bytes) {
    asm volatile("rep movsb" : "+D"(out), "+S"(in), "+c"(bytes) : : "memory");
  }
};

#endif

}  // namespace

#if defined(__x86_64__)
XPOSE_PLUGIN("host_copy", "1.0", Copy<Stream>, Copy<StreamAhead>, Copy<RepMovsb>, Copy<Memcpy>)
#else
XPOSE_PLUGIN("host_copy", "1.0", Copy<Memcpy>)
#endif
