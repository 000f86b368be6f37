// The cache for people: a table of decisions and one of the quarantine.
#pragma once

#include <iosfwd>

#include "output/screen.hpp"
#include "xpose/cache.hpp"

namespace xpose::app {

// A table for each list that has rows, and an empty line behind it. Times are UTC. A decision of
// one round has no margin. Texts came from plugins and other machines: they are cut to 100
// characters, and all but printable ASCII becomes '?', because it would steer the terminal.
void print_cache(std::ostream& out, const CacheContents& contents, const Screen& screen);

}  // namespace xpose::app
