// A temporary file goes with its owner, by whatever end, and only with its owner.
#include "output/temporary_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>

namespace xpose::app {
namespace {

using Kind = TemporaryFile::Kind;

class TemporaryFileTest : public testing::TestWithParam<Kind> {
 protected:
  TemporaryFileTest() { std::filesystem::create_directories(folder_); }
  ~TemporaryFileTest() override { std::filesystem::remove_all(folder_); }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::string content() const {
    std::ifstream file(target_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& text) const {
    TemporaryFile file(target_, GetParam());
    ASSERT_EQ(write(file.fd(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    file.put_in_place();
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("temporary_file." + std::to_string(getpid()));
  const std::filesystem::path target_ = folder_ / "a";
};

TEST_P(TemporaryFileTest, IsPutInPlaceOfNothingAndOfAFile) {
  for (const char* text : {"first", "second"}) {
    put(text);
    EXPECT_EQ(content(), text);
    EXPECT_EQ(files(), 1U);
  }
}

TEST_P(TemporaryFileTest, IsGoneWithItsObject) {
  { const TemporaryFile file(target_, GetParam()); }
  EXPECT_EQ(files(), 0U);
}

TEST_P(TemporaryFileTest, OfAKilledOwnerIsGoneWithTheNext) {
  const pid_t owner = fork();
  if (owner == 0) {
    const TemporaryFile file(target_, GetParam());
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(owner, &status, 0), owner);
  EXPECT_EQ(files(), GetParam() == Kind::named ? 1U : 0U);
  put("next");
  EXPECT_EQ(files(), 1U);
}

TEST_P(TemporaryFileTest, OfALivingOwnerStays) {
  TemporaryFile file(target_, GetParam());
  put("other");
  EXPECT_EQ(files(), file.has_name() ? 2U : 1U);
  file.put_in_place();
  EXPECT_EQ(content(), "");
  EXPECT_EQ(files(), 1U);
}

TEST_P(TemporaryFileTest, IsRemovedByASignalHandler) {
  const TemporaryFile file(target_, GetParam());
  unlink_temporary_files();
  EXPECT_EQ(files(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, TemporaryFileTest, testing::Values(Kind::nameless, Kind::named),
                         [](const auto& info) {
                           return info.param == Kind::named ? "Named" : "Nameless";
                         });

}  // namespace
}  // namespace xpose::app
