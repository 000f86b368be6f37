// When a second thread is worth waking.
#pragma once

#include <cstdint>

namespace host {

// Input plus output that one thread has moved before another one is awake.
inline constexpr int64_t kOneThreadBytes = 512 << 10;

}  // namespace host
