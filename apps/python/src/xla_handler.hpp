// Permutations as calls of XLA, which JAX compiles to: XLA makes the output and names the stream.
#pragma once

#include <nanobind/nanobind.h>

#include <xpose/xpose.hpp>

namespace xpose::python {

// The handlers of CPUs and of CUDA as capsules that jax.ffi registers, ("cpu", "CUDA"). They plan
// by a copy of `engine`. A call has one input, one output, dense in C order, and the attributes
// `axes`, `element_bytes` and `policy`, a value of Policy, as 64-bit integers.
nanobind::tuple xla_handlers(const Engine& engine);

// Forgets their plans, since a better choice may be known.
void forget_xla_plans();

}  // namespace xpose::python
