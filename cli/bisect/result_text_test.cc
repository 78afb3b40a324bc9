#include "cli/bisect/result_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "cli/testing/parser_runs.h"
#include "reporter/findings/findings.h"
#include "reporter/rendering/json.h"

namespace gprofhub::cli {

namespace {

v1::Report MakeReport() {
  v1::Report report;
  report.mutable_compared()->set_configuration("k8-opt-gprof_lines");
  v1::Finding& calls = *report.add_findings();
  calls.set_metric(v1::Finding::CALLS);
  calls.set_target("//db:test");
  calls.set_function("next");
  calls.set_caller("parse");
  calls.set_before(10);
  calls.set_after(80);
  v1::Finding& whole = *report.add_findings();
  whole = calls;
  whole.clear_caller();
  v1::Finding& time = *report.add_findings();
  time = whole;
  time.set_metric(v1::Finding::SELF_TIME);
  return report;
}

TEST(FindQuestion, TakesTheFindingWithTheId) {
  const v1::Report report = MakeReport();
  const auto sought = FindQuestion(report, reporter::FindingId(report.findings(0)));
  ASSERT_TRUE(sought.ok()) << sought.status();
  EXPECT_EQ(sought->question, (Question{"//db:test", "next", "parse"}));
  EXPECT_EQ(sought->configuration, "k8-opt-gprof_lines");
  EXPECT_EQ(sought->levels.before, 10);
  EXPECT_EQ(sought->levels.after, 80);
}

TEST(FindQuestion, TakesTheBeginningOfAnId) {
  const v1::Report report = MakeReport();
  const std::string id = reporter::FindingId(report.findings(1));
  EXPECT_EQ(FindQuestion(report, id.substr(0, 4))->question.caller, "");
  EXPECT_TRUE(absl::IsNotFound(FindQuestion(report, id.substr(0, 3)).status()));
  EXPECT_TRUE(absl::IsNotFound(FindQuestion(report, "").status()));
}

TEST(FindQuestion, RefusesATime) {
  const v1::Report report = MakeReport();
  const auto sought = FindQuestion(report, reporter::FindingId(report.findings(2)));
  ASSERT_TRUE(absl::IsInvalidArgument(sought.status()));
  EXPECT_NE(sought.status().message().find("a finding about self_time of next: "),
            std::string::npos);
}

TEST(ReadReportJson, ReadsWhatAReportPrints) {
  const v1::Report report = MakeReport();
  const auto read = ReadReportJson(reporter::RenderJson(report), "report.json");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->findings_size(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reporter::FindingId(read->findings(i)), reporter::FindingId(report.findings(i)));
  }
  EXPECT_EQ(read->findings(0).after(), 80);
  EXPECT_EQ(read->compared().configuration(), "k8-opt-gprof_lines");
}

TEST(ReadReportJson, RefusesAnythingElse) {
  for (const char* text : {"", "[]", "{}", R"({"compared": {"configuration": ""}, "findings": 3})",
                           R"({"compared": {"configuration": ""}, "findings": [{"metric": 1}]})"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ReadReportJson(text, "x.json").status())) << text;
  }
}

namespace fs = std::filesystem;

class RepositoryTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = EmptyTestFolder();
    fs::create_directories(root_ / "user");
    git_ = ci::GitIn(root_ / "user");
    Git({"init", "-q", "-b", "main"});
  }

  std::string Git(const std::vector<std::string>& words) {
    std::vector<std::string> all = {"-c", "user.name=A. Uthor",  "-c", "user.email=a@localhost",
                                    "-c", "commit.gpgsign=false"};
    all.insert(all.end(), words.begin(), words.end());
    const auto said = git_(all);
    EXPECT_TRUE(said.ok()) << said.status();
    return said.value_or("");
  }

  std::string CommitFile(const std::string& content) {
    std::ofstream(root_ / "user" / "file") << content;
    Git({"add", "-A"});
    Git({"commit", "-q", "-m", content});
    return Git({"rev-parse", "HEAD"});
  }

  fs::path root_;
  ci::GitCommand git_;
};

TEST_F(RepositoryTest, ALineGoesFromTheBaseToTheHead) {
  const std::string one = CommitFile("one");
  CommitFile("two");
  CommitFile("three");
  const auto line = ReadLine(git_, {one.substr(0, 8), "HEAD"});
  ASSERT_TRUE(line.ok()) << line.status();
  ASSERT_EQ(line->commits.size(), 3u);
  EXPECT_FALSE(line->from_merge_base);
  EXPECT_EQ(line->commits[0].hash, one);
  EXPECT_EQ(line->commits[1].subject, "two");
  EXPECT_EQ(line->commits[2].author, "A. Uthor");
  EXPECT_EQ(line->commits[2].date.size(), 10u);
}

TEST_F(RepositoryTest, ALineFollowsFirstParents) {
  const std::string one = CommitFile("one");
  Git({"checkout", "-q", "-b", "topic"});
  CommitFile("on the branch");
  Git({"checkout", "-q", "main"});
  Git({"merge", "-q", "--no-ff", "-m", "the merge", "topic"});
  const auto line = ReadLine(git_, {one, "main"});
  ASSERT_TRUE(line.ok());
  ASSERT_EQ(line->commits.size(), 2u);
  EXPECT_EQ(line->commits[1].subject, "the merge");
}

TEST_F(RepositoryTest, ABaseBesideTheHeadGivesWayToTheMergeBase) {
  const std::string one = CommitFile("one");
  Git({"checkout", "-q", "-b", "topic"});
  CommitFile("on the branch");
  Git({"checkout", "-q", "main"});
  CommitFile("on main");
  const auto line = ReadLine(git_, {"main", "topic"});
  ASSERT_TRUE(line.ok());
  EXPECT_TRUE(line->from_merge_base);
  EXPECT_EQ(line->commits.front().hash, one);
  EXPECT_EQ(line->commits.back().subject, "on the branch");
}

TEST_F(RepositoryTest, AnEmptyRangeAndAnUnknownCommitAreErrors) {
  CommitFile("one");
  EXPECT_TRUE(absl::IsFailedPrecondition(ReadLine(git_, {"HEAD", "HEAD"}).status()));
  const auto unknown = ReadLine(git_, {"0123456789", "HEAD"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.status().message().find("shallow"), std::string::npos);
  EXPECT_FALSE(ReadLine(git_, {"--all", "HEAD"}).ok());
}

TEST(ReadLine, FailureOfGitIsNotAnUnknownCommit) {
  const ci::GitCommand git = [](const std::vector<std::string>&) -> absl::StatusOr<std::string> {
    return absl::FailedPreconditionError("fatal: detected dubious ownership");
  };
  EXPECT_EQ(ReadLine(git, {"a", "b"}).status().message(), "fatal: detected dubious ownership");
}

TEST(ParseRange, WantsTwoCommits) {
  EXPECT_EQ(ParseRange("a..b")->head, "b");
  EXPECT_EQ(ParseRange("a..")->head, "HEAD");
  for (const char* text : {"", "a", "..b", "a...b", ".."}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseRange(text).status())) << text;
  }
}

TEST_F(RepositoryTest, AWorktreeLeavesTheUsersCheckoutAlone) {
  const std::string one = CommitFile("one");
  CommitFile("two");
  std::ofstream(root_ / "user" / "file") << "not committed";
  const std::string folder = root_ / "tree";
  {
    const auto tree = Worktree::Open(git_, folder);
    ASSERT_TRUE(tree.ok()) << tree.status();
    ASSERT_TRUE(tree->CheckOut(one).ok());
    EXPECT_EQ(ReadTestFile(folder + "/file"), "one");
    // Left over by a build.
    std::ofstream(folder + "/file") << "changed";
    ASSERT_TRUE(tree->CheckOut("main").ok());
    EXPECT_EQ(ReadTestFile(folder + "/file"), "two");
    EXPECT_EQ(ReadTestFile(root_ / "user" / "file"), "not committed");
    EXPECT_EQ(Git({"symbolic-ref", "HEAD"}), "refs/heads/main");
  }
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_EQ(Git({"worktree", "list", "--porcelain"}).find("tree\n"), std::string::npos);
}

TEST_F(RepositoryTest, AWorktreeTakesTheFolderOfASearchThatWasKilled) {
  CommitFile("one");
  const std::string folder = root_ / "tree";
  Git({"worktree", "add", "-q", "--detach", folder});
  fs::remove(folder + "/.git");
  std::ofstream(folder + "/rest") << "rest";
  const auto tree = Worktree::Open(git_, folder);
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_FALSE(fs::exists(folder + "/rest"));
}

// Five commits; the third one changed the count.
BisectReport Found() {
  BisectReport report;
  report.question = {"//db:test", "next", "parse"};
  for (const char c : std::string("abcde")) {
    report.line.commits.push_back(
        {std::string(40, c), "A. Uthor", "2026-11-23", std::string("subject of ") + c});
  }
  report.result.levels = {10, 12345678};
  report.result.range = {1, 2};
  report.result.tested = {{0, Tested::kOld, {{10, 10}, ""}},
                          {1, Tested::kOld, {{10}, ""}},
                          {2, Tested::kNew, {{12345678}, ""}},
                          {3, Tested::kSkipped, {{}, "it does not build"}},
                          {4, Tested::kNew, {{12345678, 12345678}, ""}}};
  return report;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BisectText, BeginsWithTheCommit) {
  const std::string text = BisectText(Found());
  EXPECT_TRUE(Has(text,
                  "Calls of next from parse in //db:test: 10 before, 12345678 after\n\n"
                  "The first commit with the new count:\ncccccccccccc  2026-11-23  A. Uthor\n"
                  "  subject of c\n"))
      << text;
  EXPECT_TRUE(Has(text, "skipped dddddddddddd: it does not build\n"));
  EXPECT_FALSE(Has(text, "other commits"));
}

TEST(BisectText, SaysThatTheChangeCameInSteps) {
  BisectReport report = Found();
  report.result.tested[1].measurement.counts = {11};
  EXPECT_TRUE(Has(BisectText(report),
                  "This commit changes the count from 11 to 12345678; other commits of the range "
                  "also change it."));
}

TEST(BisectText, GivesTheRangeThatIsLeft) {
  BisectReport report = Found();
  report.result.range = {0, 3};
  EXPECT_TRUE(Has(BisectText(report), "The new count begins at one of these 3 commits"));
  report.result.finished = false;
  EXPECT_TRUE(Has(BisectText(report), "Not finished: 3 candidate commits remain"));
}

TEST(BisectText, ShowsNothingThatCommandsATerminal) {
  BisectReport report = Found();
  report.line.commits[2].subject = "\x1b[2J";
  report.question.function = "\x1b[2J";
  EXPECT_FALSE(Has(BisectText(report), "\x1b"));
}

TEST(BisectJson, HasTheFirstCommitAndAllThatWereTested) {
  const nlohmann::ordered_json json = BisectJson(Found());
  EXPECT_EQ(json["first"]["commit"], std::string(40, 'c'));
  EXPECT_EQ(json["suspects"].size(), 1u);
  EXPECT_EQ(json["tested"].size(), 5u);
  EXPECT_EQ(json["tested"][3]["level"], "skipped");
  EXPECT_EQ(json["tested"][3]["skipped"], "it does not build");
  EXPECT_EQ(json["caller"], "parse");
}

TEST(BisectJson, HasNoFirstCommitWhereARangeIsLeft) {
  BisectReport report = Found();
  report.result.range = {1, 4};
  const nlohmann::ordered_json json = BisectJson(report);
  EXPECT_TRUE(json["first"].is_null());
  EXPECT_EQ(json["suspects"].size(), 3u);
}

const Setting kSetting = {{"//db:test", "parse", "main"}, "gprof", {"-c", "opt"}};

std::string StateFile() { return EmptyTestFolder() / "state.json"; }

TEST(State, SurvivesItsFile) {
  const std::string path = StateFile();
  State state = {kSetting, {{"aa", {{10, 12.5}, ""}}, {"bb", {{}, "it does not build"}}}};
  ASSERT_TRUE(WriteState(path, state).ok());
  const auto read = ReadState(path, kSetting);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->setting, kSetting);
  EXPECT_EQ(read->measured.at("aa").counts, (std::vector<double>{10, 12.5}));
  EXPECT_EQ(read->measured.at("bb").skipped, "it does not build");
  EXPECT_EQ(StateJson(*read), StateJson(state));
}

TEST(State, IsEmptyWithoutAFile) {
  const auto state = ReadState(StateFile(), kSetting);
  ASSERT_TRUE(state.ok());
  EXPECT_TRUE(state->measured.empty());
}

TEST(State, OfAnotherSearchIsRefused) {
  const std::string path = StateFile();
  ASSERT_TRUE(WriteState(path, {kSetting, {}}).ok());
  Setting other = kSetting;
  other.bazel_options.clear();
  EXPECT_TRUE(absl::IsFailedPrecondition(ReadState(path, other).status()));
  EXPECT_NE(StateFileName(other), StateFileName(kSetting));
}

TEST(State, RefusesEverythingElse) {
  for (const char* text :
       {"", "{", "[]", "{\"schema\": 1}", "{\"schema\": 2, \"setting\": {}, \"measured\": []}",
        R"({"schema": 1, "setting": {"target": 1}, "measured": []})",
        R"({"schema": 1, "setting": {"target": "t", "function": "f", "caller": "", "config": "c",
            "bazel_options": []}, "measured": [{"commit": "aa", "counts": [], "skipped": ""}]})",
        R"({"schema": 1, "setting": {"target": "t", "function": "f", "caller": "", "config": "c",
            "bazel_options": []}, "measured": [{"commit": 7, "counts": [1], "skipped": ""}]})"}) {
    const auto state = ParseState(text, "state.json");
    EXPECT_TRUE(absl::IsInvalidArgument(state.status())) << text;
    EXPECT_NE(state.status().message().find("--reset"), std::string::npos);
  }
}

TEST(Remembered, MeasuresACommitOnce) {
  const std::string path = StateFile();
  State state = {kSetting, {}};
  int measured = 0;
  const Measure measure = [&](const std::string& commit,
                              uint32_t runs) -> absl::StatusOr<Measurement> {
    ++measured;
    if (commit == "bad") return Measurement{{}, "it does not build"};
    return Measurement{std::vector<double>(runs, 7), ""};
  };
  const Measure remembered = Remembered(path, state, measure);
  EXPECT_EQ(remembered("aa", 2)->counts.size(), 2u);
  EXPECT_EQ(remembered("aa", 1)->counts.size(), 2u);
  EXPECT_EQ(remembered("bad", 2)->skipped, "it does not build");
  EXPECT_EQ(remembered("bad", 5)->skipped, "it does not build");
  EXPECT_EQ(measured, 2);
  EXPECT_EQ(remembered("aa", 3)->counts.size(), 3u);
  EXPECT_EQ(measured, 3);
  EXPECT_EQ(ReadState(path, kSetting)->measured.size(), 2u);
}

// State after a kill: some commits in the file, and an empty memory.
TEST(Remembered, GoesOnWhereASearchWasKilled) {
  const std::string path = StateFile();
  std::vector<std::string> line;
  for (int i = 0; i < 17; ++i) line.push_back(std::to_string(i));
  std::vector<std::string> built;
  size_t killed_at = 4;
  const Measure measure = [&](const std::string& commit,
                              uint32_t runs) -> absl::StatusOr<Measurement> {
    if (built.size() == killed_at) return absl::CancelledError("killed");
    built.push_back(commit);
    return Measurement{std::vector<double>(runs, std::stoi(commit) < 11 ? 1 : 9), ""};
  };
  State first = {kSetting, {}};
  ASSERT_TRUE(absl::IsCancelled(Bisect(line, Remembered(path, first, measure), {}).status()));
  killed_at = 1000;
  State second = *ReadState(path, kSetting);
  const auto found = Bisect(line, Remembered(path, second, measure), {});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->range.first_new, 11u);
  // In all, each commit was built once.
  EXPECT_EQ(std::set<std::string>(built.begin(), built.end()).size(), built.size());
  EXPECT_EQ(built.size(), found->tested.size());
}

}  // namespace

}  // namespace gprofhub::cli
