#include "registry/shipped_description.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "../../temporary_folder.hpp"
#include "plugin/plugin_library.hpp"
#include "registry/catalog.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A folder with a plugin and its description.
class ShippedDescriptionTest : public testing::Test {
 protected:
  ShippedDescriptionTest() {
    fs::copy(fs::path(XPOSE_PLUGINS) / "host_naive.so", plugin());
    write_description(plugin(), description());
  }

  fs::path plugin() const { return folder_ / "host_naive.so"; }
  fs::path description() const { return description_file(plugin()); }
  std::optional<PluginInfo> read() const {
    const PluginFolder folder(folder_);
    return shipped_description(folder, folder.identity(plugin()));
  }
  std::string text() const {
    std::ifstream file(description(), std::ios::binary);
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }
  void rewrite(const std::string& text) const {
    std::ofstream(description(), std::ios::binary) << text;
  }
  Engine engine() const {
    EngineOptions options;
    options.plugin_folders = {folder_};
    options.worker = XPOSE_TRIAL_PROGRAM;
    options.cache = folder_ / "trials.sqlite";
    return Engine(options);
  }
  // Whether a worker was asked what a plugin offers, by what the cache has of it.
  bool was_asked() const {
    Cache cache(folder_ / "trials.sqlite", {}, {});
    return cache.find_description(PluginFile::open(plugin()).digest(), abi_version()).has_value();
  }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(ShippedDescriptionTest, SaysWhatTheWorkerSaid) {
  const auto shipped = read();
  ASSERT_TRUE(shipped);
  EXPECT_EQ(shipped->file, plugin());
  EXPECT_EQ(shipped->digest, PluginFile::open(plugin()).digest());
  EXPECT_EQ(shipped->name, "host_naive");
  const PluginInfo asked = engine().plugins().at(0);
  EXPECT_EQ(shipped->strategies, asked.strategies);
  EXPECT_EQ(shipped->build, asked.build);
}

TEST_F(ShippedDescriptionTest, EveryPluginOfTheBuildHasOne) {
  const PluginFolder folder(XPOSE_PLUGINS);
  for (const fs::path& file : folder.files())
    EXPECT_TRUE(shipped_description(folder, folder.identity(file))) << file;
}

TEST_F(ShippedDescriptionTest, IsNothingWithoutItsFile) {
  fs::remove(description());
  EXPECT_FALSE(read());
}

TEST_F(ShippedDescriptionTest, IsNothingWhereThePluginWasWrittenLater) {
  fs::last_write_time(plugin(), fs::last_write_time(description()) + 1s);
  EXPECT_FALSE(read());
}

TEST_F(ShippedDescriptionTest, IsNothingWhereThePluginHasAnotherSize) {
  const auto before = fs::last_write_time(plugin());
  std::ofstream(plugin(), std::ios::app) << 'x';
  fs::last_write_time(plugin(), before);
  EXPECT_FALSE(read());
}

TEST_F(ShippedDescriptionTest, IsNothingWhereOthersMayWriteIt) {
  fs::permissions(description(), fs::perms(0666));
  EXPECT_FALSE(read());
}

TEST_F(ShippedDescriptionTest, IsNothingThatThisBuildDidNotWrite) {
  const std::string good = text();
  for (const std::string& bad :
       {std::string(), "x" + good, good + 'x', good.substr(0, good.size() / 2),
        good + std::string(1 << 20, 'x')}) {
    rewrite(bad);
    EXPECT_FALSE(read()) << bad.size();
  }
  rewrite(good);
  EXPECT_TRUE(read());
}

// Issue: the first run took 0.56 s for 6 KB, most of it to describe plugins.
TEST_F(ShippedDescriptionTest, SparesTheFirstEstimateTheWorkerAndNothingElse) {
  const Problem problem = matrix(40, 38, 4);
  EXPECT_TRUE(engine().plan(problem, {.policy = Policy::estimate}).is_estimate());
  EXPECT_FALSE(was_asked());
  EXPECT_TRUE(engine().tune(problem, {.budget_seconds = 0.05}).winner);
  EXPECT_TRUE(was_asked());
}

// Content that does not show in size and time: a plan comes from what the plugin really is.
TEST_F(ShippedDescriptionTest, IsHeldAgainstThePluginBeforeThatIsUsed) {
  std::string wrong = text();
  const std::string digest = PluginFile::open(plugin()).digest();
  wrong.replace(wrong.find(digest), digest.size(), std::string(digest.size(), '0'));
  rewrite(wrong);
  ASSERT_TRUE(read());
  EXPECT_TRUE(engine().plan(matrix(40, 38, 4), {.policy = Policy::estimate}).is_estimate());
  EXPECT_TRUE(was_asked());
}

}  // namespace
}  // namespace xpose
