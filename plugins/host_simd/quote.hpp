// The figures of a mode for a problem, and what a launch must know as its quote does.
#pragma once

#include <cstdint>
#include <xpose/plugin.hpp>

#include "mode.hpp"
#include "rectangle.hpp"

namespace host_simd {

// Throws Unsupported where the processor or the problem lacks a demand of the mode.
xpose::plugin::Quote quote(const xpose::plugin::Problem& problem,
                           const xpose::plugin::Config& config);

// The panels in which a mode walks the problem.
Panels panels_of(const xpose::plugin::Problem& problem, const Mode& mode);

// The bytes that a share carries; see Rectangle.
int64_t carry_bytes(const xpose::plugin::Problem& problem, const Mode& mode);

}  // namespace host_simd
