#include "plugin/plugin_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "plugin_file_fixture.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 65534;

// ---------------------------------------------------------------------------- what may be loaded

TEST_F(PluginFileTest, OpensWhatOnlyItsOwnerCanWrite) {
  const PluginFile plugin = PluginFile::open(file());
  EXPECT_EQ(plugin.path(), file());
  EXPECT_EQ(fcntl(plugin.descriptor(), F_GETFD), FD_CLOEXEC);
  struct stat status {};
  ASSERT_EQ(stat(file().c_str(), &status), 0);
  const auto nanoseconds = [](timespec time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; };
  EXPECT_EQ(plugin.identity(),
            (FileIdentity{file().string(), status.st_dev, status.st_ino, 9,
                          nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)}));
}

TEST_F(PluginFileTest, RefusesAFileThatOthersCanWrite) {
  set_mode(file(), 0646);
  EXPECT_EQ(refusal_of_file(file()),
            "can be written by anyone; run: chmod go-w " + file().string());
}

TEST_F(PluginFileTest, RefusesAFolderThatOthersCanWriteAndWhatLiesBelow) {
  for (const fs::path& path : {folder(), top}) {
    set_mode(path, 0757);
    const std::string problem = "can be written by anyone; run: chmod go-w " + path.string();
    EXPECT_EQ(refusal_of_file(file()), lies_in(path, problem));
    EXPECT_EQ(refusal_of_folder(folder()),
              "plugin folder " + folder().string() + ' ' +
                  (path == folder() ? problem : lies_in(path, problem)));
    set_mode(path, 0755);
  }
}

TEST_F(PluginFileTest, StickyIsEnoughForAFolderAboveButNotForThePlugins) {
  set_mode(top, 01777);
  EXPECT_EQ(refusal_of_file(file()), "");
  EXPECT_EQ(refusal_of_folder(folder()), "");
  set_mode(folder(), 01777);
  const std::string problem =
      "is shared with other users; move the plugins into a folder of their own";
  EXPECT_EQ(refusal_of_file(file()), lies_in(folder(), problem));
  EXPECT_EQ(refusal_of_folder(folder()), "plugin folder " + folder().string() + ' ' + problem);
}

TEST_F(PluginFileTest, AGroupMayWriteOnlyWhereItIsTheUsersOwn) {
  set_mode(file(), 0664);
  ASSERT_EQ(chown(file().c_str(), geteuid(), getegid()), 0);
  const std::string refused = "can be written by group " + std::to_string(getegid()) +
                              "; run: chmod go-w " + file().string();
  EXPECT_EQ(refusal_of_file(file()), getegid() == geteuid() ? "" : refused);
}

TEST_F(PluginFileTest, RefusesAnotherGroupThatCanWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to a group it is not in";
  set_mode(file(), 0664);
  ASSERT_EQ(chown(file().c_str(), 0, kStranger), 0);
  EXPECT_EQ(refusal_of_file(file()),
            "can be written by group 65534; run: chmod go-w " + file().string());
}

TEST_F(PluginFileTest, RefusesWhatBelongsToAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  for (const fs::path& path : {file(), folder(), top}) {
    ASSERT_EQ(chown(path.c_str(), kStranger, kStranger), 0);
    const std::string problem =
        "belongs to user 65534, neither root nor you; if you trust its content, run as root: "
        "chown 0 " +
        path.string();
    EXPECT_EQ(refusal_of_file(file()), path == file() ? problem : lies_in(path, problem));
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
  EXPECT_EQ(refusal_of_file(file()), "");
}

TEST_F(PluginFileTest, FollowsLinksAndJudgesWhatTheyLeadTo) {
  const fs::path shared = top / "shared";
  fs::create_directory(shared);
  set_mode(shared, 0777);
  fs::create_symlink(file(), shared / "link.so");
  fs::create_directory_symlink(folder(), shared / "folder");
  EXPECT_EQ(PluginFile::open(shared / "link.so").path(), file());
  EXPECT_EQ(PluginFile::open(shared / "folder" / "one.so").path(), file());
  EXPECT_EQ(PluginFolder(shared / "folder").files(), std::vector{file()});

  write(shared / "bad.so", "");
  fs::create_symlink(shared / "bad.so", folder() / "link.so");
  EXPECT_EQ(refusal_of_file(folder() / "link.so"),
            lies_in(shared, "can be written by anyone; run: chmod go-w " + shared.string()));
}

TEST_F(PluginFileTest, RemediesAreOneLineThatAShellTakes) {
  const fs::path odd = folder() / "it's\nodd \x1b.so";
  write(odd, "");
  set_mode(odd, 0666);
  EXPECT_EQ(refusal_of_file(odd), "can be written by anyone; run: chmod go-w $'" +
                                      folder().string() + "/it\\'s\\012odd \\033.so'");
}

TEST_F(PluginFileTest, RefusesWhatIsNoRegularFile) {
  fs::create_directory(folder() / "folder.so");
  EXPECT_EQ(refusal_of_file(folder() / "folder.so"), "is not a regular file");
  // Opening it must not wait for a writer.
  ASSERT_EQ(mkfifo((folder() / "pipe.so").c_str(), 0600), 0);
  EXPECT_EQ(refusal_of_file(folder() / "pipe.so"), "is not a regular file");
  fs::create_symlink("nowhere.so", folder() / "dangling.so");
  EXPECT_EQ(refusal_of_file(folder() / "dangling.so"), "cannot be read: No such file or directory");
}

// ------------------------------------------------------------------------------- the descriptor

TEST_F(PluginFileTest, TheDigestIsOfTheWholeContent) {
  EXPECT_EQ(PluginFile::open(file()).digest(), "2fca2f5b711d362f35769d792f908028");
  write(file(), "");
  EXPECT_EQ(PluginFile::open(file()).digest(), "99aa06d3014798d86001c324468d497f");
  std::string large(300001, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * i % 251);
  write(file(), large);
  EXPECT_EQ(PluginFile::open(file()).digest(), "49eb3d20df4c858b6d187c54d33b1858");
}

// A hole of so many bytes is read in no time that matters; one of terabytes never ends.
TEST_F(PluginFileTest, DigestsStopAt256MebibytesWithARefusal) {
  const auto refused = [&] { return refusal_of([&] { PluginFile::open(file()).digest(); }); };
  fs::resize_file(file(), std::uintmax_t{256} << 20);
  EXPECT_EQ(refused(), "");
  for (const int bits : {28, 40}) {
    fs::resize_file(file(), (std::uintmax_t{1} << bits) + 1);
    EXPECT_TRUE(refused().starts_with("has more than 256 MiB, the most that a plugin may have"))
        << refused();
  }
}

TEST_F(PluginFileTest, AnotherFileUnderItsNameChangesNothing) {
  const PluginFile plugin = PluginFile::open(file());
  write(folder() / "other", "something else\n");
  fs::rename(folder() / "other", file());
  EXPECT_EQ(read(plugin.loader_path()), "a plugin\n");
  EXPECT_EQ(plugin.digest(), "2fca2f5b711d362f35769d792f908028");
}

TEST_F(PluginFileTest, RefusesAFileWrittenAfterItWasOpened) {
  const std::string expected = "was written while it was in use; try again when it is complete";
  const PluginFile longer = PluginFile::open(file());
  EXPECT_EQ(refusal_of([&] { longer.check_unchanged(); }), "");
  write(file(), "a longer plugin\n");
  EXPECT_EQ(refusal_of([&] { longer.check_unchanged(); }), expected);
  EXPECT_EQ(refusal_of([&] { longer.digest(); }), expected);

  const PluginFile same_size = PluginFile::open(file());
  write(file(), "another plugin.\n");
  fs::last_write_time(file(), fs::last_write_time(file()) + std::chrono::seconds(1));
  EXPECT_EQ(refusal_of([&] { same_size.digest(); }), expected);
}

TEST_F(PluginFileTest, SaysWhatIsMissing) {
  EXPECT_EQ(PluginFile::open(file()).missing_part(), "");
  fs::copy_file("/proc/self/exe", file(), fs::copy_options::overwrite_existing);
  EXPECT_EQ(PluginFile::open(file()).missing_part(), "");
  fs::resize_file(file(), 5000);
  EXPECT_EQ(PluginFile::open(file()).missing_part().find("is cut short: it has 5000 bytes of"), 0U);
}

TEST_F(PluginFileTest, ClosesItsDescriptorUnlessReleased) {
  const auto is_open = [](int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; };
  PluginFile first = PluginFile::open(file());
  const int descriptor = first.descriptor();
  {
    const PluginFile moved = std::move(first);
    EXPECT_EQ(moved.descriptor(), descriptor);
  }
  EXPECT_FALSE(is_open(descriptor));
  first = PluginFile::open(file());
  const int kept = first.release();
  first = PluginFile::open(file());
  EXPECT_TRUE(is_open(kept));
  close(kept);
}

// ------------------------------------------------------------------------------- digests of texts

TEST(DigestOf, DependsOnOrderAndOnWhereTextsEnd) {
  const auto digest = [](const std::vector<std::string>& texts) { return digest_of(texts); };
  EXPECT_EQ(digest({}), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(digest({""}), "d3d6486a90aeaa167eda146a64d327f8");
  EXPECT_EQ(digest({"ab", "c"}), "490a258e5bcabd9490fdeed9aa16ca24");
  EXPECT_EQ(digest({"a", "bc"}), "a53e1eaf0f0ad33aebb4c8a56e875744");
  EXPECT_NE(digest({"c", "ab"}), digest({"ab", "c"}));
}

}  // namespace
}  // namespace xpose
