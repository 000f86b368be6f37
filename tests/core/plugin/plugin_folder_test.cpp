// Folders of plugins: their files by name, and which folders are refused.
#include <string>
#include <vector>

#include "plugin_file_fixture.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;
using PluginFolderTest = PluginFileTest;

TEST_F(PluginFolderTest, ListsAFolderByName) {
  for (const char* name : {"two.so", "folder.so", "zero.so", "five.so", "ten.so", "six.so"})
    fs::create_directory(folder() / name);  // which is no plugin, but not a secret either
  write(folder() / "two.so.1", "");
  write(folder() / "readme.md", "");
  std::vector<std::string> names;
  const PluginFolder plugins(folder());
  for (const fs::path& path : plugins.files()) {
    EXPECT_EQ(path.parent_path(), folder());
    names.push_back(path.filename());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"five.so", "folder.so", "one.so", "six.so", "ten.so",
                                             "two.so", "zero.so"}));
}

TEST_F(PluginFolderTest, AFolderWithoutAPluginIsRefusedWithTheOneThatIsMeant) {
  const fs::path build = top / "build";
  fs::create_directories(build);
  const std::string name = "plugin folder " + build.string() + ' ';
  const std::string remedy = "; name the folder that the build of a plugin writes to";
  EXPECT_EQ(refusal_of_folder(build), name + "is empty" + remedy);
  write(build / "CMakeCache.txt", "");
  EXPECT_EQ(refusal_of_folder(build),
            name + "has no plugin: its only entry does not end in .so" + remedy);
  const fs::path meant = build / "lib" / "xpose" / "plugins";
  fs::create_directories(meant);
  EXPECT_EQ(refusal_of_folder(build), name + "has no plugin: none of its 2 entries ends in .so" +
                                          remedy + ": " + meant.string());
  write(meant / "one.so", "");
  EXPECT_EQ(refusal_of_folder(meant), "");
}

// What is not opened because its digest is known is judged like what is.
TEST_F(PluginFolderTest, AFoldersFilesAreIdentifiedAsTheyAreOpened) {
  write(top / "elsewhere.so", "another\n");
  write(folder() / "open.so", "");
  set_mode(folder() / "open.so", 0646);
  fs::create_directory(folder() / "folder.so");
  fs::create_symlink(top / "elsewhere.so", folder() / "link.so");
  fs::create_symlink(folder() / "open.so", folder() / "link_to_open.so");
  fs::create_symlink(top / "nowhere.so", folder() / "dangling.so");
  const PluginFolder plugins(folder());
  std::vector<std::string> identified;
  for (const fs::path& path : plugins.files()) {
    FileIdentity identity, opened;
    const std::string refusal = refusal_of([&] { identity = plugins.identity(path); });
    EXPECT_EQ(refusal, refusal_of([&] { opened = plugins.open(path).identity(); })) << path;
    EXPECT_EQ(identity, opened) << path;
    if (!identity.path.empty()) identified.push_back(path.filename());
  }
  EXPECT_EQ(plugins.files().size(), 6U);
  EXPECT_EQ(identified, (std::vector<std::string>{"link.so", "one.so"}));
}

TEST_F(PluginFolderTest, RefusesFoldersThatDependOnTheCurrentOne) {
  const std::string problem =
      " depends on the current folder, which is never searched; name it by its absolute path";
  EXPECT_EQ(refusal_of_folder("build/plugins"), "plugin folder build/plugins" + problem);
  EXPECT_EQ(refusal_of_folder("."), "plugin folder ." + problem);
  EXPECT_EQ(refusal_of_folder(""), "plugin folder $''" + problem);
}

TEST_F(PluginFolderTest, RefusesFoldersThatAreNotThere) {
  EXPECT_EQ(refusal_of_folder(top / "missing"), "plugin folder " + (top / "missing").string() +
                                                    " cannot be read: No such file or directory");
  EXPECT_EQ(refusal_of_folder(file()),
            "plugin folder " + file().string() + " cannot be read: Not a directory");
}

}  // namespace
}  // namespace xpose
