// The least of Highway's targets that a plugin is compiled for.
#pragma once

#include <xpose/plugin.hpp>

namespace host {

// Throws Unsupported where this processor is older.
inline void require_least_target() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("aes"))
    throw xpose::plugin::Unsupported("needs a processor with SSE4.2 and AES instructions");
#endif
}

}  // namespace host
