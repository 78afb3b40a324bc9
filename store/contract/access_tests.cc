// Contract tests: access control and the audit log.
#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include "store/contract/helpers.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kDenied = absl::StatusCode::kPermissionDenied;

// The actions of the log, oldest first.
std::vector<std::string> Actions(const Store& store) {
  const absl::StatusOr<std::vector<AuditRecord>> records = store.audit.List({});
  EXPECT_TRUE(records.ok()) << records.status();
  std::vector<std::string> actions;
  if (records.ok()) {
    for (const AuditRecord& record : *records) actions.push_back(record.action);
  }
  return actions;
}

// ---- A run's trust ----

TEST_P(StoreContractTest, ARunsFirstUploadDecidesWhoseWordItIs) {
  struct Case {
    const char* name;
    void (*set)(RunRecord&);
  };
  const Case trusts[] = {
      {"main line", [](RunRecord&) {}},
      {"pull request", [](RunRecord& run) { run.pull_request = "17"; }},
      {"other pull request", [](RunRecord& run) { run.pull_request = "18"; }},
      {"fork", [](RunRecord& run) { run.from_fork = true; }},
      {"fork's pull request",
       [](RunRecord& run) {
         run.from_fork = true;
         run.pull_request = "17";
       }},
  };
  for (const Case& first : trusts) {
    NewExecution execution = MakeExecution(first.name);
    first.set(execution.run);
    const int64_t run_id = Record(*store_, execution).run_id;
    for (const Case& second : trusts) {
      SCOPED_TRACE(std::string(second.name) + " into the run of the " + first.name);
      NewExecution more = MakeExecution(first.name);
      second.set(more.run);
      more.execution.attempt = 2;
      const auto recorded = store_->ingest.RecordExecution(more, kNow);
      if (first.name == second.name) {
        EXPECT_TRUE(recorded.ok()) << recorded.status();
      } else {
        EXPECT_EQ(Code(recorded), kDenied);
        EXPECT_THAT(std::string(recorded.status().message()),
                    HasSubstr("according to its first upload"));
      }
    }
    EXPECT_EQ(OnlyTarget(*store_, run_id).executions, 2u);
  }
}

TEST_P(StoreContractTest, ACachedResultPrefersTheMainLinesMeasurementToThatOfAPullRequest) {
  NewExecution measured = MakeExecution("main line");
  measured.execution.test_binary_digest = "build-id:0a";
  Record(*store_, measured);
  NewExecution forged = MakeExecution("pull request, newer, says the same commit");
  forged.run.pull_request = "17";
  forged.execution.test_binary_digest = "build-id:0a";
  Record(*store_, forged);
  for (const std::string binary : {"build-id:0a", ""}) {
    NewExecution cached = MakeExecution("cached " + binary);
    cached.execution.cached = true;
    cached.execution.test_binary_digest = binary;
    cached.profiles.clear();
    cached.images.clear();
    cached.blobs.clear();
    const int64_t run_id = Record(*store_, cached).run_id;
    EXPECT_EQ(
        store_->reading.ReadTargetData(run_id, "//db:query_test")->profiles.at(0).profile.data,
        measured.profiles[0].data);
  }
}

// ---- Blobs ----

TEST_P(StoreContractTest, ToKnowABlobsNameIsNoRightToIt) {
  NewExecution ours = MakeExecution();
  Record(*store_, ours);
  const std::vector<BlobName> names = {ours.profiles[0].data, ours.images[0].bundle};
  EXPECT_THAT(*store_->blobs.FindMissing("sqlite", names), IsEmpty());
  EXPECT_EQ(*store_->blobs.FindMissing("thief", names), names);

  NewExecution theirs = MakeExecution();
  theirs.run.project = "thief";
  theirs.blobs.clear();
  EXPECT_EQ(Code(store_->ingest.RecordExecution(theirs, kNow)),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(*store_->blobs.FindMissing("thief", names), names);

  theirs.blobs = ours.blobs;
  Record(*store_, theirs);
  EXPECT_THAT(*store_->blobs.FindMissing("thief", names), IsEmpty()) << "it has sent the bytes";
  EXPECT_EQ(*store_->ingest.SentBytes("thief") + 1, *store_->ingest.SentBytes("sqlite"))
      << "the same blobs; a project's name is in its rows";
  EXPECT_GT(*store_->ingest.SentBytes("thief"), 0u);
  EXPECT_EQ(*store_->ingest.SentBytes("nobody"), 0u);
}

TEST_P(StoreContractTest, SentBytesIncludeTheRowsInBytes) {
  const auto sent = [&] { return static_cast<int64_t>(*store_->ingest.SentBytes("sqlite")); };
  NewExecution execution = MakeExecution();
  Record(*store_, execution);
  int64_t before = sent();
  // Its blobs are there.
  execution.execution.attempt = 2;
  Record(*store_, execution);
  EXPECT_GT(sent() - before, 300);
  EXPECT_LT(sent() - before, 2000);

  const auto grows_by = [&](const NewExecution& run) {
    before = sent();
    Record(*store_, run);
    return sent() - before;
  };
  NewExecution run = MakeExecution("run-1");
  run.run.run_key = "a";
  const int64_t least = grows_by(run);
  run.run.run_key = "b";
  run.run.commit_subject = "€€€€";  // three bytes each
  EXPECT_EQ(grows_by(run), least + 12);
  run.run.run_key = "c";
  run.run.ancestors = std::vector<std::string>(100, std::string(40, 'a'));
  EXPECT_GT(grows_by(run), least + 4000);
}

TEST_P(StoreContractTest, AnAnalysisGivesNoRightToWhatItMade) {
  Record(*store_, MakeExecution());
  const Job job = Claim(*store_);
  EXPECT_OK(store_->jobs.Complete(job, MakeResult(job, "the profile"), kNow));
  EXPECT_THAT(*store_->blobs.FindMissing("thief", {NameBlob("the profile")}), SizeIs(1));
}

// ---- Time ----

TEST_P(StoreContractTest, ACommitOfTheFutureIsNotNewestForEver) {
  NewExecution future = MakeExecution("future");
  future.run.committed = absl::FromUnixSeconds(253'000'000'000);  // about the year 9987
  const int64_t run_id = Record(*store_, future).run_id;
  NewExecution dated = MakeExecution("starts in the future");
  dated.run.committed = absl::UnixEpoch();
  dated.run.started = absl::FromUnixSeconds(253'000'000'000);
  Record(*store_, dated);
  NewExecution now = MakeExecution("now");
  now.run.committed = kNow + absl::Hours(1);
  Record(*store_, now, kNow + absl::Hours(1));
  RunFilter filter;
  filter.project = "sqlite";
  EXPECT_THAT(RunKeys(store_->reading.ListRuns(filter)),
              ElementsAre("now", "starts in the future", "future"));
  const absl::StatusOr<RunRecord> run = store_->reading.ReadRun(run_id);
  EXPECT_EQ(run->committed, future.run.committed) << "what was said is kept";
  EXPECT_EQ(run->ordered, kNow + kClockSkew);
}

// ---- Tokens ----

TEST_P(StoreContractTest, KeepsWhatATokenMayDoAndUntilWhen) {
  TokenRecord given = MakeToken("sqlite", "ci", "hash");
  given.expires = kNow + absl::Hours(24);
  const absl::StatusOr<TokenRecord> made = store_->tokens.Create(given, kSomebody);
  ASSERT_TRUE(made.ok()) << made.status();
  const TokenRecord found = *store_->tokens.Find("hash");
  EXPECT_EQ(found.scopes, "upload,read");
  EXPECT_EQ(found.expires, given.expires);
  EXPECT_EQ(found.created, kNow);
  EXPECT_EQ(found.last_used, absl::UnixEpoch());
  EXPECT_EQ(store_->tokens.Read(made->id)->token_sha256, "hash");
  EXPECT_EQ(Code(store_->tokens.Read(4711)), absl::StatusCode::kNotFound);
  EXPECT_OK(store_->tokens.SetScopes(made->id, "read", kSomebody, kNow));
  EXPECT_EQ(store_->tokens.Find("hash")->scopes, "read");
  EXPECT_EQ(Code(store_->tokens.SetScopes(4711, "read", kSomebody, kNow)),
            absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, ATokensUseIsKeptByTheHour) {
  const int64_t id = store_->tokens.Create(MakeToken("sqlite", "", "hash"), kSomebody)->id;
  EXPECT_OK(store_->tokens.KeepUse(id, kNow));
  EXPECT_EQ(store_->tokens.Read(id)->last_used, kNow);
  EXPECT_OK(store_->tokens.KeepUse(id, kNow + absl::Minutes(59)));
  EXPECT_EQ(store_->tokens.Read(id)->last_used, kNow);
  EXPECT_OK(store_->tokens.KeepUse(id, kNow + absl::Minutes(60)));
  EXPECT_EQ(store_->tokens.Read(id)->last_used, kNow + absl::Minutes(60));
}

TEST_P(StoreContractTest, ARotatedTokenGoesOnForAWhile) {
  const int64_t old = store_->tokens.Create(MakeToken("sqlite", "ci", "h1"), kSomebody)->id;
  const absl::Time end = kNow + absl::Hours(24 * 7);
  const auto made = store_->tokens.Rotate(old, MakeToken("sqlite", "ci", "h2"), end, kSomebody);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(store_->tokens.Find("h1")->expires, end);
  EXPECT_EQ(store_->tokens.Find("h1")->replaced_by, made->id);
  EXPECT_EQ(store_->tokens.Find("h2")->expires, absl::InfiniteFuture());
  EXPECT_EQ(Code(store_->tokens.Rotate(old, MakeToken("sqlite", "", "h3"), end, kSomebody)),
            absl::StatusCode::kFailedPrecondition)
      << "it was rotated before";
  const auto again = store_->tokens.Rotate(made->id, MakeToken("sqlite", "", "h1"), end, kSomebody);
  EXPECT_EQ(Code(again), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(store_->tokens.Find("h2")->expires, absl::InfiniteFuture()) << "nothing was done";
  EXPECT_OK(store_->tokens.Revoke(made->id, kSomebody, kNow));
  EXPECT_EQ(Code(store_->tokens.Rotate(made->id, MakeToken("sqlite", "", "h4"), end, kSomebody)),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Code(store_->tokens.Rotate(4711, MakeToken("sqlite", "", "h4"), end, kSomebody)),
            absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, ARotationDoesNotProlongATokensLife) {
  TokenRecord short_lived = MakeToken("sqlite", "", "h1");
  short_lived.expires = kNow + absl::Hours(1);
  const int64_t old = store_->tokens.Create(short_lived, kSomebody)->id;
  ASSERT_TRUE(
      store_->tokens.Rotate(old, MakeToken("sqlite", "", "h2"), kNow + absl::Hours(24), kSomebody)
          .ok());
  EXPECT_EQ(store_->tokens.Find("h1")->expires, short_lived.expires);
}

// ---- Acknowledgements ----

AcknowledgementRecord Said(const std::string& source) {
  AcknowledgementRecord record;
  record.project = "sqlite";
  record.function = "*";
  record.author = "ci (token 1)";
  record.reason = "why not";
  record.created = kNow;
  record.source = source;
  return record;
}

TEST_P(StoreContractTest, AnAcknowledgementTellsWhetherItsTokenWasRevoked) {
  const int64_t token = store_->tokens.Create(MakeToken("sqlite", "ci", "hash"), kSomebody)->id;
  ASSERT_TRUE(store_->gate.AddAcknowledgement(Said("1"), {"ci", "192.0.2.1", token}).ok());
  ASSERT_TRUE(store_->gate.AddAcknowledgement(Said("2"), kSomebody).ok());
  EXPECT_EQ(store_->gate.ListAcknowledgements("sqlite")->at(0).token_id, token);
  EXPECT_FALSE(store_->gate.ListAcknowledgements("sqlite")->at(0).token_revoked);
  EXPECT_OK(store_->tokens.Revoke(token, kSomebody, kNow));
  const auto records = store_->gate.ListAcknowledgements("sqlite");
  ASSERT_THAT(*records, SizeIs(2));
  EXPECT_TRUE(records->at(0).token_revoked);
  EXPECT_FALSE(records->at(1).token_revoked) << "it is no token's";
}

TEST_P(StoreContractTest, AnAcknowledgementThatWasTakenBackHoldsNoLongerAndIsKept) {
  const int64_t id = *store_->gate.AddAcknowledgement(Said("1"), kSomebody);
  EXPECT_EQ(Code(store_->gate.TakeBackAcknowledgement("other", id, kSomebody, kNow)),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->gate.ListAcknowledgements("sqlite")->at(0).taken_back, absl::InfiniteFuture());
  EXPECT_OK(store_->gate.TakeBackAcknowledgement("sqlite", id, kSomebody, kNow));
  EXPECT_OK(store_->gate.TakeBackAcknowledgement("sqlite", id, {"another", "", 0},
                                                 kNow + absl::Hours(1)));
  EXPECT_THAT(*store_->gate.ListAcknowledgements("sqlite"), IsEmpty());
  const auto all = store_->gate.ListAllAcknowledgements("sqlite");
  ASSERT_THAT(*all, SizeIs(1));
  EXPECT_EQ(all->at(0).taken_back, kNow);
  EXPECT_EQ(all->at(0).taken_back_by, "somebody");
  EXPECT_EQ(*store_->gate.AddAcknowledgement(Said("1"), kSomebody), id)
      << "the same word again does not make it hold";
  EXPECT_THAT(*store_->gate.ListAcknowledgements("sqlite"), IsEmpty());
  EXPECT_THAT(Actions(*store_), ElementsAre("acknowledgement.add", "acknowledgement.take-back"));
}

// ---- Removal ----

TEST_P(StoreContractTest, ADeletedRunIsGoneWithAllThatBelongsToIt) {
  const int64_t kept = Record(*store_, MakeExecution("kept")).run_id;
  NewExecution execution = MakeExecution("deleted");
  execution.run.pull_request = "17";
  const int64_t run_id = Record(*store_, execution).run_id;
  execution.execution.target = "//db:other_test";
  Record(*store_, execution);
  for (int i = 0; i < 2; ++i) {
    const Job job = Claim(*store_);
    EXPECT_OK(store_->jobs.Complete(job, MakeResult(job), kNow));
  }
  const Job leased = Claim(*store_);
  ASSERT_EQ(leased.run_id, run_id);
  EXPECT_OK(store_->gate.AddGated({{"sqlite", "17", "more-work", "//a:b", "f", "f", run_id}}));

  EXPECT_EQ(Code(store_->removal.DeleteRun("other", run_id, kSomebody, kNow)),
            absl::StatusCode::kNotFound);
  EXPECT_OK(store_->reading.ReadRun(run_id));
  EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kSomebody, kNow));
  EXPECT_EQ(Code(store_->reading.ReadRun(run_id)), absl::StatusCode::kNotFound);
  EXPECT_EQ(Code(store_->reading.ListTargets(run_id)), absl::StatusCode::kNotFound);
  EXPECT_THAT(*store_->gate.ListGated("sqlite"), IsEmpty());
  EXPECT_EQ(Code(store_->jobs.Complete(leased, MakeResult(leased), kNow)),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(NoJob(*store_));
  EXPECT_EQ(OnlyTarget(*store_, kept).state, TargetState::kAnalyzed);
  EXPECT_OK(store_->blobs.Read(execution.images[0].bundle));
  EXPECT_EQ(Code(store_->removal.DeleteRun("sqlite", run_id, kSomebody, kNow)),
            absl::StatusCode::kNotFound);
  EXPECT_FALSE(Record(*store_, execution).already_present) << "its key is free again";
}

TEST_P(StoreContractTest, TheRunsOfABranchAreFound) {
  const int64_t one = Record(*store_, MakeExecution("one")).run_id;
  NewExecution other = MakeExecution("other branch");
  other.run.branch = "feature";
  Record(*store_, other);
  other = MakeExecution("other project");
  other.run.project = "leveldb";
  Record(*store_, other);
  const int64_t two = Record(*store_, MakeExecution("two")).run_id;
  EXPECT_THAT(*store_->removal.RunsOfBranch("sqlite", "main"), ElementsAre(one, two));
  EXPECT_EQ(Code(store_->removal.RunsOfBranch("sqlite", "")), absl::StatusCode::kInvalidArgument);
}

TEST_P(StoreContractTest, ARunThatIsDeletedWhileItsShardsArriveLeavesWholeRunsOnly) {
  constexpr int kShards = 8;
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  std::vector<absl::Status> results(kShards);
  std::vector<std::thread> threads;
  for (int i = 0; i < kShards; ++i) {
    threads.emplace_back([&, i] {
      NewExecution execution = MakeExecution();
      execution.execution.shard = static_cast<uint32_t>(i + 2);
      results[i] = store_->ingest.RecordExecution(execution, kNow).status();
    });
  }
  const absl::Status deleted = store_->removal.DeleteRun("sqlite", run_id, kSomebody, kNow);
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(deleted.ok()) << deleted;
  for (const absl::Status& status : results) EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(Code(store_->reading.ReadRun(run_id)), absl::StatusCode::kNotFound);
}

// ---- The audit log ----

TEST_P(StoreContractTest, KeepsEveryFieldOfADeed) {
  const AuditRecord given = {0,
                             kNow,
                             "sqlite",
                             "ci (token 3)",
                             "192.0.2.7:4711",
                             "refused",
                             "uploads",
                             "17 times; '\xE2\x82\xAC'"};
  EXPECT_OK(store_->audit.Add({given}));
  const auto records = store_->audit.List({});
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_THAT(*records, SizeIs(1));
  const AuditRecord& record = records->front();
  EXPECT_GT(record.id, 0);
  EXPECT_EQ(record.time, kNow);
  EXPECT_EQ(record.project, given.project);
  EXPECT_EQ(record.actor, given.actor);
  EXPECT_EQ(record.origin, given.origin);
  EXPECT_EQ(record.action, given.action);
  EXPECT_EQ(record.subject, given.subject);
  EXPECT_EQ(record.detail, given.detail);
}

TEST_P(StoreContractTest, HostileDeedsAreMadeStorable) {
  EXPECT_OK(store_->audit.Add(
      {{0, kNow, std::string("a\0b", 3), "\xFF", "", std::string(2000, 'x'), "", ""}}));
  const AuditRecord record = store_->audit.List({})->front();
  EXPECT_EQ(record.project, "a?b");
  EXPECT_EQ(record.actor, "?");
  EXPECT_EQ(record.action, std::string(1000, 'x'));
}

TEST_P(StoreContractTest, TheLogIsReadByTimeAndProject) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_OK(store_->audit.Add({{0, kNow + absl::Seconds(i), i % 2 == 0 ? "even" : "odd", "", "",
                                  std::string(1, static_cast<char>('a' + i)), "", ""}}));
  }
  EXPECT_THAT(Actions(*store_), ElementsAre("a", "b", "c", "d"));
  const auto list = [this](const AuditFilter& filter) {
    std::string actions;
    const auto records = store_->audit.List(filter);
    for (const AuditRecord& record : *records) actions += record.action;
    return actions;
  };
  EXPECT_EQ(list({"odd", absl::InfinitePast(), 10}), "bd");
  EXPECT_EQ(list({"", kNow + absl::Seconds(2), 10}), "cd");
  EXPECT_EQ(list({"", absl::InfinitePast(), 3}), "bcd") << "the newest";
}

TEST_P(StoreContractTest, DeedsAreLoggedWithWhoDidThem) {
  NewExecution execution = MakeExecution();
  execution.sender = {"ci (token 3)", "192.0.2.7:4711", 3};
  const int64_t run_id = Record(*store_, execution).run_id;
  execution.execution.shard = 2;
  Record(*store_, execution);
  execution.execution.shard = 3;
  execution.sender = {"other (token 4)", "192.0.2.8:4711", 4};
  Record(*store_, execution);
  Record(*store_, execution);  // the same again
  const int64_t token = store_->tokens.Create(MakeToken("sqlite", "ci", "h1"), kSomebody)->id;
  EXPECT_OK(store_->tokens.SetScopes(token, "read", kSomebody, kNow));
  EXPECT_OK(store_->tokens.Rotate(token, MakeToken("sqlite", "ci", "h2"), kNow, kSomebody));
  EXPECT_OK(store_->tokens.Revoke(token, kSomebody, kNow));
  EXPECT_OK(store_->tokens.Revoke(token, kSomebody, kNow));  // changes nothing
  EXPECT_OK(store_->removal.DeleteRun("sqlite", run_id, kSomebody, kNow));
  EXPECT_THAT(Actions(*store_),
              ElementsAre("run.create", "run.extend", "token.create", "token.scope", "token.rotate",
                          "token.revoke", "run.delete"));
  const auto records = store_->audit.List({});
  EXPECT_EQ(records->at(0).actor, "ci (token 3)");
  EXPECT_EQ(records->at(0).origin, "192.0.2.7:4711");
  EXPECT_THAT(records->at(0).detail, HasSubstr("of the main line"));
  EXPECT_EQ(records->at(1).actor, "other (token 4)");
  EXPECT_THAT(records->at(6).detail, HasSubstr("sent by ci (token 3)"));
}

TEST_P(StoreContractTest, AnUploadThatFailsIsNoDeed) {
  NewExecution execution = MakeExecution();
  execution.blobs.clear();
  EXPECT_EQ(Code(store_->ingest.RecordExecution(execution, kNow)),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Actions(*store_), IsEmpty());
}

}  // namespace

}  // namespace gprofhub::store
