// Ranks that meet with accidents, and the texts of the errors that the others get.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "xpose/mpi.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

inline EngineOptions own_plugins() {
  EngineOptions options;
  options.plugin_folders = {XPOSE_PLUGINS};
  options.worker = XPOSE_TRIAL_PROGRAM;
  options.threads = 1;
  options.remember = false;
  return options;
}

// Passes calls on, and has an accident in one of them.
class Unlucky : public Ranks {
 public:
  Unlucky(std::shared_ptr<Ranks> ranks, std::function<void()> accident, int call)
      : ranks_(std::move(ranks)), accident_(std::move(accident)), call_(call) {}

  int rank() const override { return ranks_->rank(); }
  int size() const override { return ranks_->size(); }
  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) override {
    count();
    ranks_->send(rank, channel, std::move(data), bytes, id);
  }
  void receive(int rank, int channel, std::shared_ptr<std::byte[]> data, std::uint64_t bytes,
               std::uint64_t id) override {
    count();
    ranks_->receive(rank, channel, std::move(data), bytes, id);
  }
  std::vector<std::uint64_t> wait(double seconds) override { return ranks_->wait(seconds); }
  double seconds() const override { return ranks_->seconds(); }
  void abandon() noexcept override { ranks_->abandon(); }

 private:
  void count() {
    if (rank() == 2 && --call_ == 0) accident_();
  }

  std::shared_ptr<Ranks> ranks_;
  std::function<void()> accident_;
  int call_;
};

// Leaves the error's text in the folder, waits for those of the other survivors, and ends all.
[[noreturn]] inline void tell(const std::filesystem::path& folder, int rank,
                              const std::string& text, std::size_t tellers) {
  const std::filesystem::path part = folder / ("part" + std::to_string(rank));
  std::ofstream(part) << text;
  std::filesystem::rename(part, folder / ("rank" + std::to_string(rank)));
  const auto told = [&] {
    std::size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder))
      count += file.path().filename().string().starts_with("rank") ? 1 : 0;
    return count;
  };
  for (int i = 0; i < 6000 && told() < tellers; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  MPI_Abort(MPI_COMM_WORLD, 3);
  std::abort();
}

}  // namespace xpose
