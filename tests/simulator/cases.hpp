// One case of cases.cu, run by the simulator on 4096 bytes of input and of output.
#pragma once

#include <array>
#include <stdexcept>

#include "traced.hpp"

class Case {
 public:
  explicit Case(const std::string& name, uint32_t threads = 32, uint32_t blocks = 1) {
    static const xpose_plugin& plugin = *load_plugin(XPOSE_CASES);
    for (uint32_t i = 0; i < plugin.strategy_count; ++i)
      if (plugin.strategies[i]->card->name == name) strategy_ = plugin.strategies[i];
    if (strategy_ == nullptr) throw std::out_of_range(name);
    for (uint32_t i = 0; i < in.size(); ++i) in[i] = 1000 + i;
    out.fill(0xeeeeeeee);
    problem_.size = sizeof problem_;
    problem_.element_bytes = 4;
    problem_.rows = threads;
    problem_.cols = blocks;
    problem_.device_kind = XPOSE_CUDA;
  }

  const xpose_strategy& strategy() const { return *strategy_; }

  Traced run() {
    const xpose_launch launch = {sizeof launch, 0,       in.data(), out.data(),
                                 nullptr,       nullptr, nullptr};
    return trace(*strategy_, problem_, {}, launch,
                 {{in.data(), sizeof in}, {out.data(), sizeof out}}, true);
  }

  alignas(256) std::array<uint32_t, 1024> in;
  std::array<uint32_t, 1024> between = {};
  alignas(256) std::array<uint32_t, 1024> out;

  uint64_t in_at(uint64_t word) const { return reinterpret_cast<uintptr_t>(&in[word]); }
  uint64_t out_at(uint64_t word) const { return reinterpret_cast<uintptr_t>(&out[word]); }

 private:
  const xpose_strategy* strategy_ = nullptr;
  xpose_problem problem_ = {};
};
