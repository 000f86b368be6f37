// Curves of disks are found again, and a document that is none is one without disks.
#include "forecast/known_disks.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "../../temporary_folder.hpp"

namespace xpose::app {
namespace {

const DiskCurves kSlow = {{{4096, 1e6}}, {{4096, 2e6}, {65536, 3e6}}, {1, 1.5}};
const DiskCurves kFast = {{{4096, 1e9}}, {{4096, 2e9}}, {1, 2}};

class KnownDisksTest : public ::testing::Test {
 protected:
  std::filesystem::path document() const { return folder_.path() / "new" / "trials.disks.json"; }
  EngineOptions options() const {
    EngineOptions options;
    options.cache = folder_.path() / "new" / "trials.sqlite";
    return options;
  }
  void write(const std::string& text) const {
    std::filesystem::create_directories(document().parent_path());
    std::ofstream(document()) << text;
  }

  TemporaryFolder folder_;
};

TEST_F(KnownDisksTest, AreFoundByTheNamesOfBoth) {
  const KnownDisks known(options());
  EXPECT_EQ(known.find("a to b"), std::nullopt);
  known.keep("a to b", kSlow);
  known.keep("a to a", kFast);
  EXPECT_TRUE(std::filesystem::exists(document()));
  EXPECT_EQ(KnownDisks(options()).find("a to b"), kSlow);
  EXPECT_EQ(KnownDisks(options()).find("a to a"), kFast);
  EXPECT_EQ(KnownDisks(options()).find("b to a"), std::nullopt);
  known.keep("a to b", kFast);
  EXPECT_EQ(KnownDisks(options()).find("a to b"), kFast);
}

TEST_F(KnownDisksTest, AreNotRememberedWhereNothingIs) {
  EngineOptions forgetful = options();
  forgetful.remember = false;
  const KnownDisks known(forgetful);
  known.keep("a to b", kSlow);
  EXPECT_EQ(known.find("a to b"), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(document()));
}

// Issue: a pipe in its place was waited for without an end.
TEST_F(KnownDisksTest, APipeIsNoDocument) {
  std::filesystem::create_directories(document().parent_path());
  ASSERT_EQ(mkfifo(document().c_str(), 0600), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(KnownDisks(options()).find("a to b"), std::nullopt);
  EXPECT_NE(
      testing::internal::GetCapturedStderr().find("it is no plain file; remove it; the disks"),
      std::string::npos);
}

// Issue: `run --plan-only` was the first command, and made ~/.cache for everyone to read.
TEST_F(KnownDisksTest, FoldersAreForTheirOwnerAlone) {
  EngineOptions deep = options();
  deep.cache = folder_.path() / "new" / "deep" / "trials.sqlite";
  KnownDisks(deep).keep("a to b", kSlow);
  for (const std::filesystem::path& made :
       {folder_.path() / "new", folder_.path() / "new" / "deep"})
    EXPECT_EQ(std::filesystem::status(made).permissions(), std::filesystem::perms(0700)) << made;
}

// Issue: beside /dev/null there was /dev/null.disks.json.
TEST_F(KnownDisksTest, AreNotRememberedBesideADevice) {
  EngineOptions to_device = options();
  to_device.cache = folder_.path() / "null.sqlite";
  std::filesystem::create_symlink("/dev/null", to_device.cache);
  const KnownDisks known(to_device);
  known.keep("a to b", kSlow);
  EXPECT_EQ(known.find("a to b"), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "null.disks.json"));
}

TEST_F(KnownDisksTest, AWrongDocumentIsReplaced) {
  const std::string curves = to_json(kFast).dump();
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("{}"),
        std::string(R"({"schema": "xpose.disks/2", "disks": {"a to b": )" + curves + "}}"),
        std::string(R"({"schema": "xpose.disks/1", "disks": [1]})"),
        std::string(R"({"schema": "xpose.disks/1", "disks": {"a to b": {"read": []}}})"),
        std::string(2 << 20, ' ')}) {
    write(text);
    const KnownDisks known(options());
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(known.find("a to b"), std::nullopt) << text;
    EXPECT_NE(::testing::internal::GetCapturedStderr().find("trials.disks.json"), std::string::npos)
        << text;
    known.keep("a to b", kSlow);
    EXPECT_EQ(known.find("a to b"), kSlow) << text;
  }
}

TEST_F(KnownDisksTest, AFolderThatCannotBeWrittenIsAWarning) {
  std::ofstream(folder_.path() / "new") << "a file where the folder would be";
  ::testing::internal::CaptureStderr();
  KnownDisks(options()).keep("a to b", kSlow);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("the disks will be measured again"),
            std::string::npos);
}

TEST(DiskName, IsThatOfTheFileSystem) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "text";
  EXPECT_NE(disk_name(folder.path()), "");
  EXPECT_EQ(disk_name(folder.path()), disk_name(folder.path() / "file"));
  EXPECT_NE(disk_name(folder.path()), disk_name("/proc"));
}

}  // namespace
}  // namespace xpose::app
