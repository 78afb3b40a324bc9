#include "reporter/rendering/row_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reporter/findings/text.h"
#include "reporter/testing/memory_history.h"

namespace gprofhub::reporter {

namespace {

v1::Finding RewriteFinding() {
  v1::Finding finding;
  finding.set_function("json*");
  v1::Rewrite& rewrite = *finding.mutable_rewrite();
  rewrite.set_component("json*");
  rewrite.add_pairs()->set_before("jsonOld");
  rewrite.add_gone("jsonGone");
  rewrite.add_came("jsonCame");
  rewrite.add_came("jsonToo");
  rewrite.set_share_before(0.062);
  rewrite.set_share_after(0.051);
  return finding;
}

TEST(GroupWords, OfARewriteHaveTheFunctionsAndTheirSum) {
  const v1::Finding finding = RewriteFinding();
  EXPECT_EQ(GroupWords(finding),
            "rewritten: 2 functions replaced by 3, together 6.2% → 5.1% of the test's CPU");
  EXPECT_EQ(GroupHeadline(finding),
            "a rewrite: 2 functions replaced by 3, together 6.2% → 5.1% of the test's CPU");
}

TEST(GroupWords, OfAToolchainHaveTheFilesAndWhatIsBeside) {
  v1::Finding finding;
  finding.set_function("gcc 12.2.0 -O2 → clang 14.0.6 -O2");
  v1::ToolchainChange& toolchain = *finding.mutable_toolchain();
  toolchain.set_files(214);
  toolchain.set_all_files(230);
  toolchain.set_folded(87);
  EXPECT_EQ(GroupWords(finding), "compiled 214 of 230 files; 87 functions changed with it");
  toolchain.add_beside("f");
  EXPECT_EQ(GroupWords(finding),
            "compiled 214 of 230 files; 87 functions changed with it; also changed, independently "
            "of the toolchain: 1 function");
  EXPECT_EQ(GroupHeadline(finding), "another toolchain compiled 214 of 230 files");
}

TEST(GroupWords, OfTheEffectSayWhatTheSamplesCannotTell) {
  v1::Finding finding = RewriteFinding();
  finding.set_verdict(v1::Finding::CANNOT_TELL);
  EXPECT_EQ(GroupEffectWords(finding), "self time together: too few samples");
  finding.set_detectable_percent(30);
  EXPECT_EQ(GroupEffectWords(finding), "self time together: inconclusive below ±30%");
  finding.set_verdict(v1::Finding::IMPROVED);
  finding.set_effect_percent(-18);
  finding.set_interval_low_percent(-30);
  finding.set_interval_high_percent(-5);
  EXPECT_EQ(GroupEffectWords(finding), "−18% self time together (95%: −30% to −5.0%)");
}

TEST(GroupWords, OfAFunctionAreNone) {
  EXPECT_FALSE(IsGroup(v1::Finding()));
  EXPECT_EQ(GroupWords(v1::Finding()), "");
}

std::string Plain(absl::string_view name) { return std::string(name); }

TEST(DescribeRow, SaysWhatIsCalledAndByWhom) {
  v1::Finding arc = Calls("f", "main");
  arc.set_caller_calls_before(50);
  arc.set_caller_calls_after(50);
  arc.add_follows("below");
  v1::Finding calls = Calls("f");
  calls.set_after(170);
  const v1::Report report = MakeReport({arc, calls});
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  EXPECT_EQ(DescribeRow(rows[0], Plain),
            "called 170×, was 100; main calls it 3× per call, was 2×; 1 side effect");
}

TEST(DescribeRow, SaysWhatHasTheSameCause) {
  const v1::Report report = MakeReport({Calls("f", "loop"), Calls("g", "loop")});
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  EXPECT_EQ(DescribeRow(rows[0], Plain),
            "loop calls it 150×, was 100; 1 other function changed for the same cause");
  EXPECT_EQ(DescribeEffect(rows[0]), "+50% calls (exact), about +20% of the test's CPU");
  EXPECT_EQ(DescribeRow(rows[1], Plain), "loop calls it 150×, was 100; same cause as f");
  EXPECT_EQ(DescribeEffect(rows[1]), "+50% calls (exact), about +10% of the test's CPU");
}

TEST(DescribeRow, SaysWhetherATotalTimeIsMeasured) {
  for (const bool measured : {false, true}) {
    v1::Finding total = MakeFinding("f", v1::Finding::TOTAL_TIME);
    total.set_measured(measured);
    const v1::Report report = MakeReport({total});
    EXPECT_EQ(DescribeRow(GroupByFunction(report)[0], Plain),
              measured ? "total time (measured) 150 s, was 100 s"
                       : "total time (estimated) 150 s, was 100 s");
  }
}

TEST(DescribeRow, SaysBytesOfBytes) {
  v1::Finding in_all = Calls("gprofhub_allocated_bytes"),
              arc = Calls("gprofhub_allocated_bytes", "Insert");
  in_all.set_before(1000);
  in_all.set_after(5000);
  in_all.set_effect_percent(400);
  in_all.set_impact(0);
  in_all.set_share_of_bytes(0.8);
  arc.set_before(0);
  arc.set_after(4000);
  const v1::Report added = MakeReport({in_all, arc});
  EXPECT_EQ(DescribeRow(GroupByFunction(added)[0], Plain),
            "5,000 bytes allocated, were 1,000; Insert now allocates 4,000 bytes");
  arc.set_before(1000);
  arc.set_after(2000);
  arc.set_caller_calls_before(10);
  arc.set_caller_calls_after(10);
  arc.set_impact(0);
  const v1::Report grown = MakeReport({in_all, arc});
  EXPECT_EQ(DescribeRow(GroupByFunction(grown)[0], Plain),
            "5,000 bytes allocated, were 1,000; Insert allocates 200 bytes per call, was 100");
  EXPECT_EQ(DescribeEffect(GroupByFunction(grown)[0]),
            "+400% bytes (exact), about 80% of the bytes that it allocates");
}

std::string ShiftOf(v1::Shift::Kind kind, const std::string& function,
                    const std::vector<std::string>& with) {
  v1::Finding calls = Calls(function);
  calls.set_verdict(v1::Finding::SHIFTED);
  calls.set_after(calls.before());
  calls.mutable_shift()->set_kind(kind);
  for (const std::string& name : with) calls.mutable_shift()->add_with(name);
  return DescribeRow(RowOfFinding(calls), FunctionName);
}

std::string Renamed(const std::string& before, const std::string& after) {
  return ShiftOf(v1::Shift::RENAMED, after, {before});
}

TEST(DescribeRow, HasTheOldNameOfARenamedFunction) {
  EXPECT_EQ(Renamed("_Z5Parsev", "_Z4Readv"), "renamed, was Parse()");
  EXPECT_EQ(Renamed("_ZN1a5ParseEi", "_ZN1a5ParseEl"), "renamed, was a::Parse(int)");
}

TEST(DescribeRow, ShowsWhereTwoNamesThatLookTheSameDiffer) {
  const std::string scope = "compiler::frontend::Parser::ReadAllOfTheDocument";
  EXPECT_EQ(Renamed(scope + "(char const*, int)", scope + "(char const*, int, bool)"),
            "renamed: …*, int, bool), was …*, int)");
  EXPECT_EQ(Renamed("ParserTest_ReadsAllOfTheCommentsAtOnce_Test::TestBody()",
                    "ParserTest_ReadsAllOfOurOwnCommentsAtOnce_Test::TestBody()"),
            "renamed: …_ReadsAllOfOurOwnCommentsAtOnce_Test::…, was "
            "…_ReadsAllOfTheCommentsAtOnce_Test::…");
  const std::string table = "storage::Table<storage::Row, storage::KeyOfRows>::Find";
  EXPECT_EQ(Renamed("int " + table + "(int)", "long " + table + "(int)"),
            "renamed: long storage::Table<storage::Row, …, was int storage::Table<storage::Row, "
            "storage…");
  EXPECT_EQ(Renamed(scope + "(größe)", scope + "(große)"), "renamed: …(große), was …(größe)");
}

TEST(DescribeRow, HasTheSymbolsWhereTheNamesAreTheSame) {
  EXPECT_EQ(Renamed("_Z5Parsev", "_ZL5Parsev"),
            "same name, another symbol: _ZL5Parsev, was _Z5Parsev");
  EXPECT_EQ(Renamed("_ZN4TreeC1Ev", "_ZN4TreeC2Ev"),
            "same name, another symbol: _ZN4TreeC2Ev, was _ZN4TreeC1Ev");
  EXPECT_EQ(Renamed("f[abi:cxx11]()", "f()"), "renamed");
}

TEST(DescribeRow, ListsNamesThatLookTheSameOnce) {
  std::vector<std::string> with = {"first()"};
  for (int i = 0; i < 26; ++i) {
    with.push_back(absl::StrCat("Run(", std::string(60, 'x'), i, ")"));
  }
  EXPECT_EQ(ShiftOf(v1::Shift::SPLIT, "f", with),
            "split: shares its work with first(), Run(...) (26 functions)");
  with.insert(with.end(), {"g", "h", "i"});
  EXPECT_EQ(ShiftOf(v1::Shift::INLINED, "f", with),
            "inlined into first(), Run(...) (26 functions), g, 2 more");
}

TEST(DescribeRow, ShortensTheFileThatAFunctionWasInAsAPath) {
  EXPECT_EQ(
      ShiftOf(v1::Shift::MOVED, "f", {"src/compiler/frontend/recovery/parser_of_documents.cc"}),
      "moved to another file, was in src/compiler/…/recovery/parser_of_documents.cc");
}

TEST(DescribeEffect, SaysHowManyTestsShowATimeTogether) {
  v1::Finding time = MakeFinding("f", v1::Finding::SELF_TIME);
  time.set_exact(false);
  time.set_interval_low_percent(40);
  time.set_interval_high_percent(60);
  v1::Report report = MakeReport({time});
  EXPECT_EQ(DescribeEffect(GroupByFunction(report)[0]), "+50% self time (95%: +40% to +60%)");
  report.mutable_findings(0)->set_pooled_targets(4);
  EXPECT_EQ(DescribeEffect(GroupByFunction(report)[0]),
            "+50% self time (95%: +40% to +60%; in 4 tests together)");
}

TEST(DescribeEffect, GivesTheShareOfCpu) {
  v1::Report report = MakeReport({Calls("f", "main"), Calls("f")});
  EXPECT_EQ(DescribeEffect(GroupByFunction(report)[0]),
            "+50% calls (exact), about +10% of the test's CPU");
  for (v1::Finding& finding : *report.mutable_findings()) finding.set_impact(0.0004);
  SetTestEffects(report);
  EXPECT_EQ(DescribeEffect(GroupByFunction(report)[0]),
            "+50% calls (exact), less than 0.1% of the test's CPU");
}

TEST(DescribeEffect, SaysWhetherACountIsExactOrSeenInOneRunOrVaries) {
  v1::Report report = MakeReport({Calls("f")});
  v1::Finding& calls = *report.mutable_findings(0);
  calls.set_exact(false);
  calls.set_one_run(true);
  EXPECT_EQ(DescribeEffect(GroupByFunction(report)[0]),
            "+50% calls (one run each), about +10% of the test's CPU");
  EXPECT_EQ(DescribeRow(GroupByFunction(report)[0], Plain), "called 150×, was 100");
  calls.set_before(0);
  EXPECT_EQ(DescribeEffect(GroupByFunction(report)[0]),
            "new (one run), about +10% of the test's CPU");
  calls.set_before(100);
  calls.set_one_run(false);
  EXPECT_EQ(DescribeEffect(GroupByFunction(report)[0]), "+50% calls, about +10% of the test's CPU");
  EXPECT_EQ(DescribeRow(GroupByFunction(report)[0], Plain),
            "called 150×, was 100 (differs between executions)");
}

TEST(DescribeEffect, WithoutSamplesGivesTheShareOfCalls) {
  v1::Finding calls = Calls("f");
  calls.set_impact(0);
  calls.set_share_of_calls(0.17);
  const v1::Report report = MakeReport({calls});
  EXPECT_EQ(DescribeEffect(GroupByFunction(report)[0]),
            "+50% calls (exact), about 17% of the test's calls (share of CPU not known: no "
            "samples)");
}

}  // namespace

}  // namespace gprofhub::reporter
