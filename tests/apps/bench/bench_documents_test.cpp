// The CSV, Markdown and SVG of a run of `xpose bench`, and the escaping of foreign text.
#include <gtest/gtest.h>

#include <string>

#include "bench/bench_table.hpp"
#include "bench_fixture.hpp"
#include "commands/shell_command.hpp"
#include "output/markup.hpp"

namespace xpose::app {
namespace {

TEST(BenchCsv, QuotesWhatItMust) {
  const BenchRun run = run_of({result_of(cell("4095x4097, 4 bytes"), kHost, report()),
                               skipped_cell(cell("4095x4097, 4 bytes"), kHost, "too, large")});
  EXPECT_EQ(
      to_csv_text(run),
      "device,cell,element_bytes,bytes,roof,roof_seconds,winner,launch,seconds,spread,"
      "share_of_roof,reach,reaches,aim,aims,estimate,estimate_share,best_peer,best_peer_share,"
      "skipped\n"
      "host,\"4095x4097, 4 bytes\",4,1000,copy_stream{tile=32},0.004,mine{tile=32},"
      "\"one, "
      "\"\"two\"\"\",0.005,0.01,0.8,82,no,94,no,guess{tile=32},0.64,eigen_transpose{tile=32},0.5,\n"
      "host,\"4095x4097, 4 bytes\",4,,,,,,,,,82,,94,,,,,,\"too, large\"\n");
}

// A run of the host and of a device with a driver, whose names and reasons hold markup.
BenchRun foreign_run() {
  TuneReport named = report();
  named.trials[1].variant = {"mine|<b>", {{"t`", 32}}};
  CellResult cuda = result_of(cell("4095x4097, 4 bytes"), Device{DeviceKind::cuda, 0}, report());
  BenchRun run = run_of(
      {result_of(cell("4095x4097, 4 bytes"), kHost, named), cuda,
       skipped_cell(cell("square, 4096x4096, 16 bytes"), kHost, "a | b\nsee <http://x> & `y`")});
  run.setup.devices[0].name = "Core <7> \"A\" \x1b[31m";
  run.setup.devices.push_back({Device{DeviceKind::cuda, 0}, "GPU", "id", "580.1", 2, 90, 1, 1});
  run.command = "xpose bench --only 'a|b<c'";
  run.when = 97'445;
  return run;
}

TEST(BenchMarkdown, HasVersionDateCommandAndATableADevice) {
  BenchRun run = run_of({result_of(cell("4095x4097, 4 bytes"), kHost, report())});
  run.results[0].bytes = 80'000'000;
  run.command = "xpose bench --device host";
  run.when = 97'445;
  EXPECT_EQ(
      to_markdown_text(run),
      "# xpose bench\n\n* xpose " + std::string(version()) +
          "\n* finished on 1970-01-02\n* `xpose bench --device host`\n\n## host: some processor\n\n"
          "| problem | roof GB/s | GB/s | % of roof | winner | estimate, % of winner | peers, % of "
          "roof |\n|:--|--:|--:|--:|:--|:--|:--|\n"
          "| 4095x4097, 4 bytes | 20.0 | 16.0 | 80.0 | `mine{tile=32}` | `guess{tile=32}` 64.0 | "
          "`eigen_transpose` 50.0, `openblas_omatcopy` wrong\\_result |\n\n" +
          markdown_text(mean_sentences(run, kHost)) +
          "\n\nThe roof is the fastest copy of the same bytes in the same run. GB/s counts bytes "
          "read and bytes written. The estimate is what is chosen "
          "without a trial; 100 stands for the winner itself. Peers are transposes of other "
          "libraries.\n\n" +
          sentence(run) + "\n");
}

TEST(BenchMarkdown, ForeignTextIsNoMarkup) {
  const std::string text = to_markdown_text(foreign_run());
  EXPECT_NE(text.find("* xpose bench --only 'a\\|b\\<c'\n"), std::string::npos) << text;
  EXPECT_NE(text.find("## host: Core \\<7\\> \"A\"  \\[31m\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| mine\\|\\<b\\>{t\\`=32} |"), std::string::npos) << text;
  EXPECT_NE(text.find("| skipped | a \\| b see \\<http\\://x\\> \\& \\`y\\` | | |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("## cuda:0: GPU, driver 580.1\n"), std::string::npos) << text;
}

TEST(BenchSvg, HasABarForEachWinnerAndAMarkerForEachPeerWithATime) {
  const std::string text = to_svg_text(foreign_run());
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("height=\"11\" class=\"bar\""), 2U);  // of 230 units for the whole roof
  EXPECT_EQ(count("width=\"184.0\" height=\"11\""), 2U);
  EXPECT_EQ(count("class=\"peer\""), 4U);  // a marker each, and the legends
  EXPECT_EQ(count("eigen_transpose 50.0 %"), 2U);
  EXPECT_EQ(count(">skipped<"), 1U);
  EXPECT_EQ(count("prefers-color-scheme: dark"), 1U);
}

TEST(BenchSvg, ForeignTextIsNoMarkup) {
  const std::string text = to_svg_text(foreign_run());
  EXPECT_NE(text.find("mine|&lt;b&gt;"), std::string::npos) << text;
  EXPECT_NE(text.find(">Core &lt;7&gt; &quot;A&quot;  [31m<"), std::string::npos) << text;
  EXPECT_NE(text.find("<desc>xpose bench --only 'a|b&lt;c'</desc>"), std::string::npos) << text;
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

// A share far above the roof and a name that is too long stay within the picture.
TEST(BenchSvg, TheAxisEndsBehindTheLargestShareAndLongNamesAreCut) {
  CellResult fast = result_of(cell("4095x4097, 4 bytes"), kHost, report());
  fast.cell.name = std::string(60, 'n');
  fast.roof.seconds = 3;
  fast.winner.seconds = 1;
  fast.peers.clear();
  const std::string text = to_svg_text(run_of({fast}));
  EXPECT_NE(text.find("width=\"230.0\" height=\"11\""), std::string::npos) << text;
  EXPECT_NE(text.find('>' + std::string(51, 'n') + "\u2026<"), std::string::npos) << text;
  EXPECT_NE(text.find(">300<"), std::string::npos) << text;
}

TEST(Markup, OneLineWhoseCharactersAreText) {
  EXPECT_EQ(xml_text("a\nb<&>\"'\xff\xEF\xBF\xBF"), "a b&lt;&amp;&gt;&quot;'??");
  EXPECT_EQ(markdown_text("*_a_* [b](c) a@b #1 $x$ 1:2 c:/d"),
            "\\*\\_a\\_\\* \\[b\\](c) a\\@b \\#1 \\$x\\$ 1:2 c\\:/d");
  EXPECT_EQ(markdown_code("tile{rows=256}"), "`tile{rows=256}`");
  EXPECT_EQ(markdown_code("a`b"), "a\\`b");
  EXPECT_EQ(markdown_code(""), "");
}

TEST(ShellCommand, QuotesWordsThatAShellWouldSplit) {
  EXPECT_EQ(shell_command({"xpose", "--only", "a b", "it's", "", "x=1,2"}),
            "xpose --only 'a b' 'it'\\''s' '' x=1,2");
  EXPECT_EQ(shell_word("a\n\x1b'\\b"), R"($'a\012\033\'\\b')");
}

}  // namespace
}  // namespace xpose::app
