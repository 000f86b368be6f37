#include "registry/admission.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "../../temporary_folder.hpp"
#include "worker/quarantine.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

const fs::path kNaive = fs::path(XPOSE_PLUGINS) / "host_naive.so";

std::string digest_of(const fs::path& file) { return PluginFile::open(file).digest(); }

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Refusal& refusal) {
    return refusal.why;
  }
  return "";
}

class AdmissionTest : public testing::Test {
 protected:
  Cache cache{"", "", {}};
  Worker worker{XPOSE_TRIAL_PROGRAM, 10};
  Worker no_worker{"/no/worker", 10};
  std::vector<std::string> warnings;
  Warn warn = [this](std::string_view text) { warnings.emplace_back(text); };
};

TEST_F(AdmissionTest, AWorkerDescribesOnceAndTheCacheFromThenOn) {
  Admission first(worker, cache, warn, false);
  const PluginInfo described = first.describe(kNaive, digest_of(kNaive));
  ASSERT_FALSE(described.strategies.empty());
  EXPECT_EQ(worker.generation(), 1U);
  Admission second(no_worker, cache, warn, false);
  const PluginInfo remembered = second.describe(kNaive, digest_of(kNaive));
  EXPECT_EQ(remembered.file, kNaive);
  EXPECT_EQ(remembered.strategies.size(), described.strategies.size());
}

TEST_F(AdmissionTest, AShippedDescriptionNeedsNoWorker) {
  PluginInfo shipped;
  shipped.name = "told";
  Admission admission(no_worker, cache, warn, false);
  EXPECT_EQ(admission.describe(kNaive, digest_of(kNaive), &shipped).name, "told");
  EXPECT_THROW(admission.describe(kNaive, digest_of(kNaive)), Error);
}

TEST_F(AdmissionTest, AWorkerThatHasLoadedAFileBeforeDescribesIt) {
  const std::string digest = digest_of(kNaive);
  const Reply loaded = worker.load(kNaive, digest);  // for a quote, say
  ASSERT_TRUE(loaded.plugin);
  Admission admission(worker, cache, warn, false);
  const PluginInfo described = admission.describe(kNaive, digest);
  EXPECT_EQ(described.file, kNaive);
  EXPECT_EQ(described.name, loaded.plugin->name);
  ASSERT_EQ(described.strategies.size(), loaded.plugin->strategies.size());
  EXPECT_EQ(worker.generation(), 1U);
}

TEST_F(AdmissionTest, AnAnswerWithoutADescriptionIsRefused) {
  Worker forging(FORGING_WORKER, 60);
  Admission admission(forging, cache, warn, false);
  EXPECT_EQ(refusal_of([&] { admission.describe(kNaive, digest_of(kNaive)); }),
            "the worker described no plugin");
}

TEST_F(AdmissionTest, AFileInQuarantineIsRefused) {
  put_in_quarantine(cache, {}, {digest_of(kNaive), "", "n.so", Verdict::crashed, "oh", 0});
  Admission admission(worker, cache, warn, false);
  EXPECT_EQ(refusal_of([&] {
              admission.describe(kNaive, digest_of(kNaive));
            }).find("in quarantine since"),
            0U);
  EXPECT_EQ(worker.generation(), 0U);
}

TEST_F(AdmissionTest, AFileThatEndsTheWorkerTwiceIsPutInQuarantine) {
  const fs::path exiting = ZOO_EXIT_IN_LOAD;
  Admission admission(worker, cache, warn, false);
  EXPECT_NE(refusal_of([&] { admission.describe(exiting, digest_of(exiting)); }), "");
  EXPECT_EQ(worker.generation(), 2U);
  const auto row = cache.find_quarantine(digest_of(exiting), "");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->verdict, Verdict::exited);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].find("plugin " + exiting.filename().string() + " is now in quarantine"),
            0U);
}

TEST_F(AdmissionTest, AFileIsLoadedOnlyWithTheContentThatWasDescribed) {
  Admission admission(worker, cache, warn, false);
  EXPECT_EQ(refusal_of([&] { admission.load(kNaive, "0123"); }), "was changed on disk; start anew");
  const PluginLibrary& library = admission.load(kNaive, digest_of(kNaive));
  EXPECT_EQ(&admission.load(kNaive, digest_of(kNaive)), &library);
}

TEST_F(AdmissionTest, AFileIsLookedAtAgainWhereItIsNotAsItWas) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_all);
  const fs::path file = folder.path() / "plugin.so", other = folder.path() / "other.so";
  fs::copy_file(kNaive, file);
  fs::permissions(file, fs::perms::owner_all);
  const std::string digest = digest_of(file);
  Admission admission(worker, cache, warn, false);
  const auto load = [&] { admission.load(file, digest); };
  const PluginLibrary& library = admission.load(file, digest);
  EXPECT_EQ(&admission.load(file, digest), &library);
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  EXPECT_NE(refusal_of(load).find("can be written by anyone"), std::string::npos);
  fs::permissions(file, fs::perms::owner_all);
  EXPECT_EQ(&admission.load(file, digest), &library);
  fs::copy_file(fs::path(XPOSE_PLUGINS) / "host_unroll4.so", other);
  fs::permissions(other, fs::perms::owner_all);
  fs::rename(other, file);
  EXPECT_EQ(refusal_of(load), "was changed on disk; start anew");
  fs::remove(file);
  EXPECT_NE(refusal_of(load).find("cannot be read"), std::string::npos);
}

TEST_F(AdmissionTest, InProcessAFileIsDescribedByLoadingIt) {
  Admission admission(no_worker, cache, warn, true);
  EXPECT_EQ(admission.describe(kNaive, digest_of(kNaive)).file, kNaive);
}

}  // namespace
}  // namespace xpose
