// The winner and its rivals on the same problem at other sizes, for the report.
#pragma once

#include <string_view>
#include <vector>

#include "xpose/xpose.hpp"

namespace xpose::app {

// The problem with its area scaled by a square of `scale`: 0.25 has a 16th of the elements. Keeps
// the shape's ratio, the padding of the rows, the batch and, from 256 rows or columns on, their
// remainder by 64, so that an awkward shape stays awkward.
Problem scaled(const Problem& problem, double scale);

// The best variant of each of the `most` fastest strategies of a report.
std::vector<Variant> fastest_variants(const TuneReport& report, std::size_t most);

// The fastest variant of each of at most 4 strategies, and the copies, on areas of 1/64, 1/16, 1/4
// and 4 times the report's. A size is left out where, going by the one before, it would not be done
// within 3 seconds of the start, where it would not fit well into the memory, and where it is
// another's again. `options`: the tune's, for its switches and its progress.
// Throws nothing: where a size cannot be measured, a warning on stderr says so, and those before it
// are returned.
std::vector<TuneReport> sweep_sizes(Engine& engine, const TuneReport& report,
                                    const DeviceInfo& device, const TuneOptions& options);

}  // namespace xpose::app
