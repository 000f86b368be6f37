#include "forecast/disk_trial.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "run/output_file.hpp"
#include "run/piece_reader.hpp"
#include "run/piece_writer.hpp"

namespace xpose::app {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;

// Disks of shared machines let bursts of a tenth of a second through.
constexpr double kBurstSeconds = 0.2, kCountedSeconds = 0.4;

constexpr std::array kReadRuns = {4 * kKiB, 16 * kKiB, 64 * kKiB, 256 * kKiB, 8 * kMiB};
// From 256 KiB on they go past the page cache.
constexpr std::array kWrittenRuns = {4 * kKiB,   16 * kKiB, 64 * kKiB, 240 * kKiB,
                                     256 * kKiB, kMiB,      8 * kMiB};
constexpr std::uint64_t kMostStep = 16 * kMiB;  // that is moved at once
constexpr std::uint64_t kMostStepRuns = 1024;   // they keep a ring busy
constexpr std::uint64_t kMostWritten = 1024 * kMiB;
constexpr std::uint64_t kMostDirty = 64 * kMiB;
// No element begins at a sector, as behind a header.
constexpr std::uint64_t kOffset = 192;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Runs of a file, one in each of as many equal parts, like those of a tile. The next step takes the
// runs behind them.
class Steps {
 public:
  Steps(std::uint64_t file_bytes, std::uint64_t run_bytes)
      : run_(std::min(run_bytes, file_bytes / 2)),
        runs_(std::clamp<std::uint64_t>(kMostStep / run_, 1,
                                        std::min(kMostStepRuns, (file_bytes - kOffset) / run_))),
        pitch_((file_bytes - kOffset) / runs_) {}

  std::uint64_t bytes() const { return run_ * runs_; }

  template <class Take>  // of a place in the file, and of the step's bytes
  void next(const Take& take) {
    if (is_first()) at_ = 0;
    for (std::uint64_t i = 0; i < runs_; ++i) take(kOffset + i * pitch_ + at_, i * run_);
    at_ += run_;
  }
  std::uint64_t run() const { return run_; }
  bool is_first() const { return at_ == 0 || at_ + run_ > pitch_; }  // the next

 private:
  std::uint64_t run_, runs_, pitch_, at_ = 0;
};

// Bytes a second of steps, without those of the first tenths of a second.
double rate_of(std::uint64_t step_bytes, const std::function<void()>& step) {
  const double begin = seconds_now();
  double counted_from = 0, bytes = 0;
  for (;;) {
    step();
    const double now = seconds_now();
    if (counted_from > 0) bytes += static_cast<double>(step_bytes);
    if (bytes > 0 && now >= counted_from + kCountedSeconds)
      return std::max(bytes / (now - counted_from), 1.0);
    if (counted_from == 0 && now >= begin + kBurstSeconds) counted_from = now;
  }
}

class Reads {
 public:
  Reads(const InputFile& file, std::uint64_t run_bytes)
      : file_(file), steps_(file.bytes(), run_bytes), to_(steps_.bytes()) {}

  void step() {
    PieceReader reader(file_);
    steps_.next([&](std::uint64_t place, std::uint64_t at) {
      reader.read(place, std::span(to_).subspan(at, steps_.run()));
    });
    reader.finish();
  }
  double rate() {
    return rate_of(steps_.bytes(), [this] { step(); });
  }

 private:
  const InputFile& file_;
  Steps steps_;
  std::vector<std::byte> to_;
};

// A file without a name, as a run has it, which is written once: what lies in a file already would
// be read first where a run has a part of a page.
class Writes {
 public:
  struct Room {
    std::filesystem::path folder;
    std::uint64_t bytes = 0;
  };
  Writes(const Room& room, std::uint64_t run_bytes)
      : room_(room), steps_(room.bytes, run_bytes), from_(steps_.bytes(), std::byte{1}) {}

  void step() {
    if (steps_.is_first()) begin_file();
    PieceWriter writer(*file_);
    const bool has_before = !steps_.is_first();
    steps_.next([&](std::uint64_t place, std::uint64_t at) {
      writer.write(place, std::span(from_).subspan(at, steps_.run()), {has_before, false});
    });
    writer.finish();
  }
  double rate() {
    return rate_of(steps_.bytes(), [this] { step(); });
  }

 private:
  void begin_file() {
    file_.reset();
    file_.emplace(room_.folder / "trial of the disk", room_.bytes, kMostDirty,
                  TemporaryFile::Kind::nameless);
    file_->open_direct();
  }

  Room room_;
  std::optional<OutputFile> file_;
  Steps steps_;
  std::vector<std::byte> from_;
};

// The shares of both rates alone that are left while both are at work.
double at_once(const InputFile& input, const Writes::Room& room, std::uint64_t run_bytes,
               const DiskCurves& alone) {
  double reading = 0;
  std::exception_ptr error;
  std::thread reader([&] {
    try {
      reading = Reads(input, run_bytes).rate();
    } catch (...) {
      error = std::current_exception();
    }
  });
  double writing = 0;
  try {
    writing = Writes(room, run_bytes).rate();
  } catch (...) {
    reader.join();
    throw;
  }
  reader.join();
  if (error) std::rethrow_exception(error);
  const double share = reading * seconds_of(alone.read, run_bytes, 1) +
                       writing * seconds_of(alone.write, run_bytes, 1);
  return std::clamp(share, 1.0, 2.0);
}

std::uint64_t room_for_trial(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return error ? kLeastMeasured
               : std::clamp<std::uint64_t>(space.available / 2, kLeastMeasured, kMostWritten);
}

}  // namespace

DiskCurves measured_curves(const InputFile& input, const std::filesystem::path& folder) {
  DiskCurves curves;
  for (const std::uint64_t run : kReadRuns) curves.read.push_back({run, Reads(input, run).rate()});
  const Writes::Room room{folder, room_for_trial(folder)};
  for (const std::uint64_t run : kWrittenRuns)
    curves.write.push_back({run, Writes(room, run).rate()});
  curves.at_once = {at_once(input, room, kShortRun, curves),
                    at_once(input, room, kReadRuns.back(), curves)};
  return curves;
}

}  // namespace xpose::app
