#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "cache/cache_file.hpp"
#include "cache/cache_rows.hpp"
#include "cache_fixture.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

class CacheContentsTest : public CacheFixture {
 protected:
  static Quarantine quarantine_of(const std::string& strategy, std::int64_t since = 5) {
    return {"d1", strategy, "libidea.so", Verdict::crashed, "signal 11", since};
  }
  // What is said where the file cannot be used; empty: nothing.
  template <class Body>
  static std::string error_of(const Body& body) {
    try {
      body();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::failed);
      return error.what();
    }
    return {};
  }
  void change(const char* sql) { open_cache_file(file).database.change(sql); }
};

TEST_F(CacheContentsTest, EverythingComesBackAsItWas) {
  Decision odd = decision_of("größer \xe6\x97\xa5", 7);
  odd.key.driver = "";
  odd.key.policy = "a;b";
  odd.winner = {"s\xc3\xa4(", {{"a,b=c\\", -1}, {"", INT64_MIN}, {"\\", INT64_MAX}}};
  odd.margin = -0.0;
  odd.roof_seconds = std::numeric_limits<double>::denorm_min();
  odd.trials[0].detail = "x'\"\xf0\x9f\x98\x80";
  odd.trials[1].variant.config = {};
  odd.trials[2].seconds = std::numeric_limits<double>::infinity();
  odd.trials[3].samples = -1;
  odd.trials[4].predicted = 1.25;
  odd.untried = 3;
  odd.improvements = 2;
  odd.imported = true;
  odd.stand_in = "a smaller 'one'";
  const CacheContents contents{{odd, decision_of("q", 8)},
                               {quarantine_of(""), quarantine_of("'; DROP TABLE decision; --", 6)}};
  EXPECT_EQ(merge_into_cache(file, contents), 4U);
  const CacheContents back = read_cache(file);
  EXPECT_EQ(back, contents);
  EXPECT_TRUE(std::signbit(back.decisions[0].margin));
}

TEST_F(CacheContentsTest, EveryVerdictComesBack) {
  CacheContents contents{{decision_of("p")}, {}};
  contents.decisions[0].trials.clear();
  for (int verdict = 0; verdict <= static_cast<int>(Verdict::load_refused); ++verdict)
    contents.decisions[0].trials.push_back(
        {"d", {"s", {}}, Role::transpose, Verdict(verdict), "", 0, 0, 0});
  merge_into_cache(file, contents);
  EXPECT_EQ(read_cache(file), contents);
}

TEST_F(CacheContentsTest, EveryRoleComesBack) {
  CacheContents contents{{decision_of("p")}, {}};
  contents.decisions[0].trials.clear();
  for (const Role role : {Role::transpose, Role::copy, Role::numeric, Role::experiment})
    contents.decisions[0].trials.push_back({"d", {"s", {}}, role, Verdict::ok, "", 0, 0, 0});
  merge_into_cache(file, contents);
  EXPECT_EQ(read_cache(file), contents);
}

TEST_F(CacheContentsTest, MergeKeepsWhatWasMeasuredHere) {
  Decision imported = decision_of("p", 20);
  imported.imported = true;
  merge_into_cache(file, {{decision_of("p", 10)}, {}});
  EXPECT_EQ(merge_into_cache(file, {{imported}, {}}), 0U);
  EXPECT_FALSE(read_cache(file).decisions[0].imported);
  EXPECT_EQ(merge_into_cache(file, {{decision_of("p", 21)}, {}}), 1U);
  imported.key = decision_of("q").key;
  EXPECT_EQ(merge_into_cache(file, {{imported}, {}}), 1U);
  imported.when = 22;
  EXPECT_EQ(merge_into_cache(file, {{imported}, {}}), 1U);
}

TEST_F(CacheContentsTest, MergeKeepsWhatIsAsNew) {
  const auto merge = [&](std::int64_t when) {
    Decision decision = decision_of("p", when);
    decision.digest = std::to_string(when);
    return merge_into_cache(file, {{decision}, {quarantine_of("s", when)}});
  };
  EXPECT_EQ(merge(10), 2U);
  EXPECT_EQ(merge(10), 0U);
  EXPECT_EQ(merge(9), 0U);
  EXPECT_EQ(read_cache(file).decisions[0].digest, "10");
  EXPECT_EQ(merge(11), 2U);
  const CacheContents back = read_cache(file);
  ASSERT_EQ(back.decisions.size(), 1U);
  EXPECT_EQ(back.decisions[0].digest, "11");
  EXPECT_EQ(back.decisions[0].trials.size(), 5U);
  EXPECT_EQ(back.quarantine, std::vector{quarantine_of("s", 11)});
}

TEST_F(CacheContentsTest, MergeThatFailsHalfWayChangesNothing) {
  merge_into_cache(file, {{decision_of("p")}, {}});
  change("CREATE TRIGGER no BEFORE INSERT ON quarantine BEGIN SELECT RAISE(ABORT, 'no'); END");
  EXPECT_NE(error_of([&] {
              merge_into_cache(file, {{decision_of("q")}, {quarantine_of("s")}});
            }),
            "");
  EXPECT_EQ(read_cache(file), (CacheContents{{decision_of("p")}, {}}));
}

TEST_F(CacheContentsTest, RowsOfANewerVersionAreLeftOut) {
  merge_into_cache(file, {{decision_of("p"), decision_of("q")}, {quarantine_of("s")}});
  change("UPDATE quarantine SET verdict = 'melted'");
  change("UPDATE trial SET verdict = 'melted' WHERE place = 0");
  change("UPDATE decision SET config = 'tile=64,rows' WHERE problem = 'q'");
  const CacheContents back = read_cache(file);
  EXPECT_TRUE(back.quarantine.empty());
  ASSERT_EQ(back.decisions.size(), 1U);
  EXPECT_EQ(back.decisions[0].trials.size(), 4U);
  for (const char* config : {"tile", "tile=", "tile=x", "tile=1;", "tile=1,", "tile=1\\"}) {
    CacheFile cache = open_cache_file(file);
    cache.database.change("UPDATE decision SET config = ?", {std::string_view(config)});
    EXPECT_EQ(find_decision(cache.database, key_of("p")), std::nullopt) << config;
  }
}

// ---------------------------------------------------------------------------------- older schema

TEST_F(CacheContentsTest, AFileOfTheFirstSchemaKeepsItsRows) {
  const auto make_old = [&] {
    Database database(file, Database::Access::read_write);
    database.adopt(kCacheApplication, std::span(kCacheSchema).first(1));
    database.change(
        "INSERT INTO decision VALUES(1, 'GPU 1', '580', '1.1', 'all', 'p', 'measure cold', 'd1', "
        "'smem', 'tile=64', 0.5, 1e-4, 7)");
    database.change(
        "INSERT INTO trial VALUES(1, 0, 'd1', 'smem', 'tile=64', 0, 'ok', '', 2e-4, 0.01, 5), "
        "(1, 1, 'd2', 'copy_wide', '', 1, 'ok', '', 1e-4, 0.01, 5)");
    database.change("INSERT INTO quarantine VALUES('d1', 'naive', 'n.so', 'crashed', 'oh', 8)");
  };
  Decision kept;
  kept.key = {"GPU 1", "580", "1.1", "all", "p", "measure cold"};
  kept.digest = "d1";
  kept.winner = {"smem", {{"tile", 64}}};
  kept.margin = 0.5;
  kept.roof_seconds = 1e-4;
  kept.when = 7;
  kept.trials = {{"d1", kept.winner, Role::transpose, Verdict::ok, "", 2e-4, 0.01, 5},
                 {"d2", {"copy_wide", {}}, Role::copy, Verdict::ok, "", 1e-4, 0.01, 5}};
  const CacheContents expected{{kept}, {{"d1", "naive", "n.so", Verdict::crashed, "oh", 8}}};

  write_bytes(file, "");
  make_old();
  EXPECT_EQ(read_cache(file), expected);  // by whoever looks first
  fs::remove(file);
  write_bytes(file, "");
  make_old();
  Cache cache(file, "", listener());
  EXPECT_EQ(cache.find_standing(kept.key), kept);
  EXPECT_EQ(warnings, std::vector<std::string>());
  EXPECT_EQ(read_cache(file), expected);
}

// ---------------------------------------------------------------------------------------- forget

TEST_F(CacheContentsTest, ForgetsWhatTheFilterNames) {
  const auto left_after = [&](const CacheFilter& filter, std::size_t removed) {
    fs::remove(file);
    Decision other = decision_of("8x8 of 4 bytes", 2);
    other.winner.strategy = "naive";
    merge_into_cache(file, {{decision_of("4096x8 of 4 bytes", 1), other},
                            {quarantine_of("naive"), quarantine_of("smem")}});
    EXPECT_EQ(forget(file, filter), removed);
    const CacheContents left = read_cache(file);
    return std::pair(left.decisions.size(), left.quarantine.size());
  };
  using Left = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(left_after({}, 4), Left(0, 0));
  EXPECT_EQ(left_after({"naive", "", false}, 2), Left(1, 1));
  EXPECT_EQ(left_after({"", "4096x8 ", false}, 1), Left(1, 2));
  EXPECT_EQ(left_after({"naive", "4096", false}, 0), Left(2, 2));
  EXPECT_EQ(left_after({"", "%", false}, 0), Left(2, 2));
  EXPECT_EQ(left_after({"", "", true}, 2), Left(2, 0));
  EXPECT_EQ(left_after({"smem", "", true}, 1), Left(2, 1));
}

TEST_F(CacheContentsTest, ForgetsTrialsWithTheirDecisionAndFilesWithEverything) {
  merge_into_cache(file, {{decision_of("p"), decision_of("q")}, {}});
  {
    CacheFile cache = open_cache_file(file);
    replace_description(cache.database, "d", "1.0", "text");
    replace_digest(cache.database, {"/a", 1, 2, 3, 4, 5}, "d");
  }
  const auto count = [&](const std::string& table) {
    CacheFile cache = open_cache_file(file);
    Statement row = cache.database.run("SELECT count(*) FROM " + table);
    row.step();
    return row.integer(0);
  };
  forget(file, {"", "p", false});
  EXPECT_EQ(count("trial"), 5);
  EXPECT_EQ(count("description"), 1);
  forget(file, {});
  for (const char* table : {"trial", "description", "file"}) EXPECT_EQ(count(table), 0) << table;
}

// ---------------------------------------------------------------------------------------- errors

TEST_F(CacheContentsTest, MissingFileIsAnErrorAndIsNotCreated) {
  EXPECT_NE(error_of([&] { read_cache(file); }).find(file.string() + ": there is no such file"),
            std::string::npos);
  EXPECT_NE(error_of([&] { forget(file, {}); }), "");
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(CacheContentsTest, CorruptFileIsAnErrorAndStays) {
  const std::string corrupt = "SQLite format 3" + std::string(5000, 'x');
  for (const auto& [content, words] :
       {std::pair(corrupt, "; remove or rename it, and the next `xpose tune` starts a new one"),
        std::pair(std::string(5000, 'x'),
                  "it is no database; name another file with --cache or in XPOSE_CACHE")}) {
    write_bytes(file, content);
    const auto says = [text = words](const std::string& error) {
      return error.find(text) != std::string::npos;
    };
    EXPECT_TRUE(says(error_of([&] { read_cache(file); })));
    EXPECT_TRUE(says(error_of([&] { merge_into_cache(file, {}); })));
    EXPECT_TRUE(says(error_of([&] { forget(file, {}); })));
    EXPECT_EQ(bytes_of(file), content);
  }
}

// Issue: a lock stayed beside each file that was named by mistake.
TEST_F(CacheContentsTest, AForeignFileGetsNoLock) {
  write_bytes(file, std::string(5000, 'x'));
  EXPECT_NE(error_of([&] { merge_into_cache(file, {}); }), "");
  EXPECT_NE(error_of([&] { forget(file, {}); }), "");
  EXPECT_FALSE(fs::exists(file.string() + "-lock"));
}

TEST_F(CacheContentsTest, NewerSchemaIsAnErrorAndStays) {
  merge_into_cache(file, {{decision_of("p")}, {}});
  change("PRAGMA user_version = 99");
  const std::string before = bytes_of(file);
  EXPECT_NE(error_of([&] { read_cache(file); }).find("update xpose"), std::string::npos);
  EXPECT_NE(error_of([&] { merge_into_cache(file, {}); }), "");
  EXPECT_NE(error_of([&] { forget(file, {}); }), "");
  EXPECT_EQ(bytes_of(file), before);
}

// ----------------------------------------------------------------------------------------- texts

// Whoever wrote them: an older version, an import, or a hand.
TEST_F(CacheContentsTest, TextsAreFitForATerminal) {
  const std::string bad = "\x1b[2J\n\xe2\x80\xae\xff", clean = " [2J ??";
  Decision decision = decision_of("p" + bad);
  decision.winner = {bad, {{bad, 1}}};
  decision.trials[0].detail = bad;
  decision.trials[0].variant = {bad, {{bad, 1}}};
  merge_into_cache(file, {{decision}, {{"d", bad, bad, Verdict::crashed, bad, 1000}}});
  const CacheContents contents = read_cache(file);
  ASSERT_EQ(contents.decisions.size(), 1U);
  const Decision& read = contents.decisions[0];
  EXPECT_EQ(read.key.problem, "p" + clean);
  EXPECT_EQ(to_string(read.winner), clean + '{' + clean + "=1}");
  EXPECT_EQ(read.trials.at(0).detail, clean);
  EXPECT_EQ(to_string(read.trials.at(0).variant), clean + '{' + clean + "=1}");
  ASSERT_EQ(contents.quarantine.size(), 1U);
  EXPECT_EQ(contents.quarantine[0].strategy, clean);
  EXPECT_EQ(contents.quarantine[0].file, clean);
  EXPECT_EQ(contents.quarantine[0].words, clean);
}

}  // namespace
}  // namespace xpose
