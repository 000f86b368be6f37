// The normal form that every problem is folded into before a plugin sees it.
#pragma once

#include <cstdint>

#include "xpose/plugin.h"
#include "xpose/xpose.hpp"

namespace xpose {

// Where element 0 of the normal form lies, in bytes from element 0 of the caller's problem.
struct Origin {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

// A problem as strategies take it. One whose output axes interlock is several of one normal form.
struct Layered {
  Problem layer;                // the normal form
  Origin origin;                // of the first layer
  std::vector<BatchDim> steps;  // from layer to layer, strides in bytes; empty: one layer
};

// Checks a problem and folds it into the one form of all problems that move the same bytes: default
// leading dimensions filled in; dimensions that the output counts backwards counted from their
// other end; those that continue each other fused; elements of other sizes than strategies know,
// and runs that stay together, made elements that they know, or columns of a single row; the other
// dimensions in the batch, the longest first. The alignments are of its own element 0 and at most
// 256; row_alignment() has those of all rows. An empty problem comes back with rows = cols = 0 and
// no batch. Throws Error invalid: element size, negative or overflowing sizes, a leading dimension
// shorter than its row, output elements that overlap.
Layered layered(const Problem& problem);

// Of one layer.
inline Problem normal_form(const Problem& problem) { return layered(problem).layer; }

// [normal form] Nothing to do.
bool is_empty(const Problem& problem);

// Whether a caller's problem whose normal form is empty has elements, which stay where they are.
bool stays_in_place(const Problem& problem);

// [normal form] Elements of the matrix and all batches.
std::int64_t element_count(const Problem& problem);

// [normal form] The lowest element that is read, from element 0: negative where axes are read
// backwards. The written part begins with element 0.
std::int64_t in_low(const Problem& problem);

// [normal form] Elements from the lowest to one past the highest that are read (written), gaps
// counted.
std::int64_t in_span(const Problem& problem);
std::int64_t out_span(const Problem& problem);

// [normal form] Whether it is a problem of matrices, with at most the first `batch_rank` batch
// dimensions: nothing is read backwards. Else it is for strategies that permute.
bool is_of_matrices(const Problem& problem, std::size_t batch_rank);

// How many 16-byte parts a fat element has; 1 for elements of at most 16 bytes.
std::int64_t parts_of_element(const Problem& problem);

// [normal form] The dense copy of as many bytes: rows x cols with no batch and no gaps, of elements
// of at most 16 bytes, so that every copy serves what is held against it.
Problem copy_of_same_bytes(const Problem& problem);

// [normal form, not empty] As a plugin sees it, with only the first `batch_rank` batch dimensions.
xpose_problem to_abi(const Problem& problem, std::size_t batch_rank, const DeviceInfo& device);

// [normal form] A text that is equal for equal problems, of alignments as key_alignment() has them.
std::string key(const Problem& problem);

// The problem of such a text; nothing where it is of another form.
std::optional<Problem> problem_of_key(const std::string& text);

}  // namespace xpose
