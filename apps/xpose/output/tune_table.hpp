// The outcome of a tune for people.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "output/screen.hpp"
#include "xpose/xpose.hpp"

namespace xpose::app {

// The winner, its margin and its share of the roof. A race of one round has no margin.
std::string sentence(const TuneReport& report);

// A table of the best variant of each strategy, or of all variants; then, unless all are listed,
// the strategies of `plugins` that cannot serve, a line for each reason; then that sentence.
void print_report(std::ostream& out, const TuneReport& report,
                  const std::vector<PluginInfo>& plugins, bool all_variants, const Screen& screen);

// "22 CUDA strategies", or the names of up to three.
std::string strategies_text(const std::vector<std::string>& names,
                            const std::vector<PluginInfo>& plugins);

}  // namespace xpose::app
