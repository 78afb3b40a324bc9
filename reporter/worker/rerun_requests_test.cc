#include "reporter/worker/rerun_requests.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "reporter/forge/testing/fake_forge.h"
#include "reporter/worker/comment_commands.h"
#include "store/testing/temp_store.h"

namespace gprofhub::reporter {
namespace {

using ::testing::HasSubstr;
using Start = store::RerunRequestRecord::Start;

constexpr char kJob[] = "profiles";
const absl::Time kNow = absl::FromUnixSeconds(1700000000);
const absl::Duration kPatience = absl::Hours(24);

class RerunRequestsTest : public testing::Test {
 protected:
  RerunRequestsTest() {
    fake_->writers = {"maintainer"};
    fake_->AddJob(kJob);
    pull_request_ = *forge_->ReadPullRequest("17");
    run_ = RecordRun("first", store::RerunRole::kNone);
    report_.add_reruns()->set_runs(2);
  }

  // A run of the head.
  store::RunRecord RecordRun(const std::string& key, store::RerunRole role) {
    store::NewExecution execution;
    execution.run.project = "db";
    execution.run.run_key = key;
    execution.run.commit = FakeForge::kHead;
    execution.run.pull_request = "17";
    execution.run.ci_link = fake_->LinkOf(fake_->jobs[0]);
    execution.run.rerun = role;
    execution.run.started = kNow;
    execution.execution.target = "//db:test";
    const auto recorded = store_.ingest.RecordExecution(execution, kNow);
    EXPECT_TRUE(recorded.ok()) << recorded.status();
    return *store_.reading.ReadRun(recorded->run_id);
  }

  void Ask(const std::string& author) {
    fake_->AddComment(author, "/gprofhub rerun");
    ASSERT_TRUE(TakeCommentCommands(store_.gate, *forge_, pull_request_, run_, kNow).ok());
  }

  OpenRerun Settle(const std::string& job = kJob, absl::Time now = kNow) {
    const auto open =
        SettleRerunRequest(store_.gate, *forge_, pull_request_, run_, report_, job, now, kPatience);
    EXPECT_TRUE(open.ok()) << open.status();
    return open.ok() ? *open : OpenRerun();
  }

  int Starts() const { return fake_->jobs[0].starts; }

  std::unique_ptr<FakeForge> fake_ = MakeFakeGitHub(/*app=*/true);
  std::unique_ptr<Forge> forge_ = fake_->Client();
  const store::Store store_ = store::MakeTempStore();
  PullRequest pull_request_;
  store::RunRecord run_;
  v1::Report report_;
};

TEST_F(RerunRequestsTest, NobodyAsked) {
  EXPECT_FALSE(Settle().request.has_value());
  EXPECT_EQ(Starts(), 0);
}

TEST_F(RerunRequestsTest, WhoMayNotWriteAsksInVain) {
  Ask("passer-by");
  EXPECT_FALSE(Settle().request.has_value());
  EXPECT_EQ(Starts(), 0);
}

TEST_F(RerunRequestsTest, TheJobIsStartedOnceForARequest) {
  Ask("maintainer");
  OpenRerun open = Settle();
  ASSERT_TRUE(open.request.has_value());
  EXPECT_EQ(open.request->author, "maintainer");
  EXPECT_EQ(open.request->run_id, run_.id);
  EXPECT_EQ(open.request->start, Start::kStarted);
  EXPECT_EQ(open.request->note, fake_->LinkOf(fake_->jobs[0]));
  fake_->jobs[0].ended = true;
  ASSERT_TRUE(TakeCommentCommands(store_.gate, *forge_, pull_request_, run_, kNow).ok());
  open = Settle();
  EXPECT_EQ(open.request->start, Start::kStarted) << "as it is kept";
  EXPECT_FALSE(open.to_start);
  EXPECT_EQ(Starts(), 1);
}

TEST_F(RerunRequestsTest, AnotherCommentStartsItAgain) {
  Ask("maintainer");
  Settle();
  fake_->jobs[0].ended = true;
  Ask("maintainer");
  Settle();
  EXPECT_EQ(Starts(), 2);
}

TEST_F(RerunRequestsTest, WithoutAJobInThePolicyNothingIsStarted) {
  Ask("maintainer");
  const OpenRerun open = Settle("");
  ASSERT_TRUE(open.request.has_value());
  EXPECT_EQ(open.request->start, Start::kNotTried);
  EXPECT_FALSE(open.to_start);
  EXPECT_EQ(Starts(), 0);
}

TEST_F(RerunRequestsTest, WhereNothingWouldBeDecidedNothingIsStarted) {
  Ask("maintainer");
  report_.clear_reruns();
  EXPECT_TRUE(Settle().request.has_value());
  EXPECT_EQ(Starts(), 0);
}

TEST_F(RerunRequestsTest, AJobThatRunsIsStartedOnceItHasEnded) {
  fake_->jobs[0].ended = false;
  Ask("maintainer");
  OpenRerun open = Settle();
  EXPECT_TRUE(open.to_start);
  EXPECT_EQ(open.request->start, Start::kNotTried);
  fake_->jobs[0].ended = true;
  open = Settle();
  EXPECT_FALSE(open.to_start);
  EXPECT_EQ(Starts(), 1);
}

TEST_F(RerunRequestsTest, PatienceWithAJobThatNeverEndsIsLimited) {
  fake_->jobs[0].ended = false;
  Ask("maintainer");
  const OpenRerun open = Settle(kJob, kNow + kPatience);
  EXPECT_FALSE(open.to_start);
  EXPECT_EQ(open.request->start, Start::kFailed);
  EXPECT_THAT(open.request->note, HasSubstr("has not ended"));
}

TEST_F(RerunRequestsTest, WhyItCouldNotBeStartedIsKept) {
  fake_->hook = [](const std::string& request) {
    return absl::StrContains(request, "/rerun") ? Trouble{403, {}, false} : Trouble{};
  };
  Ask("maintainer");
  EXPECT_EQ(Settle().request->start, Start::kFailed);
  fake_->hook = nullptr;
  const OpenRerun open = Settle();
  EXPECT_EQ(open.request->start, Start::kFailed) << "it is not tried for ever";
  EXPECT_THAT(open.request->note, HasSubstr("403"));
  EXPECT_EQ(Starts(), 0);
}

TEST_F(RerunRequestsTest, ARerunAnswersTheRequestAndANewHeadHasNone) {
  Ask("maintainer");
  store::RunRecord newer = run_;
  newer.commit = std::string(40, '3');
  std::swap(run_, newer);
  EXPECT_FALSE(Settle().request.has_value()) << "it was asked of another commit";
  std::swap(run_, newer);
  EXPECT_TRUE(Settle().request.has_value());
  RecordRun("again", store::RerunRole::kRerun);
  EXPECT_FALSE(Settle().request.has_value());
}

}  // namespace
}  // namespace gprofhub::reporter
