// What a plugin folder may hold besides good plugins: each file that cannot be used is refused with
// one line, and the rest go on.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>
#include <xpose/xpose.hpp>

#include "../temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;

// A plugin folder of one test, with the good plugin in it.
class PluginFolder {
 public:
  PluginFolder() {
    fs::permissions(path(), fs::perms(0755));  // for the test that reads it as another user
    add("good.so");
  }

  const fs::path& path() const { return temporary_.path(); }
  fs::path operator/(const char* name) const { return path() / name; }
  void add(const char* built) const {
    fs::copy_file(fs::path(REFUSED_DIR) / built, path() / built);
  }

 private:
  xpose::TemporaryFolder temporary_;
};

xpose::EngineOptions options(std::vector<fs::path> folders) {
  xpose::EngineOptions made;
  made.plugin_folders = std::move(folders);
  made.remember = false;
  return made;
}

std::vector<xpose::PluginInfo> load(const PluginFolder& folder) {
  return xpose::Engine(options({folder.path()})).plugins();
}

const xpose::PluginInfo* find(const std::vector<xpose::PluginInfo>& plugins, const char* file) {
  const auto found = std::ranges::find_if(
      plugins, [&](const xpose::PluginInfo& plugin) { return plugin.file.filename() == file; });
  return found == plugins.end() ? nullptr : &*found;
}

void expect_good_is_loaded(const std::vector<xpose::PluginInfo>& plugins) {
  const xpose::PluginInfo* good = find(plugins, "good.so");
  ASSERT_NE(good, nullptr);
  EXPECT_EQ(good->refused, "");
  EXPECT_EQ(good->name, "good");
  ASSERT_EQ(good->strategies.size(), 1u);
  EXPECT_EQ(good->strategies[0].name, "good");
}

// The folder holds good.so and the file: the one is loaded, the other refused in one line that
// names the file and has all the words.
void expect_refused(const PluginFolder& folder, const char* file,
                    const std::vector<std::string>& words) {
  const auto plugins = load(folder);
  expect_good_is_loaded(plugins);
  EXPECT_EQ(plugins.size(), 2u);
  const xpose::PluginInfo* bad = find(plugins, file);
  ASSERT_NE(bad, nullptr);
  const std::string& line = bad->refused;
  EXPECT_NE(line, "");
  EXPECT_EQ(line.find_first_of("\n\r"), std::string::npos) << line;
  EXPECT_NE(line.find(file), std::string::npos) << line;
  for (const std::string& word : words)
    EXPECT_NE(line.find(word), std::string::npos) << "'" << word << "' is not in: " << line;
}

// Calls body as a user to whom file modes apply, and hands back what it writes.
std::string as_plain_user(const std::function<std::string()>& body) {
  int ends[2];
  if (pipe(ends) != 0) return "pipe failed";
  const pid_t child = fork();
  if (child == 0) {
    constexpr id_t kNobody = 65534;
    const bool dropped = geteuid() != 0 || (setgid(kNobody) == 0 && setuid(kNobody) == 0);
    const std::string text = dropped ? body() : "cannot drop privileges";
    const bool written = write(ends[1], text.data(), text.size()) == ssize_t(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char piece[512];
  for (ssize_t got; (got = read(ends[0], piece, sizeof piece)) > 0;) text.append(piece, got);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? text : "the child ended with status " + std::to_string(status);
}

// ----------------------------------------------------------------- plugins that say the wrong
// thing

struct Bad {
  const char* name;
  std::vector<std::string> words;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

class Refused : public testing::TestWithParam<Bad> {};

TEST_P(Refused, WithOneClearLine) {
  const std::string file = std::string(GetParam().name) + ".so";
  const PluginFolder folder;
  folder.add(file.c_str());
  expect_refused(folder, file.c_str(), GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(
    Plugin, Refused,
    testing::Values(Bad{"other_major", {"7.3", "2.0", "rebuild"}},
                    Bad{"no_entry", {"xpose_plugin_entry", "XPOSE_PLUGIN"}},
                    Bad{"null_entry", {"entry"}}, Bad{"no_strategies", {"no strategies"}},
                    Bad{"null_strategy", {"number 1", "null"}}, Bad{"null_card", {"card"}},
                    Bad{"null_launch", {"'null_launch'", "launch"}},
                    Bad{"duplicate_names", {"two strategies", "'twin'"}},
                    Bad{"taken_name", {"'good'", "rename"}}, Bad{"bad_name", {"[a-z][a-z0-9_]*"}},
                    Bad{"bad_plugin_name", {"[a-z][a-z0-9_]*"}},
                    Bad{"negative_extent", {"'negative_extent'", "-1 rows", "max_extent"}},
                    Bad{"too_many_axes", {"'too_many_axes'", "9 axes"}},
                    Bad{"undefined_symbol", {"xpose_test_function_that_nobody_defines"}}),
    [](const auto& info) { return std::string(info.param.name); });

// --------------------------------------------------------------------- files that are not plugins

TEST(RefusedFile, Text) {
  const PluginFolder folder;
  std::ofstream(folder / "text.so") << "this is no shared library\n";
  expect_refused(folder, "text.so", {"shared library"});
}

TEST(RefusedFile, Empty) {
  const PluginFolder folder;
  std::ofstream(folder / "empty.so").flush();
  expect_refused(folder, "empty.so", {"shared library"});
}

// Known by its header: it is not read, which would take minutes.
TEST(RefusedFile, OfAnotherMachine) {
  const PluginFolder folder;
  folder.add("newer_minor.so");
  std::fstream file(folder / "newer_minor.so", std::ios::in | std::ios::out);
  file.seekp(18);  // e_machine
  file.put(0).put(0);
  file.close();
  fs::resize_file(folder / "newer_minor.so", std::uintmax_t{1} << 40);
  expect_refused(folder, "newer_minor.so", {"was built for ELF machine 0, this machine is"});
}

TEST(RefusedFile, TooLargeToBeRead) {
  const PluginFolder folder;
  folder.add("newer_minor.so");
  fs::resize_file(folder / "newer_minor.so", std::uintmax_t{1} << 40);
  expect_refused(folder, "newer_minor.so", {"has more than 256 MiB"});
}

// Its name would turn a line of the terminal, and end it.
TEST(RefusedFile, OfANameThatIsNoText) {
  const PluginFolder folder;
  const std::string name = "\x1b[31m\n\xe2\x80\xae\xff.so";
  std::ofstream(folder / name.c_str()) << "no library\n";
  const auto plugins = load(folder);
  const xpose::PluginInfo* bad = find(plugins, name.c_str());
  ASSERT_NE(bad, nullptr);
  EXPECT_TRUE(bad->refused.starts_with(" [31m ??.so: is no shared library")) << bad->refused;
}

// Cut within its headers, its code and its data.
TEST(RefusedFile, Truncated) {
  for (const std::uintmax_t size : {40, 100, 4096, 8192, 10000}) {
    SCOPED_TRACE(size);
    const PluginFolder folder;
    folder.add("newer_minor.so");  // whole, it is loaded
    ASSERT_GT(fs::file_size(folder / "newer_minor.so"), size);
    fs::resize_file(folder / "newer_minor.so", size);
    expect_refused(folder, "newer_minor.so", {});
  }
}

TEST(RefusedFile, Folder) {
  const PluginFolder folder;
  fs::create_directory(folder / "folder.so");
  expect_refused(folder, "folder.so", {"not a regular file"});
}

TEST(RefusedFile, DanglingLink) {
  const PluginFolder folder;
  fs::create_symlink("nowhere.so", folder / "dangling.so");
  expect_refused(folder, "dangling.so", {"No such file"});
}

TEST(RefusedFile, Unreadable) {
  const PluginFolder folder;
  folder.add("newer_minor.so");
  fs::permissions(folder / "newer_minor.so", fs::perms::none);
  const std::string line = as_plain_user([&] {
    const auto plugins = load(folder);
    const auto* good = find(plugins, "good.so");
    const auto* bad = find(plugins, "newer_minor.so");
    if (good == nullptr || !good->refused.empty()) return std::string("good.so was not loaded");
    return bad == nullptr ? "newer_minor.so is not listed" : bad->refused;
  });
  EXPECT_EQ(line, "newer_minor.so: cannot be read: Permission denied");
}

// ------------------------------------------------------------------------------- what must be
// loaded

// The strategy of a loaded plugin transposes: the functions are called through the copied structs.
void expect_transposes(const char* built, const char* strategy) {
  const PluginFolder folder;
  folder.add(built);
  xpose::Engine engine(options({folder.path()}));
  const xpose::PluginInfo* plugin = find(engine.plugins(), built);
  ASSERT_NE(plugin, nullptr);
  EXPECT_EQ(plugin->refused, "");
  ASSERT_EQ(plugin->strategies.size(), 1u);
  EXPECT_EQ(plugin->strategies[0].name, strategy);
  EXPECT_TRUE(plugin->strategies[0].axes.empty());

  xpose::PlanOptions planning{.policy = xpose::Policy::estimate};
  planning.tune.variants = {{strategy}};
  const xpose::Plan plan = engine.plan(xpose::matrix(2, 3, 4), planning);
  EXPECT_EQ(plan.variant().strategy, strategy);
  alignas(16) const std::uint32_t in[] = {1, 2, 3, 4, 5, 6};
  alignas(16) std::uint32_t out[6] = {};
  plan.execute(in, out);
  EXPECT_EQ(std::vector(out, out + 6), (std::vector<std::uint32_t>{1, 4, 2, 5, 3, 6}));
}

TEST(Loaded, ANewerMinorWithLargerStructs) { expect_transposes("newer_minor.so", "newer_minor"); }

TEST(Loaded, AnOlderCardReadsAsZeroBeyondItsSize) {
  expect_transposes("older_card.so", "older_card");
}

TEST(Loaded, OnceThoughTwoNamesLeadToIt) {
  const PluginFolder folder;
  fs::create_symlink("good.so", folder / "link.so");
  const auto plugins = load(folder);
  EXPECT_EQ(plugins.size(), 1u);
  expect_good_is_loaded(plugins);
}

TEST(Loaded, AllThatIsGoodThoughAFolderIsMissing) {
  const PluginFolder folder;
  const auto plugins = xpose::Engine(options({folder / "missing", folder.path()})).plugins();
  ASSERT_EQ(plugins.size(), 2u);
  EXPECT_NE(plugins[0].refused.find((folder / "missing").string()), std::string::npos)
      << plugins[0].refused;
  expect_good_is_loaded(plugins);
}

}  // namespace
