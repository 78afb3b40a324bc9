#include "reporter/worker/comment_commands.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "reporter/testing/fake_forge.h"
#include "store/testing/temp_store.h"

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kProject[] = "acme/db";
const absl::Time kNow = absl::FromUnixSeconds(1700000000);

class TakeCommentCommandsTest : public testing::Test {
 protected:
  TakeCommentCommandsTest() {
    fake_->writers = {"maintainer", "owner"};
    pull_request_.number = "17";
    pull_request_.target_branch = "main";
    run_.project = kProject;
    run_.commit = FakeForge::kHead;
  }

  absl::Status Take(absl::Time now = kNow) {
    return TakeCommentCommands(store_.gate, *forge_, pull_request_, run_, now, refusals_);
  }

  std::vector<store::AcknowledgementRecord> Kept() {
    const auto kept = store_.gate.ListAcknowledgements(kProject);
    EXPECT_TRUE(kept.ok()) << kept.status();
    return kept.ok() ? *kept : std::vector<store::AcknowledgementRecord>();
  }

  std::vector<std::string> KeptFunctions() {
    std::vector<std::string> functions;
    for (const store::AcknowledgementRecord& record : Kept()) functions.push_back(record.function);
    return functions;
  }

  std::unique_ptr<FakeForge> fake_ = MakeFakeGitHub(/*app=*/true);
  std::unique_ptr<Forge> forge_ = fake_->Client();
  const store::Store store_ = store::MakeTempStore();
  PullRequest pull_request_;
  store::RunRecord run_;
  Refusals refusals_;
};

TEST_F(TakeCommentCommandsTest, RefusalsAreNamedAndTemporaryErrorsReturned) {
  fake_->AddComment("maintainer", "/gprofhub ack f reason");
  for (const char* path : {"/permission", "/issues/17/comments"}) {
    for (const int status : {401, 403, 410, 422}) {
      fake_->hook = [=](const std::string& request) {
        return Trouble{absl::StrContains(request, path) ? status : 0, {}, false};
      };
      refusals_ = Refusals();
      const absl::Status taken = Take();
      EXPECT_TRUE(taken.ok()) << taken;
      // GitHub answers 404 and 410 of an account that is no collaborator.
      EXPECT_EQ(refusals_.empty(), status == 410 && path[1] == 'p') << path << " " << status;
    }
    fake_->hook = [=](const std::string& request) {
      return Trouble{absl::StrContains(request, path) ? 503 : 0, {}, false};
    };
    EXPECT_TRUE(absl::IsUnavailable(Take()));
  }
  EXPECT_THAT(Kept(), IsEmpty());
  fake_->hook = nullptr;
  EXPECT_TRUE(Take().ok());
  EXPECT_THAT(KeptFunctions(), ElementsAre("f"));
}

TEST_F(TakeCommentCommandsTest, KeepsWhatWhoMayWriteSays) {
  fake_->AddComment("maintainer",
                    "Fine.\n/gprofhub ack `parse(int)` the new syntax\n"
                    "/gprofhub not-a-regression lex noise");
  ASSERT_TRUE(Take().ok());
  const std::vector<store::AcknowledgementRecord> kept = Kept();
  ASSERT_THAT(kept, SizeIs(2));
  EXPECT_EQ(kept[0].project, kProject);
  EXPECT_EQ(kept[0].pull_request, "17");
  EXPECT_EQ(kept[0].function, "parse(int)");
  EXPECT_EQ(kept[0].target, "") << "of all targets";
  EXPECT_EQ(kept[0].author, "maintainer");
  EXPECT_EQ(kept[0].reason, "the new syntax");
  EXPECT_FALSE(kept[0].not_a_regression);
  EXPECT_EQ(kept[0].created, kNow);
  EXPECT_EQ(kept[0].expires, absl::InfiniteFuture());
  EXPECT_EQ(kept[1].function, "lex");
  EXPECT_TRUE(kept[1].not_a_regression);
}

TEST_F(TakeCommentCommandsTest, OfOthersItKeepsNothing) {
  fake_->AddComment("passer-by", "/gprofhub ack f I want it merged");
  fake_->AddComment("owner", "/gprofhub ack h yes");
  ASSERT_TRUE(Take().ok());
  EXPECT_THAT(KeptFunctions(), ElementsAre("h"));
}

// GitHub has no user for a deleted account; a name is no path.
TEST_F(TakeCommentCommandsTest, NamesThatAreNoAccountHaveNoRights) {
  for (const char* author : {"", "..", "../..", "maintainer/../owner", "owner?x", "owner#",
                             "%6fwner", "owner ", "maintainer\nowner", "dependabot[bot]"}) {
    fake_->AddComment(author, "/gprofhub ack f I want it merged");
  }
  ASSERT_TRUE(Take().ok());
  EXPECT_THAT(Kept(), IsEmpty());
  EXPECT_TRUE(refusals_.empty()) << refusals_.ToString();
}

TEST_F(TakeCommentCommandsTest, WhatTheReporterWroteItselfIsNoCommand) {
  fake_->writers.push_back("gprofhub[bot]");  // GitHub's name of the App
  fake_->AddComment(FakeForge::kSelf, "/gprofhub ack g as quoted in a report");
  fake_->AddComment("owner", "/gprofhub ack h yes");
  ASSERT_TRUE(Take().ok());
  EXPECT_THAT(KeptFunctions(), ElementsAre("h"));
}

TEST_F(TakeCommentCommandsTest, WhoIsAllowedToWriteLaterIsHeardLater) {
  fake_->AddComment("passer-by", "/gprofhub ack f I want it merged");
  ASSERT_TRUE(Take().ok());
  EXPECT_THAT(Kept(), IsEmpty());
  fake_->writers.push_back("passer-by");
  ASSERT_TRUE(Take().ok());
  EXPECT_THAT(KeptFunctions(), ElementsAre("f"));
}

TEST_F(TakeCommentCommandsTest, ACommandIsKeptOnceHoweverOftenItIsRead) {
  fake_->AddComment("maintainer", "/gprofhub ack f because\n/gprofhub ack g because");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Take(kNow + absl::Hours(i)).ok());
  EXPECT_THAT(KeptFunctions(), ElementsAre("f", "g"));
  EXPECT_EQ(Kept()[0].created, kNow);
}

TEST_F(TakeCommentCommandsTest, TheSameCommandInAnotherCommentIsAnother) {
  fake_->AddComment("maintainer", "/gprofhub ack f because");
  fake_->AddComment("owner", "/gprofhub ack f I agree");
  ASSERT_TRUE(Take().ok());
  EXPECT_THAT(KeptFunctions(), ElementsAre("f", "f"));
}

TEST_F(TakeCommentCommandsTest, DeletingTheCommentDoesNotTakeACommandBack) {
  fake_->AddComment("maintainer", "/gprofhub ack f because");
  ASSERT_TRUE(Take().ok());
  fake_->comments.clear();
  ASSERT_TRUE(Take().ok());
  EXPECT_THAT(KeptFunctions(), ElementsAre("f"));
}

TEST_F(TakeCommentCommandsTest, ACommandThatAnEditAddsIsKeptAndTheOthersAreNotKeptAgain) {
  fake_->AddComment("maintainer", "/gprofhub ack f because");
  ASSERT_TRUE(Take().ok());
  fake_->comments[0].body = "/gprofhub ack g because\n/gprofhub ack f because of this";
  ASSERT_TRUE(Take().ok());
  EXPECT_THAT(KeptFunctions(), ElementsAre("f", "g"));
  EXPECT_EQ(Kept()[0].reason, "because") << "as it was said first";
}

TEST_F(TakeCommentCommandsTest, AFunctionThatAnEditCorrectsIsHeard) {
  fake_->AddComment("maintainer", "/gprofhub ack prase because");
  ASSERT_TRUE(Take().ok());
  fake_->comments[0].body = "/gprofhub ack parse because";
  ASSERT_TRUE(Take().ok());
  EXPECT_THAT(KeptFunctions(), ElementsAre("prase", "parse"));
}

TEST_F(TakeCommentCommandsTest, AnotherVerdictIsAnotherCommand) {
  fake_->AddComment("maintainer", "/gprofhub ack f because");
  ASSERT_TRUE(Take().ok());
  fake_->comments[0].body = "/gprofhub not-a-regression f because";
  ASSERT_TRUE(Take().ok());
  const std::vector<store::AcknowledgementRecord> kept = Kept();
  ASSERT_THAT(kept, SizeIs(2));
  EXPECT_TRUE(kept[1].not_a_regression);
}

TEST_F(TakeCommentCommandsTest, TheForgeIsAskedOncePerAuthorAndOnlyAboutCommands) {
  fake_->AddComment("maintainer", "/gprofhub ack f because\n/gprofhub ack g because");
  fake_->AddComment("maintainer", "/gprofhub ack h because");
  fake_->AddComment("passer-by", "nice work");
  fake_->requests.clear();
  ASSERT_TRUE(Take().ok());
  ASSERT_TRUE(Take().ok());
  std::vector<std::string> asked;
  for (const std::string& request : fake_->requests) {
    if (absl::StrContains(request, "permission")) asked.push_back(request);
  }
  EXPECT_THAT(asked, SizeIs(1)) << "what is kept already needs no question";
}

TEST_F(TakeCommentCommandsTest, ACommandThatCannotBeStoredHoldsUpNoOther) {
  std::string body = "/gprofhub ack f because\n/gprofhub ack h because";
  body.replace(body.find("f because"), 1, 1, '\0');
  fake_->AddComment("maintainer", body);
  ASSERT_TRUE(Take().ok());
  EXPECT_THAT(KeptFunctions(), ElementsAre("h"));
}

TEST_F(TakeCommentCommandsTest, ErrorsAreTheStores) {
  fake_->AddComment("maintainer", "/gprofhub ack f because");
  run_.project = "";
  EXPECT_EQ(Take().code(), absl::StatusCode::kInvalidArgument);
}

using ::testing::HasSubstr;
using Start = store::RerunRequestRecord::Start;

constexpr char kJob[] = "profiles";
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
    ASSERT_TRUE(
        TakeCommentCommands(store_.gate, *forge_, pull_request_, run_, kNow, refusals_).ok());
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
  Refusals refusals_;
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
  ASSERT_TRUE(TakeCommentCommands(store_.gate, *forge_, pull_request_, run_, kNow, refusals_).ok());
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
