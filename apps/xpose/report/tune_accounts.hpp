// The simulator's accounts of the variants that a tune has tried, for the report.
#pragma once

#include <vector>

#include "report/report.hpp"

namespace xpose::app {

// The fastest variant of each strategy that has a simulator, on the report's problem or, where that
// has more than about a million elements, on one of the same kind with so many: sectors and
// wavefronts grow with the elements. A fraction of a second each. Throws nothing: a variant that
// fails is left out, with a warning on stderr.
std::vector<VariantAccount> account_variants(Engine& engine, const TuneReport& report);

}  // namespace xpose::app
