// The forks since the library was loaded.
#pragma once

namespace xpose {

// How many forks lie between this process and the one that loaded the library. In a child of
// fork() there is no other thread, and no device that its parent used.
unsigned fork_generation() noexcept;

// False where memory ran out while the library was loaded: then forks are not counted.
bool forks_are_watched() noexcept;

}  // namespace xpose
