#include "reporter/queries/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/testing/temp_store.h"

namespace gprofhub::reporter {

namespace {

using ::testing::HasSubstr;

constexpr char kProject[] = "db";
const absl::Time kNow = absl::FromUnixSeconds(1700000000);

absl::Status AnyRun(const store::RunRecord&) { return absl::OkStatus(); }

std::string Hash(char digit) { return std::string(40, digit); }

class FollowUpsTest : public testing::Test {
 protected:
  int64_t RecordRun(const std::string& key, const std::string& commit,
                    const std::string& pull_request,
                    store::RerunRole rerun = store::RerunRole::kNone,
                    const std::vector<std::string>& ancestors = {}) {
    store::NewExecution execution;
    execution.run.project = kProject;
    execution.run.run_key = key;
    execution.run.commit = commit;
    execution.run.pull_request = pull_request;
    execution.run.ancestors = ancestors;
    execution.run.rerun = rerun;
    execution.run.started = kNow;
    execution.execution.target = "//db:test";
    const auto recorded = store_.ingest.RecordExecution(execution, kNow);
    EXPECT_TRUE(recorded.ok()) << recorded.status();
    return recorded.ok() ? recorded->run_id : 0;
  }

  void Ask(int64_t run_id, const std::string& commit, const std::string& author) {
    store::RerunRequestRecord record;
    record.project = kProject;
    record.pull_request = "17";
    record.commit = commit;
    record.run_id = run_id;
    record.author = author;
    record.source = absl::StrCat("comment/", author);
    record.created = kNow;
    ASSERT_TRUE(store_.gate.AddRerunRequest(record).ok());
  }

  v1::AskedRerun Asked(const std::string& run) {
    v1::GetAskedRerunRequest request;
    request.set_project(kProject);
    request.set_run(run);
    const auto asked = GetAskedRerun(store_.reading, store_.gate, request);
    EXPECT_TRUE(asked.ok()) << asked.status();
    return asked.ok() ? *asked : v1::AskedRerun();
  }

  static v1::RecordCulpritRequest Found(const std::string& commit) {
    v1::RecordCulpritRequest request;
    request.set_project(kProject);
    request.set_target("//db:test");
    request.set_function("parse");
    request.set_caller("main");
    request.set_base_commit(Hash('a'));
    request.set_head_commit(Hash('d'));
    request.mutable_culprit()->set_commit(commit);
    request.mutable_culprit()->set_author("A. Uthor");
    request.mutable_culprit()->set_date("2026-11-23");
    request.mutable_culprit()->set_subject("Look each word up twice");
    return request;
  }

  void Record(const v1::RecordCulpritRequest& request, absl::Time now = kNow) {
    const auto recorded = RecordCulprit(store_.gate, request, {}, now);
    ASSERT_TRUE(recorded.ok()) << recorded.status();
  }

  // The culprit of a change of the calls from main to parse between two commits; empty: none.
  std::string CulpritOf(const std::string& before, const std::string& last,
                        const std::string& run_id = "", const std::string& caller = "main") {
    v1::GetChangesResponse changes;
    v1::ChangeEvent& event = *changes.add_events();
    event.mutable_last_before()->set_commit(before);
    event.mutable_first_after()->set_commit(last);
    event.mutable_first_after()->set_run_id(run_id);
    event.mutable_cause()->set_metric(v1::Finding::CALLS);
    event.mutable_cause()->set_function("parse");
    event.mutable_cause()->set_caller(caller);
    event.mutable_cause()->set_target("//db:other");
    event.add_targets("//db:other");
    event.add_targets("//db:test");
    const absl::Status added = AddCulprits(store_.reading, store_.gate, kProject, changes);
    EXPECT_TRUE(added.ok()) << added;
    return changes.events(0).culprit().commit();
  }

  const store::Store store_ = store::MakeTempStore();
};

TEST_F(FollowUpsTest, SaysWhoAskedForARerunOfACommitUntilOneComes) {
  RecordRun("main", Hash('a'), "");
  const int64_t run_id = RecordRun("first", Hash('b'), "!17");
  const int64_t newer = RecordRun("second", Hash('b'), "!17");
  EXPECT_EQ(Asked(Hash('b')).author(), "");
  Ask(run_id, Hash('b'), "ada");
  Ask(run_id, Hash('c'), "grace");
  EXPECT_EQ(Asked(Hash('b')).author(), "ada");
  EXPECT_EQ(Asked(Hash('b')).run_id(), absl::StrCat(newer)) << "the commit's newest";
  EXPECT_EQ(Asked(Hash('b')).created_unix_ms(), 1700000000000);
  EXPECT_EQ(Asked(absl::StrCat(run_id)).author(), "ada");
  EXPECT_EQ(Asked(Hash('a')).author(), "") << "of no pull request";
  RecordRun("again", Hash('b'), "!17", store::RerunRole::kRerun);
  EXPECT_EQ(Asked(Hash('b')).author(), "");
}

TEST_F(FollowUpsTest, ACommitWithoutARunIsNotFound) {
  RecordRun("main", Hash('a'), "");
  v1::GetAskedRerunRequest request;
  request.set_project(kProject);
  request.set_run(Hash('b'));
  EXPECT_EQ(GetAskedRerun(store_.reading, store_.gate, request).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(FollowUpsTest, TheChangeWhoseRangeWasSearchedGetsItsCommit) {
  EXPECT_EQ(CulpritOf(Hash('a'), Hash('d')), "");
  Record(Found(Hash('c')));
  EXPECT_EQ(CulpritOf(Hash('a'), Hash('d')), Hash('c'));
  EXPECT_EQ(CulpritOf(Hash('a'), Hash('d'), "", "elsewhere"), "") << "other calls";
  EXPECT_EQ(CulpritOf(Hash('d'), Hash('e')), "") << "another range";
}

TEST_F(FollowUpsTest, TheNewestSearchCounts) {
  Record(Found(Hash('c')));
  v1::RecordCulpritRequest other = Found(Hash('b'));
  other.set_target("//db:other");
  Record(other, kNow + absl::Hours(1));
  EXPECT_EQ(CulpritOf(Hash('a'), Hash('d')), Hash('b'));
}

TEST_F(FollowUpsTest, ACommitInTheRangeCountsWhateverRangeWasSearched) {
  Record(Found(Hash('c')));
  const int64_t run_id = RecordRun("later", Hash('e'), "", store::RerunRole::kNone,
                                   {Hash('d'), Hash('c'), Hash('b'), Hash('a')});
  EXPECT_EQ(CulpritOf(Hash('b'), Hash('e'), absl::StrCat(run_id)), Hash('c'));
  EXPECT_EQ(CulpritOf(Hash('c'), Hash('e'), absl::StrCat(run_id)), "") << "it was before";
  EXPECT_EQ(CulpritOf(Hash('b'), Hash('c')), Hash('c')) << "the range was narrowed to it";
}

TEST_F(FollowUpsTest, ACulpritNeedsFullHashes) {
  for (const std::string& bad : {std::string(), std::string("c0ffee1"), Hash('G'),
                                 std::string("HEAD"), absl::StrCat(Hash('c'), "\n")}) {
    const absl::Status status = RecordCulprit(store_.gate, Found(bad), {}, kNow).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(status.message()), HasSubstr("culprit.commit"));
  }
  v1::RecordCulpritRequest request = Found(Hash('c'));
  request.set_function("");
  EXPECT_EQ(RecordCulprit(store_.gate, request, {}, kNow).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(store_.gate.ListCulprits(kProject)->empty());
}

class GateHandlersTest : public testing::Test {
 protected:
  void SetUp() override {
    request_.set_project("acme/db");
    v1::Acknowledgement& said = *request_.mutable_acknowledgement();
    said.set_pull_request("17");
    said.set_function("json*");
    said.set_target("//db:query_test");
    said.set_author("somebody");
    said.set_reason("the cache");
    said.set_not_a_regression(true);
    said.set_expires_unix_ms(absl::ToUnixMillis(kNow + absl::Hours(1)));
  }

  const store::Store store_ = store::MakeTempStore();
  v1::AcknowledgeRequest request_;
};

TEST_F(GateHandlersTest, AnAcknowledgementIsKeptAndListed) {
  const auto made = Acknowledge(store_.gate, request_, {}, kNow);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->created_unix_ms(), absl::ToUnixMillis(kNow));
  v1::ListAcknowledgementsRequest list;
  list.set_project("acme/db");
  const auto listed = ListAcknowledgements(store_.gate, list);
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->acknowledgements_size(), 1);
  EXPECT_EQ(listed->acknowledgements(0).SerializeAsString(), made->SerializeAsString());
  const store::AcknowledgementRecord record = ToRecord(listed->acknowledgements(0));
  EXPECT_EQ(record.function, "json*");
  EXPECT_EQ(record.expires, kNow + absl::Hours(1));
}

TEST_F(GateHandlersTest, WhoSaysItIsWhoCallsWhateverTheRequestSays) {
  const auto made = Acknowledge(store_.gate, request_, {"ci (token 3)", "192.0.2.7:1", 3}, kNow);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->author(), "ci (token 3)");
  EXPECT_EQ(store_.gate.ListAcknowledgements("acme/db")->front().author, "ci (token 3)");
  EXPECT_EQ(store_.gate.ListAcknowledgements("acme/db")->front().token_id, 3);
}

TEST_F(GateHandlersTest, OnlyWhoSaidItOrAnAdminTakesItBack) {
  const store::Actor ci = {"ci (token 3)", "192.0.2.7:1", 3};
  const auto made = Acknowledge(store_.gate, request_, ci, kNow);
  ASSERT_TRUE(made.ok()) << made.status();
  v1::TakeBackAcknowledgementRequest request;
  request.set_project("acme/db");
  request.set_id(made->id() + 1);
  const auto take_back = [&](const store::Actor& by, bool anybodys) {
    return TakeBackAcknowledgement(store_.gate, request, by, anybodys, kNow);
  };
  EXPECT_TRUE(absl::IsNotFound(take_back(ci, true).status()));
  request.set_id(made->id());
  EXPECT_TRUE(absl::IsPermissionDenied(take_back({"other (token 4)", "", 4}, false).status()));
  EXPECT_TRUE(absl::IsPermissionDenied(take_back({"an ID token", "", 0}, false).status()));
  const auto taken = take_back(ci, false);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->taken_back_by(), "ci (token 3)");
  EXPECT_EQ(taken->taken_back_unix_ms(), absl::ToUnixMillis(kNow));
  v1::ListAcknowledgementsRequest list;
  list.set_project("acme/db");
  EXPECT_EQ(ListAcknowledgements(store_.gate, list)->acknowledgements_size(), 0);
  list.set_with_taken_back(true);
  EXPECT_EQ(ListAcknowledgements(store_.gate, list)->acknowledgements_size(), 1);

  request_.mutable_acknowledgement()->set_function("another");
  request.set_id(Acknowledge(store_.gate, request_, ci, kNow)->id());
  EXPECT_TRUE(take_back({"admin (token 5)", "", 5}, true).ok());
}

TEST_F(GateHandlersTest, ZeroIsNever) {
  request_.mutable_acknowledgement()->set_expires_unix_ms(0);
  const auto made = Acknowledge(store_.gate, request_, {}, kNow);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->expires_unix_ms(), 0);
  EXPECT_EQ(ToRecord(*made).expires, absl::InfiniteFuture());
}

TEST_F(GateHandlersTest, WhatIsOverOrSaysNothingIsRefused) {
  v1::AcknowledgeRequest over = request_;
  over.mutable_acknowledgement()->set_expires_unix_ms(absl::ToUnixMillis(kNow));
  EXPECT_TRUE(absl::IsInvalidArgument(Acknowledge(store_.gate, over, {}, kNow).status()));
  v1::AcknowledgeRequest silent = request_;
  silent.mutable_acknowledgement()->clear_reason();
  EXPECT_TRUE(absl::IsInvalidArgument(Acknowledge(store_.gate, silent, {}, kNow).status()));
}

TEST_F(GateHandlersTest, OnlyRunsOfTheProjectAreCounted) {
  v1::RecordGatedRequest request;
  request.set_project("acme/db");
  request.set_run("1");
  request.add_gated()->set_rule("more-work");
  EXPECT_TRUE(absl::IsNotFound(RecordGated(store_.reading, store_.gate, request, AnyRun).status()));
  for (int i = 0; i < 10'000; ++i) request.add_gated();
  EXPECT_TRUE(
      absl::IsInvalidArgument(RecordGated(store_.reading, store_.gate, request, AnyRun).status()));
}

TEST_F(GateHandlersTest, WithoutReportsThereAreNoStats) {
  v1::GetGateStatsRequest request;
  request.set_project("acme/db");
  const auto stats = GetGateStats(store_.reading, store_.gate, request);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->rules_size(), 0);
}

}  // namespace

}  // namespace gprofhub::reporter
