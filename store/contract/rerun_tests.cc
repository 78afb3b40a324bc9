// Contract tests: requests to run tests again, and their requesters.
#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "store/contract/helpers.h"

namespace gprofhub::store {

namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using Start = RerunRequestRecord::Start;

NewExecution WithRole(const std::string& run_key, RerunRole role,
                      const std::string& target = "//db:query_test") {
  NewExecution execution = MakeExecution(run_key);
  execution.run.rerun = role;
  execution.execution.target = target;
  return execution;
}

RerunRequestRecord MakeRequest(int64_t run_id) {
  RerunRequestRecord record;
  record.project = "sqlite";
  record.pull_request = "17";
  record.commit = MakeExecution().run.commit;
  record.run_id = run_id;
  record.author = "somebody \xE2\x82\xAC";
  record.source = "comment/17/1/rerun";
  record.created = kNow;
  return record;
}

TEST_P(StoreContractTest, ARunKeepsWhatItIsToOtherRunsOfItsCommit) {
  for (const RerunRole role : {RerunRole::kNone, RerunRole::kExpected, RerunRole::kRerun}) {
    const std::string key = absl::StrCat("run-", static_cast<int>(role));
    const int64_t id = Record(*store_, WithRole(key, role)).run_id;
    EXPECT_EQ(store_->reading.ReadRun(id)->rerun, role) << key;
  }
}

TEST_P(StoreContractTest, OnlyRunsThatAreRerunsAreCountedAndTheirTargets) {
  EXPECT_EQ(store_->reading.CountReruns("sqlite")->runs, 0u) << "of a project without runs, too";
  Record(*store_, WithRole("first", RerunRole::kNone));
  Record(*store_, WithRole("announced", RerunRole::kExpected));
  Record(*store_, WithRole("again", RerunRole::kRerun));
  Record(*store_, WithRole("again", RerunRole::kRerun, "//db:other_test"));
  NewExecution second = WithRole("again", RerunRole::kRerun);
  second.execution.run_number = 2;
  Record(*store_, second);
  Record(*store_, WithRole("once more", RerunRole::kRerun));
  NewExecution elsewhere = WithRole("again", RerunRole::kRerun);
  elsewhere.run.project = "other";
  Record(*store_, elsewhere);

  const auto count = store_->reading.CountReruns("sqlite");
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(count->runs, 2u);
  EXPECT_EQ(count->targets, 3u) << "two runs of one target in one rerun are one";
  EXPECT_EQ(count->requests, 0u) << "nobody asked";
  EXPECT_EQ(store_->reading.CountReruns("other")->runs, 1u);
  EXPECT_EQ(Code(store_->reading.CountReruns("")), absl::StatusCode::kInvalidArgument);
}

TEST_P(StoreContractTest, KeepsEveryFieldOfARequestToRunAgain) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  const RerunRequestRecord given = MakeRequest(run_id);
  const absl::StatusOr<int64_t> id = store_->gate.AddRerunRequest(given);
  ASSERT_TRUE(id.ok()) << id.status();
  const auto records = store_->gate.ListRerunRequests("sqlite", "17");
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_THAT(*records, SizeIs(1));
  const RerunRequestRecord& record = records->front();
  EXPECT_EQ(record.id, *id);
  EXPECT_EQ(record.project, given.project);
  EXPECT_EQ(record.pull_request, given.pull_request);
  EXPECT_EQ(record.commit, given.commit);
  EXPECT_EQ(record.run_id, run_id);
  EXPECT_EQ(record.author, given.author);
  EXPECT_EQ(record.source, given.source);
  EXPECT_EQ(record.created, given.created);
  EXPECT_EQ(record.start, Start::kNotTried);
  EXPECT_EQ(record.note, "");
  EXPECT_FALSE(record.answered);
  EXPECT_THAT(*store_->gate.ListRerunRequests("sqlite", "18"), IsEmpty());
  EXPECT_THAT(*store_->gate.ListRerunRequests("other", "17"), IsEmpty());
  EXPECT_EQ(store_->reading.CountReruns("sqlite")->requests, 1u);
  EXPECT_EQ(store_->reading.CountReruns("other")->requests, 0u);
}

TEST_P(StoreContractTest, ARequestToRunAgainIsKeptOnceHoweverOftenItIsRead) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  RerunRequestRecord record = MakeRequest(run_id);
  const int64_t id = *store_->gate.AddRerunRequest(record);
  record.author = "somebody else";
  EXPECT_EQ(*store_->gate.AddRerunRequest(record), id);
  record.source = "comment/17/2/rerun";
  EXPECT_NE(*store_->gate.AddRerunRequest(record), id);
  const auto records = *store_->gate.ListRerunRequests("sqlite", "17");
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].author, MakeRequest(run_id).author) << "as it was said first";
  EXPECT_EQ(store_->reading.CountReruns("sqlite")->requests, 2u);
}

TEST_P(StoreContractTest, ARequestToRunAgainGoesWithItsRun) {
  const int64_t run_id = Record(*store_, WithRole("first", RerunRole::kNone)).run_id;
  ASSERT_TRUE(store_->gate.AddRerunRequest(MakeRequest(run_id)).ok());
  EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, Actor(), kNow));
  EXPECT_THAT(*store_->gate.ListRerunRequests("sqlite", "17"), IsEmpty());
}

TEST_P(StoreContractTest, WhatBecameOfStartingTheJobIsKept) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  const int64_t id = *store_->gate.AddRerunRequest(MakeRequest(run_id));
  EXPECT_OK(store_->gate.NoteRerunStart(id, Start::kFailed, std::string("no\0 right", 9)));
  EXPECT_EQ(store_->gate.ListRerunRequests("sqlite", "17")->front().start, Start::kFailed);
  EXPECT_EQ(store_->gate.ListRerunRequests("sqlite", "17")->front().note, "no? right");
  EXPECT_OK(store_->gate.NoteRerunStart(id, Start::kStarted, "https://ci.example/5"));
  EXPECT_EQ(store_->gate.ListRerunRequests("sqlite", "17")->front().start, Start::kStarted);
  EXPECT_EQ(store_->gate.ListRerunRequests("sqlite", "17")->front().note, "https://ci.example/5");
  EXPECT_EQ(Code(store_->gate.NoteRerunStart(id + 1, Start::kStarted, "")),
            absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, ALaterRerunOfTheCommitAnswersARequest) {
  Record(*store_, WithRole("rerun before", RerunRole::kRerun));
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  ASSERT_TRUE(store_->gate.AddRerunRequest(MakeRequest(run_id)).ok());
  const auto answered = [this] {
    return store_->gate.ListRerunRequests("sqlite", "17")->front().answered;
  };
  EXPECT_FALSE(answered()) << "the rerun was before";
  Record(*store_, WithRole("another run", RerunRole::kExpected));
  NewExecution other = WithRole("of another commit", RerunRole::kRerun);
  other.run.commit = "2222222222222222222222222222222222222222";
  Record(*store_, other);
  other = WithRole("of another project", RerunRole::kRerun);
  other.run.project = "other";
  Record(*store_, other);
  EXPECT_FALSE(answered());
  Record(*store_, WithRole("the rerun", RerunRole::kRerun));
  EXPECT_TRUE(answered());
}

TEST_P(StoreContractTest, ARequestToRunAgainThatCannotBeStoredIsAnInvalidArgument) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  for (std::string RerunRequestRecord::*field :
       {&RerunRequestRecord::project, &RerunRequestRecord::pull_request,
        &RerunRequestRecord::commit, &RerunRequestRecord::author, &RerunRequestRecord::source}) {
    for (const std::string& bad : {std::string(), std::string(1001, 'x'), std::string("\0", 1)}) {
      RerunRequestRecord record = MakeRequest(run_id);
      record.*field = bad;
      EXPECT_EQ(Code(store_->gate.AddRerunRequest(record)), absl::StatusCode::kInvalidArgument);
    }
  }
  EXPECT_THAT(*store_->gate.ListRerunRequests("sqlite", "17"), IsEmpty());
}

}  // namespace

}  // namespace gprofhub::store
