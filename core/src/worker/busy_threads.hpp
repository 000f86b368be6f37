// Threads that a plugin leaves running beside what is timed next.
#pragma once

#include <cstddef>

namespace xpose {

// Of this process, with the calling one.
std::size_t thread_count();

// Whether another thread of this process uses a quarter of a second of processor time without a
// quiet moment of all of them. A team that waits for its next work without sleeping has gone to
// sleep by then, as lent teams have, unless the environment tells OpenMP's, which a plugin may use,
// never to: then nobody is accused, nor where the machine is too loaded to tell. Returns at the
// first quiet moment.
bool threads_stay_busy();

}  // namespace xpose
