// Room on the disk, taken before work begins.
#pragma once

#include <cstdint>
#include <string>

namespace xpose::app {

// Gives the file that size, and room for all of it. others: bytes that other files of its folder
// will take, which count where no room can be reserved. Throws std::runtime_error, "NAME: FAILURE:
// ...", where there is no such room.
void reserve_room(int fd, std::uint64_t bytes, const std::string& name, const std::string& failure,
                  std::uint64_t others = 0);

// Gives an empty file that size, and takes no room. Throws as reserve_room() does where there is
// none.
void check_room(int fd, std::uint64_t bytes, const std::string& name, const std::string& failure);

}  // namespace xpose::app
