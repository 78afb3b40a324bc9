#include "reporter/worker/report_worker.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/notification.h"
#include "base/http/percent_coding.h"
#include "base/memory_budget.h"
#include "base/stop_token.h"
#include "base/work_loop.h"
#include "profile/codec/computed.h"
#include "reporter/posting/post_report.h"
#include "reporter/testing/fake_forge.h"
#include "reporter/testing/profile_builder.h"
#include "store/testing/temp_store.h"

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kProject[] = "acme/db";
constexpr char kOtherProject[] = "acme/tools";  // a workspace of the same repository
constexpr char kBase[] = "1111111111111111111111111111111111111111";

// main → parse, `calls` times.
profile::ComputedProfile Profile(uint64_t calls) {
  ProfileBuilder builder;
  builder.Function("main", 100, 5000).Function("_Z5parsei", 5000);
  builder.Arc("", "main", 1).Arc("main", "_Z5parsei", calls, 34);
  return builder.Build();
}

class ReportWorkerTest : public testing::Test {
 protected:
  void SetUp() override {
    github_->commits_on_main = {kBase};
    Start({});
  }

  // Refuses requests whose name contains `part`.
  void Refuse(const std::string& part, int status = 403) {
    github_->hook = [=](const std::string& request) {
      return Trouble{absl::StrContains(request, part) ? status : 0, {}, false, "no right"};
    };
  }

  void Start(ReportWorkerOptions options) {
    options.name = "reporter";
    options.now = [this] { return now_ + absl::Seconds(now_lead_.load()); };
    options.on_ended = [this](const EndedReport& ended) { ends_.emplace_back(ended.outcome); };
    const std::shared_ptr<Forge> forge = github_->Client();
    worker_ = std::make_unique<ReportWorker>(
        store_.reports, store_.reading, store_.blobs, store_.gate,
        ForgeByProject{{kProject, forge}, {kOtherProject, forge}}, options);
  }

  // Records a run of one target and analyses it.
  void Upload(const std::string& commit, const std::string& pull_request, uint64_t calls,
              const std::string& project = kProject,
              store::RerunRole rerun = store::RerunRole::kNone,
              const std::string& configuration = "k8-opt") {
    store::RunRecord run;
    run.project = project;
    run.commit = commit;
    run.branch = pull_request.empty() ? "main" : "topic";
    run.pull_request = pull_request;
    if (!pull_request.empty()) run.base_commit = kBase;
    run.configuration = configuration;
    run.rerun = rerun;
    Record(run, calls);
  }

  void Record(store::RunRecord run, uint64_t calls) {
    const store::Blob gmon = store::MakeBlob("gmon");
    const store::Blob bundle = store::MakeBlob("symbols");
    store::NewExecution execution;
    execution.run = std::move(run);
    execution.run.run_key = absl::StrCat("run ", ++runs_);
    execution.run.started = now_;
    if (!github_->jobs.empty()) execution.run.ci_link = github_->LinkOf(github_->jobs[0]);
    execution.execution.target = "//db:query_test";
    execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
    execution.images = {{"b1d1", bundle.name}};
    execution.blobs = {gmon, bundle};
    ASSERT_TRUE(store_.ingest.RecordExecution(execution, now_).ok());
    const auto job = store_.jobs.Claim("analyzer", now_, absl::Minutes(1), 3);
    ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
    const absl::Status status = store_.jobs.Complete(
        **job, {store::MakeBlob(profile::EncodeComputedProfile(Profile(calls))), {}}, now_);
    ASSERT_TRUE(status.ok()) << status;
  }

  // Advances the time and executes due jobs; returns whether there were any.
  bool Work(absl::Duration after = store::kReportDelay) {
    now_ += after;
    const absl::StatusOr<bool> worked = worker_->RunOnce();
    EXPECT_TRUE(worked.ok()) << worked.status();
    return worked.ok() && *worked;
  }

  std::vector<std::string> OwnBodies() const {
    std::vector<std::string> bodies;
    for (const FakeComment& comment : github_->comments) {
      if (comment.author == FakeForge::kSelf) bodies.push_back(comment.body);
    }
    return bodies;
  }
  std::string LastConclusion() const {
    return github_->checks.empty() ? "" : github_->checks.back().value("conclusion", "");
  }

  absl::Time now_ = absl::FromUnixSeconds(1700000000);
  std::atomic<int64_t> now_lead_ = 0;  // seconds by which the worker's clock is ahead of now_
  int runs_ = 0;
  std::unique_ptr<FakeForge> github_ = MakeFakeGitHub(/*app=*/true);
  const store::Store store_ = store::MakeTempStore();
  std::vector<std::string> ends_;  // outcomes of all attempts
  std::unique_ptr<ReportWorker> worker_;
};

TEST_F(ReportWorkerTest, ARegressionIsCommentedAndFailsTheCheck) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "#17", 800);
  EXPECT_TRUE(Work());
  ASSERT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("parse"));
  EXPECT_EQ(LastConclusion(), "failure");
  const auto gated = store_.gate.ListGated(kProject);
  ASSERT_TRUE(gated.ok()) << gated.status();
  ASSERT_FALSE(gated->empty());
  EXPECT_EQ(gated->front().function, "_Z5parsei");
  EXPECT_EQ(gated->front().pull_request, "17");
}

TEST_F(ReportWorkerTest, TheCommentHasSignedPictures) {
  ReportWorkerOptions options;
  options.picture_host = "https://gprofhub.example";
  options.picture_key = std::string(32, 'k');
  Start(options);
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "#17", 800);
  EXPECT_TRUE(Work());
  ASSERT_THAT(OwnBodies(), SizeIs(1));
  const std::string body = OwnBodies()[0];
  const std::string before = "](https://gprofhub.example/picture/trend.svg?";
  const size_t at = body.find(before);
  ASSERT_NE(at, std::string::npos) << body;
  const std::string address = body.substr(at + before.size());
  std::map<std::string, std::string> query;
  for (const absl::string_view part : absl::StrSplit(address.substr(0, address.find(')')), '&')) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
    query[pair.first] = base::PercentDecoded(pair.second);
  }
  const auto picture = SignedPicture(query, now_ + absl::Hours(24), options.picture_key);
  ASSERT_TRUE(picture.has_value()) << address;
  EXPECT_EQ(picture->project, kProject);
  EXPECT_EQ(picture->function, "_Z5parsei");
  EXPECT_EQ(picture->base_commit, kBase);
  EXPECT_FALSE(SignedPicture(query, now_ + absl::Hours(24 * 91), options.picture_key).has_value());

  // The same report later is the same comment: no second notification.
  const std::string first = body;
  Work(absl::Hours(1));
  EXPECT_EQ(OwnBodies(), std::vector<std::string>{first});
}

TEST_F(ReportWorkerTest, WithoutAKeyTheCommentHasNoPictures) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "#17", 800);
  EXPECT_TRUE(Work());
  EXPECT_THAT(OwnBodies()[0], Not(HasSubstr("![")));
}

TEST_F(ReportWorkerTest, AReportThatIsDueIsMadeWhenSomebodyWakesTheWorker) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "#17", 800);
  absl::Notification posted;
  github_->hook = [&posted](const std::string& request) {
    if (absl::StartsWith(request, "POST /repos/acme/db/check-runs")) posted.Notify();
    return Trouble();
  };
  base::WorkLoop::Waits waits;
  waits.poll = absl::InfiniteDuration();  // it polls only at its start
  base::WorkLoop loop(
      waits, [this](const base::StopToken& stopping) { return worker_->RunOnce(stopping); });
  now_lead_ = absl::ToInt64Seconds(store::kReportDelay);
  loop.Wake();
  posted.WaitForNotification();
}

// A comparison that exceeds the memory limit would fail again in a day.
TEST_F(ReportWorkerTest, AComparisonThatNeedsMoreMemoryThanThereIsIsGivenUpAtOnce) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  base::MemoryBudget tiny(1);
  ReportWorkerOptions options;
  options.decoding = &tiny;
  Start(options);
  EXPECT_TRUE(Work());
  EXPECT_THAT(ends_, ElementsAre("failed"));
  EXPECT_FALSE(Work(absl::Hours(12)));
  EXPECT_THAT(OwnBodies(), SizeIs(0));
}

TEST_F(ReportWorkerTest, TellsHowEachAttemptEnded) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  github_->hook = [](const std::string&) { return Trouble{503, {}, false}; };
  EXPECT_TRUE(Work());
  github_->hook = nullptr;
  EXPECT_TRUE(Work(absl::Minutes(10)));
  Upload("4444444444444444444444444444444444444444", "17", 800);  // not the head
  EXPECT_TRUE(Work());
  Upload(FakeForge::kHead, "17/../18", 800);  // not a number
  EXPECT_TRUE(Work());
  EXPECT_THAT(ends_, ElementsAre("again", "posted", "superseded", "failed"));
}

TEST_F(ReportWorkerTest, NobodyIsToldOfWhatTheRerunRefutes) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800, kProject, store::RerunRole::kExpected);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(Work(absl::Minutes(1)));
  EXPECT_THAT(OwnBodies(), SizeIs(0));
  EXPECT_EQ(LastConclusion(), "") << "not even a check";
  Upload(FakeForge::kHead, "17", 100, kProject, store::RerunRole::kRerun);
  while (Work(absl::Minutes(1))) {
  }
  EXPECT_THAT(OwnBodies(), SizeIs(0));
  EXPECT_EQ(LastConclusion(), "success");
  EXPECT_TRUE(store_.gate.ListGated(kProject)->empty());
}

TEST_F(ReportWorkerTest, WhatTheRerunConfirmsIsToldAtOnce) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800, kProject, store::RerunRole::kExpected);
  EXPECT_TRUE(Work());
  Upload(FakeForge::kHead, "17", 800, kProject, store::RerunRole::kRerun);
  EXPECT_TRUE(Work());
  EXPECT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_EQ(LastConclusion(), "failure");
}

TEST_F(ReportWorkerTest, WhoMayWriteGetsTheTestsRunAgain) {
  github_->files[".gprofhub.json"] = R"({"version": 1, "rerun": {"job": "profiles"}})";
  github_->writers = {"maintainer"};
  github_->AddJob("profiles").ended = false;
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  ASSERT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("comment `/gprofhub rerun`"));
  github_->AddComment("passer-by", "/gprofhub rerun");
  EXPECT_TRUE(Work(absl::Minutes(1)));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("comment `/gprofhub rerun`"));
  github_->AddComment("maintainer", "Really?\n/gprofhub rerun");
  EXPECT_TRUE(Work(absl::Minutes(1)));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("is started again as soon as it has ended"));
  EXPECT_EQ(github_->jobs[0].starts, 0);
  github_->jobs[0].ended = true;
  EXPECT_TRUE(Work(absl::Minutes(1)));
  EXPECT_EQ(github_->jobs[0].starts, 1);
  EXPECT_THAT(OwnBodies()[0], HasSubstr("`maintainer` asked for a rerun: the CI job [was started"));
  EXPECT_TRUE(Work(absl::Minutes(1)));
  EXPECT_EQ(github_->jobs[0].starts, 1);
  EXPECT_EQ(store_.reading.CountReruns(kProject)->requests, 1u);

  Upload(FakeForge::kHead, "17", 100, kProject, store::RerunRole::kRerun);
  while (Work(absl::Minutes(1))) {
  }
  ASSERT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_THAT(OwnBodies()[0], testing::Not(HasSubstr("asked for a rerun")));
  EXPECT_EQ(LastConclusion(), "success") << "the rerun shows another count";
}

TEST_F(ReportWorkerTest, ARerunThatNeverComesIsWaitedForHalfAnHour) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800, kProject, store::RerunRole::kExpected);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(Work(absl::Minutes(28)));
  EXPECT_THAT(OwnBodies(), SizeIs(0));
  EXPECT_TRUE(Work(absl::Minutes(3)));
  EXPECT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_EQ(LastConclusion(), "failure");
}

TEST_F(ReportWorkerTest, WithoutAnAlarmNoRerunIsWaitedFor) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 100, kProject, store::RerunRole::kExpected);
  EXPECT_TRUE(Work());
  EXPECT_EQ(LastConclusion(), "success");
}

TEST_F(ReportWorkerTest, NoChangePassesInSilence) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 100);
  EXPECT_TRUE(Work());
  EXPECT_THAT(OwnBodies(), SizeIs(0));
  EXPECT_EQ(LastConclusion(), "success");
  EXPECT_FALSE(Work(absl::Hours(1))) << "and is over";
}

TEST_F(ReportWorkerTest, WhatAnUploadClaimsIsCheckedAtTheForge) {
  Upload(kBase, "", 100);
  // A commit other than the pull request's head.
  Upload("4444444444444444444444444444444444444444", "17", 800);
  EXPECT_TRUE(Work());
  // An unknown pull request.
  Upload(FakeForge::kHead, "18", 800);
  EXPECT_TRUE(Work());
  // Not a number.
  Upload(FakeForge::kHead, "17/../18", 800);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(github_->comments.empty());
  EXPECT_TRUE(github_->checks.empty());
  EXPECT_FALSE(Work(absl::Hours(48)));
}

TEST_F(ReportWorkerTest, ABaseThatIsNotOnTheTargetBranchIsNone) {
  github_->commits_on_main = {};
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(github_->comments.empty());
  EXPECT_EQ(LastConclusion(), "neutral");
}

TEST_F(ReportWorkerTest, AClosedPullRequestIsLeftAlone) {
  github_->open = false;
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(github_->comments.empty());
  EXPECT_FALSE(Work(absl::Hours(1)));
}

TEST_F(ReportWorkerTest, AProjectWithoutAForgeHasNoReport) {
  Upload(kBase, "", 100, "other");
  Upload(FakeForge::kHead, "17", 800, "other");
  EXPECT_TRUE(Work());
  EXPECT_TRUE(github_->requests.empty());
}

TEST_F(ReportWorkerTest, ThePolicyOfTheTargetBranchDecides) {
  github_->files[".gprofhub.json"] = R"({"version": 1, "gates": []})";
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  EXPECT_EQ(LastConclusion(), "success");
  EXPECT_THAT(OwnBodies(), SizeIs(1)) << "it is worth a comment all the same";
}

TEST_F(ReportWorkerTest, AForksHeadCannotChangeItsGate) {
  github_->from_fork = true;
  github_->files_at[FakeForge::kHead][".gprofhub.json"] = R"({"version": 1, "gates": []})";
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  EXPECT_EQ(LastConclusion(), "failure");
}

TEST_F(ReportWorkerTest, TheOwnersOnTheTargetBranchAreCalledWhenItFails) {
  github_->files[".github/CODEOWNERS"] = "/src/ @acme/parsers\n";
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  ASSERT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("Owners: @acme/parsers."));
  github_->files[".gprofhub.json"] = R"({"version": 1, "gates": []})";
  EXPECT_TRUE(Work(absl::Minutes(10)));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("Owners: `acme/parsers`."));
}

TEST_F(ReportWorkerTest, ABrokenPolicyIsSaidAndTheDefaultHolds) {
  github_->files[".gprofhub.json"] = R"({"version": 1, "gate": []})";
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  EXPECT_EQ(LastConclusion(), "failure");
  ASSERT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_THAT(OwnBodies()[0], HasSubstr(".gprofhub.json: gate: unknown field"));
}

TEST_F(ReportWorkerTest, AForgeThatIsDownForAnHourGetsItsCommentAfterwards) {
  github_->hook = [](const std::string&) { return Trouble{503, {}, false}; };
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  const absl::Time end = now_ + absl::Hours(1);
  int attempts = 0;
  while (now_ < end) attempts += Work(absl::Seconds(10));
  EXPECT_GT(attempts, 4);
  EXPECT_LT(attempts, 20) << "with longer and longer waits";
  github_->hook = nullptr;
  EXPECT_TRUE(Work(absl::Minutes(10)));
  EXPECT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_EQ(LastConclusion(), "failure");
}

TEST_F(ReportWorkerTest, TheForgesWordOnWhenToComeBackCounts) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  github_->hook = [](const std::string&) { return Trouble{429, {{"Retry-After", "1500"}}, false}; };
  EXPECT_TRUE(Work());
  github_->hook = nullptr;
  EXPECT_FALSE(Work(absl::Seconds(1499)));
  EXPECT_TRUE(Work(absl::Seconds(1)));
  EXPECT_THAT(OwnBodies(), SizeIs(1));
}

TEST_F(ReportWorkerTest, AnAcknowledgementInACommentPassesTheCheck) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  EXPECT_EQ(LastConclusion(), "failure");
  github_->writers = {"maintainer"};
  github_->AddComment("passer-by", "/gprofhub ack parse(int) I want it merged");
  EXPECT_TRUE(Work(absl::Minutes(1)));
  EXPECT_EQ(LastConclusion(), "failure") << "only who may write may acknowledge";
  EXPECT_THAT(*store_.gate.ListAcknowledgements(kProject), SizeIs(0));

  github_->AddComment("maintainer", "Fine.\n/gprofhub ack `parse(int)` the new syntax needs it");
  EXPECT_TRUE(Work(absl::Minutes(10)));
  EXPECT_EQ(LastConclusion(), "success");
  ASSERT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("`maintainer` says it is accepted"));
  EXPECT_TRUE(Work(absl::Hours(24))) << "one run shows it: a rerun may be asked for, for a day";
  EXPECT_FALSE(Work(absl::Hours(1))) << "nothing is waited for any more";
  ASSERT_THAT(*store_.gate.ListAcknowledgements(kProject), SizeIs(1));
  const store::AcknowledgementRecord said = store_.gate.ListAcknowledgements(kProject)->front();
  EXPECT_EQ(said.author, "maintainer");
  EXPECT_EQ(said.pull_request, "17");
  EXPECT_EQ(said.reason, "the new syntax needs it");
}

TEST_F(ReportWorkerTest, AcknowledgementsAreReadThoughTheCheckIsRefused) {
  github_ = MakeFakeGitLab();
  github_->commits_on_main = {kBase};
  Start({});
  github_->from_fork = true;
  github_->writers = {"maintainer"};
  Refuse("/statuses/", 404);
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  EXPECT_THAT(ends_, ElementsAre("posted"));
  ASSERT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("Refused by the forge: `commit status` (`404 no right`)"));
  github_->AddComment("maintainer", "/gprofhub ack parse(int) the new syntax needs it");
  EXPECT_TRUE(Work(absl::Minutes(1)));
  EXPECT_THAT(*store_.gate.ListAcknowledgements(kProject), SizeIs(1));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("says it is accepted"));
}

TEST_F(ReportWorkerTest, AVoteOnAnUnknownLabelDoesNotStopTheReport) {
  github_ = MakeFakeGerrit();
  github_->commits_on_main = {kBase};
  github_->labels.clear();
  Start({});
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(Work(absl::Minutes(1)));
  EXPECT_THAT(ends_, ElementsAre("posted", "posted"));
  EXPECT_THAT(OwnBodies(), testing::Contains(HasSubstr("vote on Performance")));
}

TEST_F(ReportWorkerTest, EachRefusedReadingIsLeftOutAndNamed) {
  github_->files[".github/CODEOWNERS"] = "/src/ @acme/parsers\n";
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  bool first = true;
  for (const auto& [request, part] : std::vector<std::pair<std::string, std::string>>{
           {"GET /repos/acme/db/pulls/17/files", "changed lines"},
           {"/contents/.gprofhub.json", ".gprofhub.json"},
           {"CODEOWNERS", "code owners"},
           {"/permission", "commands in comments"}}) {
    for (const int status : {401, 403, 422}) {
      Refuse(request, status);
      github_->AddComment("someone", absl::StrCat("/gprofhub ack nothing", status, " reason"));
      EXPECT_TRUE(Work(first ? store::kReportDelay : absl::Minutes(30)));
      first = false;
      EXPECT_EQ(ends_.back(), "posted") << part << " " << status;
      ASSERT_THAT(OwnBodies(), SizeIs(1));
      EXPECT_THAT(OwnBodies()[0], HasSubstr(absl::StrCat("`", part, "` (`", status)));
      EXPECT_EQ(LastConclusion(), "failure");
    }
    Refuse(request, 503);
    EXPECT_TRUE(Work(absl::Minutes(30)));
    EXPECT_EQ(ends_.back(), part == "changed lines" ? "posted" : "again") << part;
    github_->hook = nullptr;
    EXPECT_TRUE(Work(absl::Minutes(30)));
    EXPECT_THAT(OwnBodies()[0], Not(HasSubstr("Refused")));
  }
}

TEST_F(ReportWorkerTest, ABaseThatCannotBeVerifiedIsNone) {
  Refuse("/compare/");
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  EXPECT_THAT(ends_, ElementsAre("silent"));
  EXPECT_EQ(LastConclusion(), "neutral");
}

TEST_F(ReportWorkerTest, AForcePushEndsTheWaitForAcknowledgements) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  github_->head = "3333333333333333333333333333333333333333";
  EXPECT_TRUE(Work(absl::Minutes(1)));
  EXPECT_FALSE(Work(absl::Hours(1)));
}

TEST_F(ReportWorkerTest, TheNextCommitWithoutTheRegressionTakesTheCommentBack) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "17", 800);
  EXPECT_TRUE(Work());
  github_->head = "3333333333333333333333333333333333333333";
  Upload(github_->head, "17", 100);
  while (Work()) {
  }
  ASSERT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("no significant change"));
  EXPECT_EQ(LastConclusion(), "success");
}

// A run of the pull request in a project and configuration.
struct UploadedPart {
  const char* project;
  const char* configuration;
  uint64_t calls;
};

// Of each test: two parts, the first of which regressed.
constexpr UploadedPart kPartsOfTests[][2] = {
    {{kProject, "k8-opt-gprof", 800}, {kProject, "k8-dbg-gprof", 100}},
    {{kProject, "k8-dbg", 800}, {kProject, "k8-opt", 100}},
    {{kProject, "k8-opt", 800}, {kOtherProject, "k8-opt", 100}},
    {{kOtherProject, "k8-opt", 800}, {kProject, "k8-dbg", 100}},
};

class PartsOfACommitTest : public ReportWorkerTest,
                           public testing::WithParamInterface<std::tuple<int, bool>> {
 protected:
  const UploadedPart* Parts() const { return kPartsOfTests[std::get<0>(GetParam())]; }

  void Send(const std::string& commit, const std::string& pull_request, const UploadedPart& part,
            uint64_t calls) {
    Upload(commit, pull_request, calls, part.project, store::RerunRole::kNone, part.configuration);
  }

  // Executes all due jobs.
  void WorkAll() {
    Work();
    while (Work(absl::ZeroDuration())) {
    }
  }
};

TEST_P(PartsOfACommitTest, AreOneCommentAndOneCheckInAnyOrder) {
  const bool reversed = std::get<1>(GetParam());
  const UploadedPart& first = Parts()[reversed ? 1 : 0];
  const UploadedPart& second = Parts()[reversed ? 0 : 1];
  for (const UploadedPart* part : {&first, &second}) Send(kBase, "", *part, 100);
  Send(FakeForge::kHead, "#17", first, first.calls);
  WorkAll();
  Send(FakeForge::kHead, "17", second, second.calls);
  WorkAll();
  ASSERT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("1 of 2 parts fails"));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("no significant change"));
  EXPECT_EQ(LastConclusion(), "failure");

  // A run that is sent again replaces its own part only.
  Send(FakeForge::kHead, "17", Parts()[1], 100);
  WorkAll();
  EXPECT_EQ(LastConclusion(), "failure");
  ASSERT_THAT(OwnBodies(), SizeIs(1));
  EXPECT_THAT(OwnBodies()[0], HasSubstr("1 of 2 parts fails"));
}

INSTANTIATE_TEST_SUITE_P(All, PartsOfACommitTest,
                         testing::Combine(testing::Range(0, int{std::size(kPartsOfTests)}),
                                          testing::Bool()));

TEST_F(ReportWorkerTest, APartThatIsStillAnalysedIsWaitedFor) {
  Upload(kBase, "", 100);
  Upload(FakeForge::kHead, "#17", 100);
  // Uploaded, and not analysed yet.
  store::NewExecution pending;
  pending.run.project = kOtherProject;
  pending.run.run_key = "pending";
  pending.run.commit = FakeForge::kHead;
  pending.run.pull_request = "17";
  pending.run.configuration = "k8-opt";
  pending.run.started = now_;
  pending.execution.target = "//tools:test";
  const store::Blob gmon = store::MakeBlob("gmon"), bundle = store::MakeBlob("symbols");
  pending.profiles = {{"gmon.1", "b1d1", gmon.name}};
  pending.images = {{"b1d1", bundle.name}};
  pending.blobs = {gmon, bundle};
  ASSERT_TRUE(store_.ingest.RecordExecution(pending, now_).ok());
  EXPECT_TRUE(Work());
  EXPECT_EQ(LastConclusion(), "") << "a result would be one of a part";
  EXPECT_THAT(ends_, ElementsAre("again"));
}

TEST_F(ReportWorkerTest, TheForgeNamesTheMainBranch) {
  const std::shared_ptr<Forge> forge = github_->Client();
  MainBranchKeeper keeper(store_.reports, {{kProject, forge}, {kOtherProject, forge}}, "reporter",
                          [this] { return now_; });
  const auto work = [&](absl::Duration after) {
    now_ += after;
    for (absl::StatusOr<bool> more = true; more.ok() && *more;) more = keeper.RunOnce();
  };
  github_->default_branch = "trunk";
  Upload(kBase, "", 100);
  EXPECT_EQ(*store_.reading.FindMainBranch(kProject), "main") << "not asked yet";
  work(absl::ZeroDuration());
  EXPECT_EQ(*store_.reading.FindMainBranch(kProject), "trunk");
  EXPECT_EQ(*store_.reading.FindMainBranch(kOtherProject), "trunk");
  EXPECT_EQ(std::count(github_->requests.begin(), github_->requests.end(), "GET /repos/acme/db"), 1)
      << "both projects are of one repository";
  github_->default_branch = "next";
  work(absl::Minutes(30));
  EXPECT_EQ(*store_.reading.FindMainBranch(kProject), "trunk");
  Refuse("GET /repos/acme/db", 503);
  work(absl::Minutes(31));
  EXPECT_EQ(*store_.reading.FindMainBranch(kProject), "trunk");
  github_->hook = nullptr;
  work(absl::Hours(1));
  EXPECT_EQ(*store_.reading.FindMainBranch(kProject), "next");
}

// A merge queue with the groups of two pull requests, one on the other.
class MergeQueueTest : public ReportWorkerTest {
 protected:
  void SetUp() override {
    ReportWorkerTest::SetUp();
    github_->queues = {{kFirstBranch, {kBase, kFirst}}, {kSecondBranch, {kBase, kFirst, kSecond}}};
    Upload(kBase, "", 100);
  }

  void UploadGroup(const std::string& commit, const std::string& base, uint64_t calls) {
    store::RunRecord run;
    run.project = kProject;
    run.commit = commit;
    run.branch = commit == kFirst ? kFirstBranch : kSecondBranch;
    run.pull_request = "17";
    run.base_commit = base;
    run.ancestors = {kBase};
    run.configuration = "k8-opt";
    Record(std::move(run), calls);
  }
  std::string CheckedCommit() const {
    return github_->checks.empty() ? "" : github_->checks.back().value("head_sha", "");
  }

  const std::string kFirst = std::string(40, 'a');
  const std::string kSecond = std::string(40, 'b');
  const std::string kFirstBranch = absl::StrCat("gh-readonly-queue/main/pr-17-", kBase);
  const std::string kSecondBranch = absl::StrCat("gh-readonly-queue/main/pr-17-", kFirst);
};

TEST_F(MergeQueueTest, TheCheckIsAtTheGroupsCommitAndThereIsNoComment) {
  UploadGroup(kFirst, kBase, 800);
  EXPECT_TRUE(Work());
  EXPECT_EQ(CheckedCommit(), kFirst);
  EXPECT_EQ(LastConclusion(), "failure");
  EXPECT_THAT(OwnBodies(), SizeIs(0));
}

TEST_F(MergeQueueTest, AGroupWithoutRegressionsPasses) {
  UploadGroup(kFirst, kBase, 100);
  EXPECT_TRUE(Work());
  EXPECT_EQ(CheckedCommit(), kFirst);
  EXPECT_EQ(LastConclusion(), "success");
}

TEST_F(MergeQueueTest, WhatThePullRequestAcceptedPassesInTheQueue) {
  github_->writers = {"maintainer"};
  Upload(FakeForge::kHead, "17", 800);
  github_->AddComment("maintainer", "/gprofhub ack parse(int) intended");
  EXPECT_TRUE(Work());
  EXPECT_EQ(LastConclusion(), "success");
  UploadGroup(kFirst, kBase, 800);
  EXPECT_TRUE(Work());
  EXPECT_EQ(CheckedCommit(), kFirst);
  EXPECT_EQ(LastConclusion(), "success");
}

TEST_F(MergeQueueTest, AGroupIsComparedWithTheGroupBeforeIt) {
  UploadGroup(kFirst, kBase, 800);
  EXPECT_TRUE(Work());
  EXPECT_EQ(LastConclusion(), "failure");
  UploadGroup(kSecond, kFirst, 800);
  EXPECT_TRUE(Work());
  EXPECT_EQ(CheckedCommit(), kSecond);
  EXPECT_EQ(LastConclusion(), "success") << "only the first group changed the calls";
}

TEST_F(MergeQueueTest, AGroupWaitsForTheGroupBeforeIt) {
  UploadGroup(kSecond, kFirst, 800);
  EXPECT_TRUE(Work());
  EXPECT_EQ(LastConclusion(), "");
  UploadGroup(kFirst, kBase, 800);
  EXPECT_TRUE(Work());
  while (CheckedCommit() != kSecond && Work(absl::Minutes(1))) {
  }
  EXPECT_EQ(CheckedCommit(), kSecond);
  EXPECT_EQ(LastConclusion(), "success");
}

TEST_F(MergeQueueTest, AGroupWhoseBaseIsNeverMeasuredIsComparedWithMain) {
  UploadGroup(kSecond, kFirst, 800);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(Work(absl::Minutes(31)));
  EXPECT_EQ(CheckedCommit(), kSecond);
  EXPECT_EQ(LastConclusion(), "failure");
}

TEST_F(MergeQueueTest, ADismissedGroupIsNotAnswered) {
  github_->queues.clear();
  UploadGroup(kFirst, kBase, 800);
  EXPECT_TRUE(Work());
  EXPECT_EQ(LastConclusion(), "");
  EXPECT_THAT(ends_, ElementsAre("superseded"));
}

TEST_F(MergeQueueTest, APullRequestIsNotComparedWithAGroup) {
  UploadGroup(kFirst, kBase, 800);
  EXPECT_TRUE(Work());
  store::RunRecord run;
  run.project = kProject;
  run.commit = FakeForge::kHead;
  run.branch = "topic";
  run.pull_request = "17";
  run.base_commit = kFirst;
  run.ancestors = {kBase};
  run.configuration = "k8-opt";
  Record(run, 800);
  EXPECT_TRUE(Work());
  EXPECT_EQ(CheckedCommit(), FakeForge::kHead);
  EXPECT_EQ(LastConclusion(), "failure");
}

TEST_F(MergeQueueTest, WithoutTheRightToPublishItTriesAgain) {
  Refuse("check-runs");
  UploadGroup(kFirst, kBase, 100);
  EXPECT_TRUE(Work());
  EXPECT_THAT(ends_, ElementsAre("again"));
}

}  // namespace

}  // namespace gprofhub::reporter
