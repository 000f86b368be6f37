#include "registry/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../../temporary_folder.hpp"
#include "cache/cache_file.hpp"
#include "device/device.hpp"
#include "problem/normal_form.hpp"
#include "worker/quarantine.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

// A folder of its own with two plugins of the build, as they were built.
class RegistryTest : public testing::Test {
 protected:
  RegistryTest() {
    put("host_naive");
    put("host_copy");
  }

  // With the description beside it, whose plugin must not be younger.
  void put(const std::string& plugin, std::string as = "") {
    if (as.empty()) as = plugin;
    for (const char* ending : {".so", ".so.description"}) {
      const fs::path from = fs::path(XPOSE_PLUGINS) / (plugin + ending);
      const fs::path to = folder / (as + ending);
      fs::remove(to);
      fs::copy_file(from, to);
      fs::last_write_time(to, fs::last_write_time(from));
    }
  }

  std::string digest_of(Registry& registry, const std::string& plugin) {
    for (const PluginInfo& one : registry.catalog().plugins)
      if (one.file.stem() == plugin) return one.digest;
    return "";
  }
  template <class Call>
  static std::pair<ErrorKind, std::string> error_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return {error.kind(), error.what()};
    }
    return {ErrorKind::failed, "no error"};
  }

  const TemporaryFolder temporary;
  const fs::path folder = temporary.path();
  Cache cache{"", "", {}};
  Worker worker{XPOSE_TRIAL_PROGRAM, 10};
  Admission admission{worker, cache, {}, false};
  std::vector<std::string> warnings;
  Warn warn = [this](std::string_view text) { warnings.emplace_back(text); };
  const Problem problem = normal_form(matrix(30, 40, 4));
  const DeviceInfo host = backend(Device{}).info();
};

TEST_F(RegistryTest, FilesAreFoundWithoutAWorker) {
  Registry found({folder}, cache, {}, Shipped::ignored);
  ASSERT_EQ(found.catalog().plugins.size(), 2U);
  for (const PluginInfo& plugin : found.catalog().plugins) {
    EXPECT_NE(plugin.digest, "");
    EXPECT_EQ(plugin.refused, "");
    EXPECT_TRUE(plugin.strategies.empty());
  }
  EXPECT_FALSE(found.catalog().is_described);
  EXPECT_EQ(worker.generation(), 0U);
}

TEST_F(RegistryTest, AnEstimateBelievesTheDescriptionsOthersAskAWorker) {
  Registry found({folder}, cache, {}, Shipped::believed);
  const Catalog& believed = found.described(admission, Shipped::believed);
  EXPECT_NE(find_strategy(believed.strategies, "host_naive_row"), nullptr);
  EXPECT_EQ(worker.generation(), 0U);
  const Catalog& asked = found.described(admission);
  EXPECT_EQ(worker.generation(), 1U);
  EXPECT_TRUE(asked.shipped.empty());
  EXPECT_NE(find_strategy(asked.strategies, "host_naive_row"), nullptr);
  EXPECT_EQ(&found.described(admission), &asked);
  EXPECT_NE(find_strategy(believed.strategies, "host_naive_row"), nullptr);  // catalogs stay
}

TEST_F(RegistryTest, ANameIsFoundAndFilledWithTheAuthorsValues) {
  Registry found({folder}, cache, {}, Shipped::ignored);
  const Registry::Named named = found.named(admission, problem, host, {"host_naive_row"});
  EXPECT_EQ(named.plugin, folder / "host_naive.so");
  EXPECT_EQ(named.candidate.variant.strategy, "host_naive_row");
  EXPECT_EQ(named.candidate.outcome, Outcome{});
  EXPECT_NE(named.candidate.strategy->functions, nullptr);  // loaded here

  const auto unknown = error_of([&] { found.named(admission, problem, host, {"host_nothing"}); });
  EXPECT_EQ(unknown.first, ErrorKind::no_strategy);
  EXPECT_EQ(
      unknown.second,
      "no loaded plugin offers a strategy 'host_nothing'; `xpose plugins` lists the strategies, "
      "and the reason for each refused file");
  EXPECT_EQ(
      error_of([&] {
        found.named(admission, problem, host, {"host_naive_row", {{"a", 1}}});
      }),
      std::pair(ErrorKind::invalid, std::string("cannot use host_naive_row{a=1}: host_naive_row "
                                                "has no axis 'a'; its axes are: none")));
  Problem on_gpu = problem;
  on_gpu.device = {DeviceKind::cuda, 0};
  EXPECT_EQ(error_of([&] { found.named(admission, on_gpu, host, {"host_naive_row"}); }).first,
            ErrorKind::invalid);
  put_in_quarantine(cache, {}, {digest_of(found, "host_naive"), "host_naive_row", "", {}, "oh", 0});
  EXPECT_EQ(error_of([&] {
              found.named(admission, problem, host, {"host_naive_row"});
            }).second.find("in quarantine since"),
            0U);
}

TEST_F(RegistryTest, VariantsAreRequiredEachWithItsValues) {
  Registry found({folder}, cache, {}, Shipped::believed);
  const auto error = [&](const std::vector<Variant>& variants) {
    return error_of([&] { found.require_offered(admission, variants); });
  };
  const std::pair fine(ErrorKind::failed, std::string("no error"));
  EXPECT_EQ(error({}), fine);
  EXPECT_EQ(error({{"host_naive_row"}, {"copy_memcpy", {{"parallel", 1}}}}), fine);
  EXPECT_EQ(worker.generation(), 0U);  // the descriptions beside the plugins suffice
  EXPECT_EQ(error({{"host_naive_row"}, {"copy_memcpy", {{"parallel", 7}}}}),
            std::pair(ErrorKind::invalid,
                      std::string("cannot use copy_memcpy{parallel=7}: copy_memcpy has no "
                                  "parallel=7; its values are: 1, 0")));
  EXPECT_EQ(error({{"host_naive_row"}, {""}}).first, ErrorKind::no_strategy);
  EXPECT_EQ(worker.generation(), 1U);  // a refusal rests on the plugins themselves
}

TEST_F(RegistryTest, APlanNeedsAVariantThatMayBeChosen) {
  Registry found({folder}, cache, {}, Shipped::believed);
  const auto error = [&](const std::vector<Variant>& variants, DeviceKind kind = DeviceKind::host) {
    return error_of([&] { found.require_offered(admission, variants, Device{kind, 0}); });
  };
  const std::pair fine(ErrorKind::failed, std::string("no error"));
  EXPECT_EQ(error({}), fine);
  EXPECT_EQ(error({{"copy_memcpy"}, {"host_naive_row"}}), fine);
  EXPECT_EQ(error({{"host_naive_row"}, {"copy_memcpy"}}), fine);
  EXPECT_EQ(error({{"host_naive_row"}, {"host_nothing"}}).first, ErrorKind::no_strategy);
  EXPECT_EQ(error({{"copy_memcpy"}}),
            std::pair(ErrorKind::no_strategy,
                      std::string("copy_memcpy is a copy, and a copy transposes nothing; `xpose "
                                  "plugins` lists the strategies")));
  EXPECT_EQ(error({{"host_naive_row"}}, DeviceKind::cuda),
            std::pair(ErrorKind::no_strategy,
                      std::string("host_naive_row does not run on cuda:0; `xpose plugins` lists "
                                  "the strategies")));
}

TEST_F(RegistryTest, ARememberedVariantIsOfferedOnlyIfItMayBeChosen) {
  Registry found({folder}, cache, {}, Shipped::ignored);
  const Catalog& catalog = found.catalog();
  const std::string naive = digest_of(found, "host_naive"), copy = digest_of(found, "host_copy");
  const auto offered = [&](const std::string& digest, const Variant& variant, Device device = {}) {
    return found.offered(admission, catalog, digest, variant, device);
  };
  EXPECT_EQ(offered(naive, {"host_naive_row", {}}).strategy.digest, naive);
  const std::vector<std::pair<std::function<void()>, std::string>> refused = {
      {[&] {
         offered("0123", {"host_naive_row", {}});
       },
       "its plugin is not installed here"},
      {[&] {
         offered(naive, {"host_nothing", {}});
       },
       "host_naive.so offers no strategy host_nothing"},
      {[&] {
         offered(copy, {"copy_memcpy", {}});
       },
       "copy_memcpy is a copy, and a copy transposes nothing"},
      {[&] {
         offered(naive, {"host_naive_row", {}}, {DeviceKind::cuda, 0});
       },
       "host_naive_row does not run on cuda:0"}};
  for (const auto& [call, words] : refused) {
    const auto error = error_of(call);
    EXPECT_EQ(error.first, ErrorKind::no_strategy);
    EXPECT_EQ(error.second, words);
  }
}

TEST_F(RegistryTest, AnExchangedFileIsRefusedUntilTheFoldersAreScannedAgain) {
  Registry found({folder}, cache, {}, Shipped::ignored);
  found.described(admission);
  const std::string before = digest_of(found, "host_naive");
  put("host_unroll4", "host_naive");
  EXPECT_THROW(found.named(admission, problem, host, {"host_naive_row"}), Refusal);
  found.rescan();
  EXPECT_NE(digest_of(found, "host_naive"), before);
  EXPECT_EQ(error_of([&] { found.named(admission, problem, host, {"host_naive_row"}); }).first,
            ErrorKind::no_strategy);
  EXPECT_EQ(found.named(admission, problem, host, {"host_unroll4_row"}).plugin,
            folder / "host_naive.so");
}

TEST_F(RegistryTest, APluginOfAnotherFolderDidNotShip) {
  Registry found({folder}, cache, {}, Shipped::ignored);
  EXPECT_FALSE(found.is_shipped(found.catalog(), digest_of(found, "host_naive")));
}

TEST_F(RegistryTest, AStrategyInFlightWhenTheMachineWentDownIsAccused) {
  const fs::path file = folder / "trials.sqlite";
  Cache before(file, "", {});
  Registry first({folder}, before, {}, Shipped::ignored);
  const std::string digest = digest_of(first, "host_naive");
  before.begin_trial({digest, "host_naive_row", "host_naive_row on 30x40", 7});
  open_cache_file(file).database.change("UPDATE in_flight SET boot = 'another'");
  Cache after(file, "", {});
  const Registry second({folder}, after, warn, Shipped::ignored);
  const auto row = after.find_quarantine(digest, "host_naive_row");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->file, "host_naive.so");
  EXPECT_EQ(row->since, 7);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("the machine went down during host_naive_row on 30x40"),
            std::string::npos);
}

}  // namespace
}  // namespace xpose
