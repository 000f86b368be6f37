// The standard table for people.
#pragma once

#include <iosfwd>

#include "bench/bench_run.hpp"
#include "output/screen.hpp"

namespace xpose::app {

// The number of cells that reach their mark, and the worst one.
std::string sentence(const BenchRun& run);

// A sentence a line: the mean share of each group of cells on a device, the least, and how many
// estimates are near their winners; then the same of all estimates on the device.
std::string mean_sentences(const BenchRun& run, Device device);

// A table for each device, with means below it, then that sentence.
void print_bench(std::ostream& out, const BenchRun& run, const Screen& screen);

}  // namespace xpose::app
