// A strategy that is right, but for how the including source starts its kernel.
#pragma once

#include <xpose/cuda.hpp>

using namespace xpose::plugin;

struct Rows {
  static Card card() {
    return {.name = "rows",
            .summary = "one block a row",
            .device_kind = XPOSE_CUDA,
            .element_sizes = 4};
  }
  static Quote quote(const Problem&, const Config&) { return {.launch = "256 blocks of 128"}; }
  Rows(const Problem& problem, const Config&) : problem_(problem) {}
  void launch(const Launch& launch) const;

  Problem problem_;
};
