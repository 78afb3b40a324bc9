#include "ci/upload/results/detect_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ci/upload/testing/fake_sources.h"

namespace gprofhub::ci {

namespace {

TEST(MachineKind, IsTheModelAndTheNumberOfProcessors) {
  EXPECT_EQ(MachineKind("processor\t: 0\nmodel name\t: AMD EPYC 7763 64-Core Processor\n\n"
                        "processor\t: 1\nmodel name\t: AMD EPYC 7763 64-Core Processor\n"),
            "AMD EPYC 7763 64-Core Processor, 2 processors");
  EXPECT_EQ(MachineKind("processor\t: 0\nmodel name\t: X: 1\n"), "X: 1, 1 processor");
}

TEST(MachineKind, OfArmIsImplementerAndPart) {
  EXPECT_EQ(MachineKind("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"),
            "Arm implementer 0x41 part 0xd0c, 1 processor");
}

TEST(MachineKind, IsEmptyWhereNothingIsSaid) {
  EXPECT_EQ(MachineKind(""), "");
  EXPECT_EQ(MachineKind("processor : 0\n"), "");
  EXPECT_EQ(MachineKind("model name : alone\n"), "");
}

TEST(MachineKind, OfHostileTextIsShortAndPrintable) {
  const std::string kind =
      MachineKind("processor: 0\nmodel name: \x1b[31m" + std::string(10000, 'x') + "\n");
  EXPECT_LE(kind.size(), 200u);
  EXPECT_EQ(kind.find('\x1b'), std::string::npos);
}

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(DetectRun, NamesTheMachine) {
  const std::map<std::string, std::string> files = {
      {"/proc/cpuinfo", "processor: 0\nmodel name: Z80\n"}};
  RunFlags flags;
  EXPECT_EQ(DetectRun(flags, FakeSources({}, Clone(), files))->info.machine(), "Z80, 1 processor");
  EXPECT_EQ(DetectRun(flags, FakeSources({}, Clone()))->info.machine(), "");
  flags.info.set_machine("builders");
  EXPECT_EQ(DetectRun(flags, FakeSources({}, Clone(), files))->info.machine(), "builders");
}

TEST(DetectRun, FlagsWinOverCiAndGit) {
  RunFlags flags;
  flags.info.set_project("p");
  flags.info.set_run_key("k");
  flags.info.set_commit(Hash('1'));
  flags.info.set_branch("mine");
  flags.info.set_base_commit(Hash('2'));
  flags.info.set_pull_request("5");
  flags.info.set_ci_link("https://u:p@ci.example/1");
  flags.info.set_configuration("k8-opt");
  flags.info.set_from_fork(true);
  const auto run = DetectRun(flags, FakeSources(GitHubPullRequest(), Clone(),
                                                {{"/event.json", GitHubEvent(R"({"id": 1})")}}));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->info.project(), "p");
  EXPECT_EQ(run->info.run_key(), "k");
  EXPECT_EQ(run->info.commit(), Hash('1'));
  EXPECT_EQ(run->info.branch(), "mine");
  EXPECT_EQ(run->info.base_commit(), Hash('2'));
  EXPECT_EQ(run->info.pull_request(), "5");
  EXPECT_EQ(run->info.ci_link(), "https://ci.example/1");
  EXPECT_EQ(run->info.configuration(), "k8-opt");
  EXPECT_TRUE(run->info.from_fork());
}

TEST(DetectRun, FlagsSufficeWithoutGitAndCi) {
  RunFlags flags;
  flags.info.set_commit(Hash('1'));
  const auto run = DetectRun(flags, FakeSources({}, {}));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->info.commit(), Hash('1'));
  EXPECT_EQ(run->info.base_commit(), "");
  EXPECT_EQ(run->info.commit_unix_ms(), 0);
}

TEST(DetectRun, AncestorsBeginAtTheBaseAndLeaveOutTheCommitItself) {
  const auto change = DetectRun({}, FakeSources({}, Clone()));
  ASSERT_TRUE(change.ok());
  EXPECT_THAT(change->info.ancestors(), ElementsAre(Hash('b'), Hash('c')));
  RunFlags flags;
  flags.info.set_branch("main");
  const auto main = DetectRun(flags, FakeSources({}, Clone()));
  ASSERT_TRUE(main.ok());
  EXPECT_EQ(main->info.base_commit(), "");
  EXPECT_THAT(main->info.ancestors(), ElementsAre(Hash('b'), Hash('c')));
}

TEST(DetectRun, AncestorsAreBounded) {
  GitAnswers answers = Clone();
  std::string list;
  for (int i = 0; i < 101; ++i) list += Hash('b').substr(0, 37) + std::to_string(100 + i) + "\n";
  answers["rev-list --first-parent --max-count=101 " + Hash('b') + " --"] = list;
  const auto run = DetectRun({}, FakeSources({}, answers));
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->info.ancestors_size(), 100);
}

TEST(DetectRun, BaseOfACheckedOutMergeIsItsFirstParent) {
  GitAnswers answers = Clone();
  answers[RevParse("HEAD")] = Hash('e');
  answers[RevParse("HEAD^2")] = Hash('a');
  answers[RevParse("HEAD^1")] = Hash('f');
  const auto run = DetectRun({}, FakeSources(GitHubPullRequest(), answers,
                                             {{"/event.json", GitHubEvent(R"({"id": 1})")}}));
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->info.commit(), Hash('a'));
  EXPECT_EQ(run->info.base_commit(), Hash('f'));
}

TEST(DetectRun, ShallowCloneIsExplained) {
  GitAnswers answers = Clone();
  answers.erase("merge-base " + Hash('a') + " " + Hash('f'));
  const auto run = DetectRun({}, FakeSources({}, answers));
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->info.base_commit(), "");
  ASSERT_THAT(run->warnings, SizeIs(1));
  EXPECT_THAT(run->warnings[0], HasSubstr("fetch-depth: 0"));
}

TEST(DetectRun, UncommittedChangesAreMentioned) {
  GitAnswers answers = Clone();
  answers["status --porcelain --untracked-files=no"] = " M a.cc\n M b.cc";
  const auto run = DetectRun({}, FakeSources({}, answers));
  ASSERT_TRUE(run.ok());
  ASSERT_THAT(run->warnings, SizeIs(1));
  EXPECT_THAT(run->warnings[0], HasSubstr("2 uncommitted changes"));
}

TEST(DetectRun, WithoutGitItSaysWhatToPass) {
  const auto run = DetectRun({}, FakeSources({}, {}));
  EXPECT_EQ(run.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(run.status().message()), HasSubstr("--commit=<full hash>"));
  EXPECT_THAT(std::string(run.status().message()), HasSubstr("not a git repository"));
}

TEST(WorkspaceStatus, HasTheKnownFieldsInCapitalLetters) {
  const auto run = DetectRun({}, FakeSources(GitHubPullRequest(), Clone(),
                                             {{"/event.json", GitHubEvent(R"({"id": 2})")}}));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(WorkspaceStatus(run->info),
            "GPROFHUB_COMMIT " + Hash('a') +
                "\n"
                "GPROFHUB_BRANCH feature\n"
                "GPROFHUB_BASE_COMMIT " +
                Hash('b') +
                "\n"
                "GPROFHUB_PULL_REQUEST 17\n"
                "GPROFHUB_CI_LINK https://github.example/o/r/actions/runs/99\n"
                "GPROFHUB_FROM_FORK true\n"
                "GPROFHUB_ANCESTORS " +
                Hash('b') + " " + Hash('c') +
                "\n"
                "GPROFHUB_COMMIT_TIME 1700000000\n");
}

TEST(WorkspaceStatus, ValuesCannotAddLines) {
  v1::RunInfo run;
  run.set_commit("c");
  run.set_branch("a\nGPROFHUB_FROM_FORK false");
  run.set_from_fork(true);
  EXPECT_EQ(
      WorkspaceStatus(run),
      "GPROFHUB_COMMIT c\nGPROFHUB_BRANCH a GPROFHUB_FROM_FORK false\nGPROFHUB_FROM_FORK true\n");
}

TEST(WorkspaceStatus, IsReadAsItWasWritten) {
  v1::RunInfo run;
  run.set_commit(Hash('a'));
  run.set_branch("feature");
  run.set_base_commit(Hash('b'));
  run.add_ancestors(Hash('b'));
  run.add_ancestors(Hash('c'));
  run.set_pull_request("17");
  run.set_ci_link("https://ci.example/1");
  run.set_from_fork(true);
  run.set_commit_unix_ms(1'700'000'000'000);
  run.set_machine("Z80, 1 processor");
  std::map<std::string, std::string> values;
  for (const absl::string_view line :
       absl::StrSplit(WorkspaceStatus(run), '\n', absl::SkipEmpty())) {
    values.insert(
        std::pair<std::string, std::string>(absl::StrSplit(line, absl::MaxSplits(' ', 1))));
  }
  v1::RunInfo read;
  const absl::Status status = ReadWorkspaceStatus(
      [&values](const std::string& key) { return values["GPROFHUB_" + key]; }, read);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(read.SerializeAsString(), run.SerializeAsString());
}

TEST(WorkspaceStatus, CannotNameTheProject) {
  v1::RunInfo run;
  run.set_project("mine");
  ASSERT_TRUE(ReadWorkspaceStatus(
                  [](const std::string& key) {
                    return key == "PROJECT" ? std::string("theirs") : std::string();
                  },
                  run)
                  .ok());
  EXPECT_EQ(run.project(), "mine");
}

TEST(DetectRun, UnknownCommitsInFlagsAreErrors) {
  RunFlags flags;
  flags.info.set_commit("nonsense");
  EXPECT_EQ(DetectRun(flags, FakeSources({}, Clone())).status().code(),
            absl::StatusCode::kInvalidArgument);
  flags.info.clear_commit();
  flags.info.set_base_commit("nonsense");
  EXPECT_EQ(DetectRun(flags, FakeSources({}, Clone())).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace

}  // namespace gprofhub::ci
