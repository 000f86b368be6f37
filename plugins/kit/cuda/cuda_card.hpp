// The fields that the cards of all CUDA strategies have in common.
#pragma once

#include <xpose/plugin.hpp>

namespace xpose::plugin {

// Adds them to a card: launches can be captured into a graph, and need compute capability 8.0, the
// least that the plugins are tried on.
inline Card cuda_card(Card card) {
  card.device_kind = XPOSE_CUDA;
  card.min_compute_capability = 80;
  card.traits |= XPOSE_TRAIT_CAPTURABLE;
  return card;
}

}  // namespace xpose::plugin
