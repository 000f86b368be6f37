// The kernels, for the widest vectors that this processor has.
#pragma once

#include "job.hpp"

namespace host_skinny {

// Transposes elements of 1, 2, 4, 8 or 16 bytes. Non-temporal stores are ordered with the thread's
// later ones when it returns.
void transpose(const Job& job, uint32_t element_bytes);

// The name of the instruction set in use, e.g. "AVX3".
const char* target_name();

}  // namespace host_skinny
