// The tables that are installed with the library: each of their variants is of a plugin that is
// here, in the version that is here, and takes the problem of its row.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "loaded_plugins.hpp"
#include "problem/normal_form.hpp"
#include "quotes_here.hpp"
#include "strategy/configs.hpp"
#include "tables/table_document.hpp"

namespace xpose {
namespace {

// Why a variant would not be chosen; empty: it may be.
std::string fault_of(const TableVariant& one, const Problem& problem) {
  const Catalog& here = loaded_plugins();
  const auto* const found = find_strategy(here.strategies, one.variant.strategy);
  if (found == nullptr) return "no plugin offers it";
  const PluginInfo* const plugin = here.find((*found)->digest);
  if (plugin->name != one.plugin) return "it is of " + plugin->name;
  if (plugin->version != one.version) return "the version here is " + plugin->version;
  const QuoteAnswer answer = quote(**found, values_of((*found)->info, one.variant.config), problem,
                                   device_of(problem.device.kind));
  return answer.outcome.verdict == Verdict::ok ? "" : answer.outcome.detail;
}

TEST(ShippedTables, HaveVariantsThatServeTheirRows) {
  std::set<std::string> devices;
  for (const auto& file : std::filesystem::directory_iterator(XPOSE_TABLES)) {
    if (file.path().extension() != ".json") continue;
    std::ifstream stream(file.path());
    const std::string document((std::istreambuf_iterator<char>(stream)), {});
    for (const TableRow& row : table_rows(document)) {
      SCOPED_TRACE(file.path().filename().string() + ": " + row.problem);
      devices.insert(row.device);
      const std::optional<Problem> problem = problem_of_key(row.problem);
      ASSERT_TRUE(problem.has_value());
      // Without a CUDA compiler there is no plugin that could serve it.
      if (problem->device.kind == DeviceKind::cuda && XPOSE_HAS_CUDA_PLUGINS == 0) continue;
      EXPECT_FALSE(row.variants.empty());
      for (const TableVariant& one : row.variants)
        EXPECT_EQ(fault_of(one, *problem), "") << to_string(one.variant);
    }
  }
  EXPECT_GE(devices.size(), 3U);
}

}  // namespace
}  // namespace xpose
