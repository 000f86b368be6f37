// Where the plugin that this copy of the simulator is part of lies in memory.
#pragma once

#include "simulator/state.hpp"

namespace xpose::simulator {

// From its first mapped byte to its last.
Range own_image();

// Its thread-local storage, of the calling OS thread; empty if it has none.
Range own_thread_local_storage();

}  // namespace xpose::simulator
