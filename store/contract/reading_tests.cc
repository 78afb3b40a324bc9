// Contract tests: runs, segments, tokens, and data that outlives a process.
#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/contract/helpers.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// ---- Runs ----

TEST_P(StoreContractTest, RunsAreListedNewestFirst) {
  NewExecution execution = MakeExecution("committed 3 h ago");
  execution.run.committed = kNow - absl::Hours(3);
  Record(*store_, execution);
  execution = MakeExecution("started 2 h ago, commit time unknown");
  execution.run.committed = absl::UnixEpoch();
  execution.run.started = kNow - absl::Hours(2);
  Record(*store_, execution);
  Record(*store_, MakeExecution("committed 1 h ago"));
  Record(*store_, MakeExecution("committed 1 h ago, recorded later"));
  RunFilter filter;
  filter.project = "sqlite";
  EXPECT_THAT(RunKeys(store_->reading.ListRuns(filter)),
              ElementsAre("committed 1 h ago, recorded later", "committed 1 h ago",
                          "started 2 h ago, commit time unknown", "committed 3 h ago"));
  filter.limit = 2;
  EXPECT_THAT(RunKeys(store_->reading.ListRuns(filter)),
              ElementsAre("committed 1 h ago, recorded later", "committed 1 h ago"));
}

TEST_P(StoreContractTest, RunsAreListedByArrivalWhereThatIsAskedFor) {
  Record(*store_, MakeExecution("committed 1 h ago"));
  NewExecution execution = MakeExecution("committed 3 h ago, recorded later");
  execution.run.committed = kNow - absl::Hours(3);
  Record(*store_, execution);
  RunFilter filter;
  filter.project = "sqlite";
  filter.by_arrival = true;
  EXPECT_THAT(RunKeys(store_->reading.ListRuns(filter)),
              ElementsAre("committed 3 h ago, recorded later", "committed 1 h ago"));
}

TEST_P(StoreContractTest, SubjectsAreThoseOfTheRunsThatAreThere) {
  NewExecution execution = MakeExecution("with a subject");
  execution.run.commit_subject = "Parse faster";
  const int64_t run_id = Record(*store_, execution).run_id;
  const int64_t other = Record(*store_, MakeExecution("without one")).run_id;
  EXPECT_THAT(*store_->reading.ListSubjects({run_id, other, other + 1}),
              UnorderedElementsAre(Pair(run_id, "Parse faster"), Pair(other, "")));
  EXPECT_THAT(*store_->reading.ListSubjects({}), IsEmpty());
}

TEST_P(StoreContractTest, RunsAreFoundByPartsOfTheirTexts) {
  const auto record = [&](const std::string& key, const std::string& branch,
                          const std::string& pull_request, const std::string& commit) {
    NewExecution execution = MakeExecution(key);
    execution.run.branch = branch;
    execution.run.pull_request = pull_request;
    execution.run.commit = commit;
    Record(*store_, execution);
  };
  record("1", "faster_JSON", "417", "abc1");
  record("2", "faster-json!", "17", "abd2");
  record("3", "100%", "", "0abc");
  const auto found = [&](const std::string& branch, const std::string& pull_request,
                         const std::string& commit) {
    RunFilter filter;
    filter.project = "sqlite";
    filter.by_parts = true;
    filter.by_arrival = true;
    filter.with_ancestors = true;
    filter.branch = branch;
    filter.pull_request = pull_request;
    filter.commit = commit;
    return RunKeys(store_->reading.ListRuns(filter));
  };
  EXPECT_THAT(found("Json", "", ""), ElementsAre("2", "1"));
  EXPECT_THAT(found("", "17", ""), ElementsAre("2", "1"));
  EXPECT_THAT(found("", "", "ab"), ElementsAre("2", "1"));
  EXPECT_THAT(found("", "41", "abc"), ElementsAre("1"));
  // No character of a filter is a wildcard.
  EXPECT_THAT(found("r_j", "", ""), ElementsAre("1"));
  EXPECT_THAT(found("%", "", ""), ElementsAre("3"));
  EXPECT_THAT(found("!", "", ""), ElementsAre("2"));
  EXPECT_THAT(found("' OR 1=1 --", "", ""), IsEmpty());
}

TEST_P(StoreContractTest, ProjectsWithRunsAreListedByName) {
  EXPECT_THAT(*store_->reading.ListProjects(10), IsEmpty());
  for (const char* project : {"zoo", "ant", "ant", "bee"}) {
    NewExecution execution = MakeExecution(absl::StrCat("run of ", project));
    execution.run.project = project;
    Record(*store_, execution);
  }
  EXPECT_THAT(*store_->reading.ListProjects(10), ElementsAre("ant", "bee", "zoo"));
  EXPECT_THAT(*store_->reading.ListProjects(2), ElementsAre("ant", "bee"));
}

TEST_P(StoreContractTest, TheMainBranchIsTheForgesElseTheSettingElseThatOfMostRuns) {
  int runs = 0;
  const auto record = [&](const std::string& branch, const std::string& pull_request = "") {
    NewExecution execution = MakeExecution(absl::StrCat("run-", ++runs));
    execution.run.branch = branch;
    execution.run.pull_request = pull_request;
    Record(*store_, execution);
  };
  const auto main = [this] { return *store_->reading.FindMainBranch("sqlite"); };
  EXPECT_EQ(main(), "");
  for (int i = 0; i < 3; ++i) {
    record("topic", "17");
    record("refs/tags/v1.0");
    record("");
  }
  EXPECT_EQ(main(), "") << "pull requests and tags are not the main branch";
  record("newest");
  record("trunk");
  record("trunk");
  record("other");
  EXPECT_EQ(main(), "trunk");
  const auto set = [this](MainBranchSource source, absl::string_view branch) {
    EXPECT_OK(store_->reports.SetMainBranch("sqlite", source, branch, {"me", "here"}, kNow));
  };
  set(MainBranchSource::kSetting, "release/2");
  EXPECT_EQ(main(), "release/2");
  set(MainBranchSource::kForge, "develop");
  set(MainBranchSource::kForge, "main");
  EXPECT_EQ(main(), "main");
  set(MainBranchSource::kForge, "");
  set(MainBranchSource::kForge, "");
  EXPECT_EQ(main(), "release/2");
  set(MainBranchSource::kSetting, "");
  EXPECT_EQ(main(), "trunk");
  EXPECT_EQ(*store_->reading.FindMainBranch("other"), "");
}

TEST_P(StoreContractTest, RunsAreFiltered) {
  Record(*store_, MakeExecution("plain"));
  NewExecution execution = MakeExecution("branch");
  execution.run.branch = "topic";
  Record(*store_, execution);
  execution = MakeExecution("commit");
  execution.run.commit = "abcdef0123456789abcdef0123456789abcdef01";
  Record(*store_, execution);
  execution = MakeExecution("pull request");
  execution.run.pull_request = "17";
  Record(*store_, execution);
  execution = MakeExecution("configuration");
  execution.run.configuration = "k8-dbg";
  Record(*store_, execution);
  execution = MakeExecution("fork");
  execution.run.from_fork = true;
  Record(*store_, execution);
  execution = MakeExecution("sampled");
  execution.run.pull_request = "18";
  execution.run.profile_kind = ProfileKind::kSampled;
  Record(*store_, execution);
  execution = MakeExecution("window");
  execution.run.pull_request = "18";
  execution.run.profile_kind = ProfileKind::kWindow;
  const int64_t window = Record(*store_, execution).run_id;
  execution = MakeExecution("project");
  execution.run.project = "leveldb";
  Record(*store_, execution);

  const auto list = [this](void (*set)(RunFilter&)) {
    RunFilter filter;
    filter.project = "sqlite";
    set(filter);
    return RunKeys(store_->reading.ListRuns(filter));
  };
  EXPECT_THAT(list([](RunFilter& f) { f.project = "leveldb"; }), ElementsAre("project"));
  EXPECT_THAT(list([](RunFilter& f) { f.project = "nobody's"; }), IsEmpty());
  EXPECT_THAT(list([](RunFilter& f) { f.branch = "topic"; }), ElementsAre("branch"));
  EXPECT_THAT(list([](RunFilter& f) { f.commit = "abcdef0"; }), ElementsAre("commit"));
  EXPECT_THAT(list([](RunFilter& f) { f.commit = "abcdef0123456789abcdef0123456789abcdef01"; }),
              ElementsAre("commit"));
  EXPECT_THAT(list([](RunFilter& f) { f.commit = "abcdef1"; }), IsEmpty());
  EXPECT_THAT(list([](RunFilter& f) { f.commit = "%%%%%%%"; }), IsEmpty());
  EXPECT_THAT(list([](RunFilter& f) { f.pull_request = "17"; }), ElementsAre("pull request"));
  EXPECT_THAT(list([](RunFilter& f) { f.configuration = "k8-dbg"; }), ElementsAre("configuration"));
  EXPECT_THAT(list([](RunFilter& f) { f.pull_request = "18"; }), ElementsAre("sampled"));
  EXPECT_THAT(list([](RunFilter& f) {
                f.pull_request = "18";
                f.counted_only = true;
              }),
              IsEmpty());
  EXPECT_THAT(list([](RunFilter& f) {
                f.pull_request = "18";
                f.windows_only = true;
              }),
              ElementsAre("window"));
  EXPECT_EQ(store_->reading.ReadRun(window)->profile_kind, ProfileKind::kWindow);
  EXPECT_THAT(list([](RunFilter& f) { f.mainline_only = true; }),
              ElementsAre("configuration", "commit", "branch", "plain"));
  EXPECT_THAT(list([](RunFilter& f) {
                f.mainline_only = true;
                f.branch = "topic";
                f.configuration = "k8-opt";
              }),
              ElementsAre("branch"));
}

TEST_P(StoreContractTest, RunsAreListedUpToATime) {
  for (const int hour : {1, 2, 3}) {
    NewExecution execution = MakeExecution(absl::StrCat("hour ", hour));
    execution.run.committed = kNow - absl::Hours(10 - hour);
    Record(*store_, execution);
  }
  RunFilter filter;
  filter.project = "sqlite";
  filter.until = kNow - absl::Hours(8);
  EXPECT_THAT(RunKeys(store_->reading.ListRuns(filter)), ElementsAre("hour 2", "hour 1"));
  filter.limit = 1;
  EXPECT_THAT(RunKeys(store_->reading.ListRuns(filter)), ElementsAre("hour 2"));
}

TEST_P(StoreContractTest, AncestorsAreListedIfAskedFor) {
  NewExecution execution = MakeExecution("with");
  execution.run.ancestors = {"c2", "c1"};
  const int64_t run_id = Record(*store_, execution).run_id;
  execution = MakeExecution("without");
  execution.run.ancestors = {};
  Record(*store_, execution);
  EXPECT_THAT(store_->reading.ReadRun(run_id)->ancestors, ElementsAre("c2", "c1"));
  RunFilter filter;
  filter.project = "sqlite";
  EXPECT_THAT(store_->reading.ListRuns(filter)->at(1).ancestors, IsEmpty());
  filter.with_ancestors = true;
  EXPECT_THAT(store_->reading.ListRuns(filter)->at(1).ancestors, ElementsAre("c2", "c1"));
  EXPECT_THAT(store_->reading.ListRuns(filter)->at(0).ancestors, IsEmpty());
}

TEST_P(StoreContractTest, TargetsAreCountedByTheirState) {
  NewExecution execution = MakeExecution("run-1");
  for (const char* target : {"//a:test", "//b:test", "//c:test"}) {
    execution.execution.target = target;
    Record(*store_, execution);
  }
  const int64_t second = Record(*store_, MakeExecution("run-2")).run_id;
  const Job done = Claim(*store_);
  EXPECT_OK(store_->jobs.Complete(done, MakeResult(done), kNow));
  EXPECT_OK(store_->jobs.Fail(Claim(*store_), "bad", JobQueue::Ending::kFailed, kNow));
  Claim(*store_);  // leased
  const auto counts = store_->reading.CountTargets({second, done.run_id, 4711});
  ASSERT_TRUE(counts.ok()) << counts.status();
  ASSERT_EQ(counts->size(), 2u);
  EXPECT_EQ(counts->at(0).run_id, second);
  EXPECT_EQ(counts->at(0).pending, 1u);
  EXPECT_EQ(counts->at(1).run_id, done.run_id);
  EXPECT_EQ(counts->at(1).analyzed, 1u);
  EXPECT_EQ(counts->at(1).failed, 1u);
  EXPECT_EQ(counts->at(1).pending, 1u);
}

TEST_P(StoreContractTest, ExecutionsOfARunAreListedByTargetRunShardAndAttempt) {
  NewExecution execution = MakeExecution();
  execution.execution.duration_ms = 1500;
  int64_t run_id = 0;
  for (const auto& [target, run, shard, attempt] :
       {std::tuple("//b:test", 1, 1, 1), std::tuple("//a:test", 2, 1, 1),
        std::tuple("//a:test", 1, 2, 1), std::tuple("//a:test", 1, 1, 2),
        std::tuple("//a:test", 1, 1, 1)}) {
    execution.execution.target = target;
    execution.execution.run_number = static_cast<uint32_t>(run);
    execution.execution.shard = static_cast<uint32_t>(shard);
    execution.execution.attempt = static_cast<uint32_t>(attempt);
    run_id = Record(*store_, execution).run_id;
  }
  Record(*store_, MakeExecution("another run"));
  const auto executions = store_->reading.ListExecutions(run_id);
  ASSERT_TRUE(executions.ok()) << executions.status();
  std::vector<std::string> seen;
  for (const ExecutionRecord& one : *executions) {
    seen.push_back(absl::StrCat(one.target, " ", one.run_number, one.shard, one.attempt));
    EXPECT_EQ(one.status, "PASSED");
    EXPECT_EQ(one.duration_ms, 1500u);
  }
  EXPECT_THAT(seen, ElementsAre("//a:test 111", "//a:test 112", "//a:test 121", "//a:test 211",
                                "//b:test 111"));
  EXPECT_THAT(*store_->reading.ListExecutions(4711), ElementsAre());
}

TEST_P(StoreContractTest, TargetsOfRunsAreSummedUpOverTheirExecutions) {
  const auto record = [&](const std::string& run, const std::string& target, uint32_t attempt,
                          const std::string& binary, bool with_profile) {
    NewExecution execution = MakeExecution(run);
    execution.execution.target = target;
    execution.execution.attempt = attempt;
    execution.execution.test_binary_digest = binary;
    if (!with_profile) {
      execution.profiles.clear();
      execution.images.clear();
      execution.blobs.clear();
    }
    return Record(*store_, execution).run_id;
  };
  // Of the attempts the last one counts.
  const int64_t first = record("first", "//b:test", 1, "one", /*with_profile=*/false);
  record("first", "//b:test", 2, "two", /*with_profile=*/true);
  record("first", "//a:test", 1, "one", /*with_profile=*/true);
  record("first", "//a:test", 2, "one", /*with_profile=*/false);
  const int64_t second = record("second", "//b:test", 1, "x", /*with_profile=*/true);
  const auto texts = [](const std::vector<TargetRecord>& targets) {
    std::vector<std::string> list;
    for (const TargetRecord& target : targets) {
      list.push_back(absl::StrCat(target.label, " ", target.executions, " ", target.profiles, " ",
                                  target.without_profiles, " ", target.test_binary_digest));
    }
    return list;
  };
  const auto targets = store_->reading.ListTargetsOfRuns({second, 4711, first});
  ASSERT_TRUE(targets.ok()) << targets.status();
  ASSERT_THAT(*targets, SizeIs(3));
  EXPECT_THAT(texts((*targets)[0]), ElementsAre("//b:test 1 1 0 x"));
  EXPECT_THAT((*targets)[1], IsEmpty());
  EXPECT_THAT(texts((*targets)[2]), ElementsAre("//a:test 2 1 1 one", "//b:test 2 1 0 "));
  EXPECT_EQ(texts(*store_->reading.ListTargets(first)), texts((*targets)[2]));
  EXPECT_THAT(*store_->reading.ListTargetsOfRuns({}), IsEmpty());
}

TEST_P(StoreContractTest, ACommitPrefixNeedsSevenDigits) {
  RunFilter filter;
  filter.project = "sqlite";
  filter.commit = "111111";
  EXPECT_EQ(Code(store_->reading.ListRuns(filter)), absl::StatusCode::kInvalidArgument);
  filter.commit.clear();
  filter.project.clear();
  EXPECT_EQ(Code(store_->reading.ListRuns(filter)), absl::StatusCode::kInvalidArgument);
}

TEST_P(StoreContractTest, BaselinesAreMainlineRunsOfTheNearestCommitsNewestFirst) {
  const auto record = [this](const std::string& key, const std::string& commit,
                             void (*change)(RunRecord&)) {
    NewExecution execution = MakeExecution(key);
    execution.run.commit = commit;
    change(execution.run);
    Record(*store_, execution);
  };
  const auto as_it_is = [](RunRecord&) {};
  record("far", "c3", as_it_is);
  record("near, newer", "c2", as_it_is);
  record("near, older", "c2", [](RunRecord& run) { run.committed -= absl::Hours(1); });
  record("near, fork", "c2", [](RunRecord& run) { run.from_fork = true; });
  record("near, pull request", "c2", [](RunRecord& run) { run.pull_request = "17"; });
  record("nearest, sampled", "c1",
         [](RunRecord& run) { run.profile_kind = ProfileKind::kSampled; });
  record("nearest, window", "c1", [](RunRecord& run) { run.profile_kind = ProfileKind::kWindow; });
  record("nearest, other configuration", "c1",
         [](RunRecord& run) { run.configuration = "k8-dbg"; });
  record("nearest, other project", "c1", [](RunRecord& run) { run.project = "leveldb"; });

  const auto keys = [this](const std::vector<std::string>& commits, uint32_t limit) {
    std::vector<std::string> found;
    const auto runs = store_->reading.FindBaselineRuns("sqlite", "k8-opt", commits, limit);
    EXPECT_TRUE(runs.ok()) << runs.status();
    for (const RunRecord& run : *runs) found.push_back(run.run_key);
    return found;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys({"c0", "c1", "c2", "c3"}, 9), Keys({"near, newer", "near, older", "far"}));
  EXPECT_EQ(keys({"c0", "c1", "c2", "c3"}, 1), Keys({"near, newer"}));
  EXPECT_EQ(keys({"c3", "c2"}, 1), Keys({"far"}));
  EXPECT_EQ(keys({"c0", "c1"}, 9), Keys());
  EXPECT_EQ(keys({}, 9), Keys());
}

TEST_P(StoreContractTest, ABaselineIsFoundAmongAThousandCommits) {
  NewExecution execution = MakeExecution();
  execution.run.commit = "c999";
  Record(*store_, execution);
  std::vector<std::string> commits;
  for (int i = 0; i < 1000; ++i) commits.push_back(absl::StrCat("c", i));
  const auto runs = store_->reading.FindBaselineRuns("sqlite", "k8-opt", commits, 2);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(runs->front().run_key, "run-1");
}

// ---- Tokens ----

TEST_P(StoreContractTest, TokensAreFoundUntilRevoked) {
  EXPECT_FALSE(*store_->tokens.WereCreated());
  EXPECT_EQ(Code(store_->tokens.Find("hash")), absl::StatusCode::kNotFound);
  const absl::StatusOr<TokenRecord> token =
      store_->tokens.Create(MakeToken("sqlite", "ci", "hash"), kSomebody);
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(token->project, "sqlite");
  EXPECT_EQ(token->label, "ci");
  EXPECT_EQ(token->token_sha256, "hash");
  EXPECT_EQ(token->created, kNow);
  EXPECT_FALSE(token->revoked);
  EXPECT_EQ(store_->tokens.Find("hash")->id, token->id);
  EXPECT_TRUE(*store_->tokens.WereCreated());

  EXPECT_OK(store_->tokens.Revoke(token->id, kSomebody, kNow));
  EXPECT_OK(store_->tokens.Revoke(token->id, kSomebody, kNow));
  EXPECT_EQ(Code(store_->tokens.Find("hash")), absl::StatusCode::kNotFound);
  EXPECT_TRUE(*store_->tokens.WereCreated());
  EXPECT_EQ(Code(store_->tokens.Revoke(4711, kSomebody, kNow)), absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, TokensAreListedByProjectOldestFirst) {
  ASSERT_TRUE(store_->tokens.Create(MakeToken("sqlite", "one", "h1"), kSomebody).ok());
  ASSERT_TRUE(store_->tokens.Create(MakeToken("leveldb", "other", "h2"), kSomebody).ok());
  const absl::StatusOr<TokenRecord> two =
      store_->tokens.Create(MakeToken("sqlite", "two", "h3"), kSomebody);
  EXPECT_OK(store_->tokens.Revoke(two->id, kSomebody, kNow));
  const absl::StatusOr<std::vector<TokenRecord>> tokens = store_->tokens.List("sqlite");
  ASSERT_TRUE(tokens.ok()) << tokens.status();
  ASSERT_THAT(*tokens, SizeIs(2));
  EXPECT_EQ((*tokens)[0].label, "one");
  EXPECT_EQ((*tokens)[1].label, "two");
  EXPECT_TRUE((*tokens)[1].revoked);
}

TEST_P(StoreContractTest, OneTokenIsCreatedOnce) {
  ASSERT_TRUE(store_->tokens.Create(MakeToken("sqlite", "one", "hash"), kSomebody).ok());
  EXPECT_EQ(Code(store_->tokens.Create(MakeToken("sqlite", "two", "hash"), kSomebody)),
            absl::StatusCode::kAlreadyExists);
}

// ---- Persistence ----

TEST_P(StoreContractTest, EverythingIsThereAfterReopening) {
  const NewExecution execution = MakeExecution();
  const int64_t run_id = Record(*store_, execution).run_id;
  const Job job = Claim(*store_);
  ASSERT_TRUE(store_->tokens.Create(MakeToken("sqlite", "ci", "hash"), kSomebody).ok());
  store_.reset();
  store_ = OpenAgain();
  ASSERT_TRUE(store_.has_value());

  EXPECT_EQ(store_->reading.ReadRun(run_id)->run_key, "run-1");
  EXPECT_EQ(*store_->blobs.Read(execution.blobs[0].name), execution.blobs[0].bytes);
  EXPECT_OK(store_->tokens.Find("hash"));
  EXPECT_TRUE(NoJob(*store_));
  EXPECT_OK(store_->jobs.Complete(job, MakeResult(job), kNow));
  store_.reset();
  store_ = OpenAgain();
  ASSERT_TRUE(store_.has_value());
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kAnalyzed);
  EXPECT_THAT(OpenPoints(*store_, run_id), SizeIs(1));
}

TEST_P(StoreContractTest, APartThatWasCopiedOutlivesItsStore) {
  const Tokens tokens = store_->tokens;
  store_.reset();
  EXPECT_OK(tokens.Create(MakeToken("sqlite", "ci", "hash"), kSomebody));
  EXPECT_EQ(tokens.Find("hash")->label, "ci");
}

TEST_P(StoreContractTest, SeveralStoresOnOneHomeSeeEachOther) {
  const std::optional<Store> second = OpenAgain();
  ASSERT_TRUE(second.has_value());
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  EXPECT_EQ(second->reading.ReadRun(run_id)->run_key, "run-1");
  const Job job = Claim(*second);
  EXPECT_TRUE(NoJob(*store_));
  EXPECT_OK(second->jobs.Complete(job, MakeResult(job), kNow));
  EXPECT_EQ(OnlyTarget(*store_, run_id).state, TargetState::kAnalyzed);
}

TEST_P(StoreContractTest, SeveralStoresMayOpenANewHomeAtOnce) {
  constexpr int kThreads = 4;
  const std::unique_ptr<StoreHome> home = GetParam()();
  ASSERT_NE(home, nullptr);
  std::vector<absl::Status> results(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { results[i] = home->Open().status(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& status : results) EXPECT_TRUE(status.ok()) << status;
}

}  // namespace

}  // namespace gprofhub::store
