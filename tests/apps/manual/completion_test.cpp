#include "manual/completion.hpp"

#include <gtest/gtest.h>

#include "commands/command_list.hpp"
#include "manual/page.hpp"

namespace xpose::app {
namespace {

CommandLine move_line() {
  CommandLine line{"xpose move FROM [options]", "Moves.", {}, {}};
  line.arguments = {{"from", "", "arg", "", "", "the file", false}};
  line.options = {{"device", "d", "D", "auto", "", "where", false},
                  {"json", "", "FILE|-", "", "-", "a document", false},
                  {"plugins", "", "DIR", "", "", "a folder", true},
                  {"strategy", "", "S[{A=V,...}]", "", "", "only this", true},
                  {"warm", "", "", "", "", "keep caches", false}};
  return line;
}

struct Complete : testing::Test {
  std::vector<std::string> folders;  // that strategies were asked for with
  WordSources sources;

  Complete() {
    sources.commands["move"] = {"move a file", move_line, {}};
    sources.commands["store"].summary = "a store";
    sources.commands["store"].actions = {{"hide", move_line}, {"show", move_line}};
    sources.commands["hidden"].line = move_line;
    sources.strategies = [this](const std::vector<std::string>& asked) {
      folders = asked;
      return std::vector<NamedWord>{{"blocks", "by blocks"}, {"rows", "by rows"}};
    };
    sources.devices = [](bool numbered) {
      std::vector<NamedWord> words = {{"cuda", ""}, {"cuda:0", "a GPU"}};
      if (!numbered) words = {{"auto", ""}, {"host", ""}};
      return words;
    };
  }

  std::vector<std::string> of(const std::vector<std::string>& words) {
    const Completion completion = complete_words(words, sources);
    std::vector<std::string> found;
    if (completion.kind == Completion::files) found.emplace_back(":files");
    if (completion.kind == Completion::folders) found.emplace_back(":folders");
    for (const NamedWord& word : completion.found) found.push_back(word.word);
    return found;
  }
};

using Words = std::vector<std::string>;

TEST_F(Complete, CommandsAndActions) {
  EXPECT_EQ(of({""}), (Words{"move", "store", "help"}));
  EXPECT_EQ(of({"m"}), (Words{"move"}));
  EXPECT_EQ(of({"--"}), (Words{"--help", "--version"}));
  EXPECT_EQ(of({"help", ""}), (Words{"move", "store"}));
  EXPECT_EQ(of({"help", "move", ""}), Words{});
  EXPECT_EQ(of({"store", ""}), (Words{"hide", "show"}));
  EXPECT_EQ(of({"store", "s"}), (Words{"show"}));
  EXPECT_EQ(of({"store", "show", "--w"}), (Words{"--warm"}));
  EXPECT_EQ(of({"store", "lose", "--w"}), Words{});
  EXPECT_EQ(of({"unknown", ""}), Words{});
  EXPECT_EQ(of({"hidden", "--"}), Words{});
  EXPECT_EQ(of({}), Words{});
}

TEST_F(Complete, OptionsOnceUnlessTheyRepeat) {
  const Words all = {"--device", "--json", "--plugins", "--strategy", "--warm"};
  EXPECT_EQ(of({"move", "--"}), all);
  EXPECT_EQ(of({"move", "a", ""}), all);  // no argument is left
  EXPECT_EQ(of({"move", "--warm", "--strategy", "rows", "-d", "host", "--"}),
            (Words{"--json", "--plugins", "--strategy"}));
}

TEST_F(Complete, ValuesByTheirKind) {
  EXPECT_EQ(of({"move", "--device", ""}), (Words{"auto", "host"}));
  EXPECT_EQ(of({"move", "-d", "h"}), (Words{"host"}));
  EXPECT_EQ(of({"move", "--device", "cuda:"}), (Words{"cuda:0"}));
  EXPECT_EQ(of({"move", "--device=ho"}), (Words{"--device=host"}));
  EXPECT_EQ(of({"move", "--strategy", ""}), (Words{"blocks", "rows"}));
  EXPECT_EQ(of({"move", "--json="}), (Words{":files"}));
  EXPECT_EQ(of({"move", "--plugins", ""}), (Words{":folders"}));
  EXPECT_EQ(of({"move", "--warm="}), Words{});
  EXPECT_EQ(of({"move", "--other="}), Words{});
}

TEST_F(Complete, ArgumentsBesideOptions) {
  EXPECT_EQ(of({"move", ""}), (Words{":files"}));
  EXPECT_EQ(of({"move", "--json", ""}), (Words{":files"}));  // its value is optional: an argument
  EXPECT_EQ(of({"move", "--device", "host", "x"}), (Words{":files"}));
  EXPECT_EQ(of({"move", "-", "--w"}), (Words{"--warm"}));
}

TEST_F(Complete, StrategiesOfTheFoldersThatAreNamed) {
  of({"move", "--plugins", "/a", "--plugins=/b", "--strategy", "b"});
  EXPECT_EQ(folders, (Words{"/a", "/b"}));
}

// Each command says its words, and each kind of value is known.
TEST(CommandLines, AreWholeAndKnown) {
  std::size_t options = 0;
  for (const auto& [name, command] : commands()) {
    if (command.summary.empty()) continue;
    std::vector<CommandLine> lines;
    for (const std::string& action : command.actions)
      lines.push_back(command_line_of(command.run, {action}));
    if (lines.empty()) lines.push_back(command_line_of(command.run));
    for (const CommandLine& line : lines) {
      EXPECT_TRUE(line.usage.starts_with("xpose " + name)) << line.usage;
      EXPECT_NE(line.about, "") << name;
      EXPECT_EQ(line.options.back().name, "help") << name;
      for (const OptionWords& option : line.options) {
        ++options;
        EXPECT_NE(option.about, "") << name << " --" << option.name;
        if (option.value.empty()) continue;
        EXPECT_NO_THROW(value_kind(option.value)) << name << " --" << option.name;
      }
    }
  }
  EXPECT_GT(options, 80u);
  EXPECT_THROW(value_kind("FURLONGS"), std::logic_error);
}

TEST(CommandLines, HaveDefaultsAndImpliedValues) {
  const CommandLine line = command_line_of(commands().at("cache").run, {"show"});
  EXPECT_EQ(line.usage, "xpose cache show [options]");
  EXPECT_EQ(line.options.front().name, "json");
  EXPECT_EQ(line.options.front().value, "FILE|-");
  EXPECT_EQ(line.options.front().implied, "-");
  EXPECT_EQ(line.options.front().standard, "");
  EXPECT_EQ(line.options.back().letter, "h");

  const CommandLine run = command_line_of(commands().at("run").run);
  ASSERT_EQ(run.arguments.size(), 2u);
  EXPECT_EQ(run.arguments[1].name, "out");
  EXPECT_EQ(run.options.front().name, "device");
  EXPECT_EQ(run.options.front().standard, "auto");
}

TEST(Page, TextIsNoCommandOfRoff) {
  EXPECT_EQ(roff(".so /etc\n'x\\n a-b"), "\\&.so /etc\n\\&\\(aqx\\en a\\-b");
}

TEST(Page, OptionsWithValuesAndDefaults) {
  const std::string page = command_page("move", "move a file", {{"move", move_line()}}, "1.2.3");
  for (const char* const text :
       {".TH XPOSE\\-MOVE 1 \"\" \"xpose 1.2.3\"", "\\fBxpose\\fR \\fBmove\\fR \\fIFROM\\fR [",
        "\\fB\\-d\\fR, \\fB\\-\\-device\\fR \\fID\\fR\nwhere. Default: \\fBauto\\fR.\n",
        "\\fB\\-\\-json\\fR[=\\fIFILE|\\-\\fR]\na document. Alone it stands for "
        "\\fB\\-\\-json=\\-\\fR.\n",
        ".SH ARGUMENTS\n.TP\n\\fIFROM\\fR\nthe file.\n", "\\fB\\-\\-warm\\fR\nkeep caches.\n"})
    EXPECT_NE(page.find(text), page.npos) << text << "\nin\n" << page;
}

}  // namespace
}  // namespace xpose::app
