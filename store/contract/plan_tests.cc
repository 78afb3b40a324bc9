// Query plans of the hot statements, as golden files: a lost index fails a test.
//
// The plan of each statement is in testdata/plans.ENGINE.txt, grouped by operation of the store.
// After an intended change, the failing test leaves the new text in its outputs folder.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "store/contract/archive_helpers.h"
#include "store/sql/engine.h"
#include "store/summaries.h"
#include "store/testing/engines.h"

namespace gprofhub::store {

namespace {

// Whether the plan scans a whole table although the query is selective.
bool ReadsWholeTable(absl::string_view plain, const std::vector<std::string>& plan) {
  // SQLite prints "SCAN list VIRTUAL TABLE" for a list of parameters. Temporary results of a
  // statement are not tables.
  for (const std::string& step : plan) {
    for (const absl::string_view made : {"CO-ROUTINE ", "MATERIALIZE "}) {
      if (absl::StartsWith(step, made) &&
          plain == absl::StrCat("SCAN ", step.substr(made.size()))) {
        return false;
      }
    }
  }
  return (absl::StartsWith(plain, "SCAN ") && !absl::StrContains(plain, "INDEX") &&
          !absl::StrContains(plain, "VIRTUAL TABLE") && !absl::StrContains(plain, "CONSTANT") &&
          !absl::StrContains(plain, "SUBQUERY")) ||
         absl::StrContains(plain, "Seq Scan on ");
}

// The statements of a store operation with their plans, without duplicates.
class Plans {
 public:
  explicit Plans(bool is_postgres) : is_postgres_(is_postgres) {}

  void Begin(const std::string& use) {
    absl::StrAppend(&text_, text_.empty() ? "" : "\n", "## ", use, "\n");
    seen_.clear();
  }

  void Add(absl::string_view statement, const std::vector<std::string>& plan) {
    std::string shown =
        absl::StrJoin(absl::StrSplit(statement, absl::ByAnyChar(" \n"), absl::SkipEmpty()), " ");
    if (!seen_.insert(shown).second) return;
    constexpr size_t kShown = 90;
    if (shown.size() > kShown) shown = absl::StrCat(shown.substr(0, kShown), " …");
    absl::StrAppend(&text_, shown, "\n");
    for (const std::string& step : plan) {
      // PostgreSQL's choice among equal columns in a condition is not compared.
      const absl::string_view plain = absl::StripLeadingAsciiWhitespace(step);
      if (is_postgres_ && !absl::StrContains(plain, "Scan") && !absl::StrContains(plain, "Cond")) {
        continue;
      }
      absl::StrAppend(&text_, "    ", plain, "\n");
      if (ReadsWholeTable(plain, plan)) whole_tables_.push_back(absl::StrCat(shown, ": ", plain));
    }
  }

  const std::string& text() const { return text_; }
  const std::vector<std::string>& whole_tables() const { return whole_tables_; }

 private:
  const bool is_postgres_;
  std::string text_;
  std::set<std::string> seen_;
  std::vector<std::string> whole_tables_;
};

void ExpectGolden(const std::string& name, const std::string& text) {
  std::ostringstream golden;
  golden << std::ifstream(absl::StrCat("store/contract/testdata/", name)).rdbuf();
  if (golden.str() == text) return;
  const char* outputs = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  const std::string path = absl::StrCat(outputs == nullptr ? "." : outputs, "/", name);
  std::ofstream(path) << text;
  ADD_FAILURE() << "plans have changed; if that is meant, copy " << path
                << " to store/contract/testdata/\n"
                << text;
}

const std::string kCommit(40, '1');

void UseNotifications(const Store& store, Plans& plans) {
  NotificationRecord record;
  record.key = "event 1";
  record.channel = "chat";
  record.project = "sqlite";
  record.series = "main";
  record.content = "slower";
  plans.Begin("a channel is to be told");
  EXPECT_OK(store.notifications.Put({record}, /*deliver=*/true, kNow));
  plans.Begin("what is told of a project is listed");
  EXPECT_OK(store.notifications.List("sqlite"));
  plans.Begin("a notification is claimed");
  const auto claimed = store.notifications.Claim("chat", "notifier", kNow, absl::Minutes(1));
  ASSERT_TRUE(claimed.ok() && claimed->has_value()) << claimed.status();
  plans.Begin("the notification's lease is extended");
  EXPECT_OK(store.notifications.ExtendLease(**claimed, kNow, absl::Minutes(1)));
  plans.Begin("the channel was told");
  EXPECT_OK(store.notifications.Finish(**claimed, {}, kNow));
  plans.Begin("a channel has nothing to be told");
  EXPECT_OK(store.notifications.Claim("chat", "notifier", kNow, absl::Minutes(1)));
  plans.Begin("channels that are no more are dropped");
  EXPECT_OK(store.notifications.DropOthers({"chat"}));
}

void UseStore(const Store& store, const RunCounts& run_counts, Plans& plans) {
  const auto pack = [](const std::vector<RunPoints>&) -> absl::StatusOr<PackedPoints> {
    return PackedPoints{"runs", {{1, "packed"}}};
  };
  const auto merge = [](const std::vector<PackedPoints>& points) -> absl::StatusOr<PackedPoints> {
    return points.front();
  };
  plans.Begin("an execution is recorded");
  NewExecution execution = MakeExecution();
  execution.run.pull_request = "17";
  execution.run.ancestors = {std::string(40, '2')};
  const int64_t run_id = Record(store, execution).run_id;
  plans.Begin("the same is recorded again");
  Record(store, execution);
  plans.Begin("all of a run is there");
  EXPECT_OK(store.ingest.FinishRun("sqlite", run_id, kNow));
  plans.Begin("more of it comes");
  execution.execution.shard = 2;
  Record(store, execution);
  plans.Begin("what is missing is asked for");
  EXPECT_OK(store.blobs.FindToSend("sqlite", {execution.blobs[0].name}));
  plans.Begin("a job is claimed");
  const Job job = Claim(store);
  plans.Begin("its lease is extended");
  EXPECT_OK(store.jobs.ExtendLease(job, kNow, kLease));
  plans.Begin("what it needs is read");
  EXPECT_OK(store.reading.ReadTargetData(run_id, job.target));
  plans.Begin("it is completed");
  EXPECT_OK(store.jobs.Complete(job, MakeResult(job), kNow));
  plans.Begin("points are sealed");
  EXPECT_OK(store.jobs.SealPoints(job, 1, pack));
  Record(store, MakeExecution("run-2"));
  const Job second = Claim(store);
  EXPECT_OK(store.jobs.Complete(second, MakeResult(second), kNow));
  EXPECT_OK(store.jobs.SealPoints(second, 2, pack));
  plans.Begin("seals are merged");
  EXPECT_OK(store.jobs.MergeSeals(second, 2, merge));
  plans.Begin("what was found of a branch whose runs changed since is not kept");
  const BranchKey branch = {"sqlite", "main", "k8-opt"};
  EXPECT_OK(store.reports.KeepChanges(branch, {{{run_id, 1}}, "found"}));
  plans.Begin("what is kept is read");
  EXPECT_OK(store.reading.ReadKeptChanges(branch));
  plans.Begin("runs of four weeks are listed");
  EXPECT_OK(store.reading.ListSpanRuns(branch, 600));
  plans.Begin("four weeks that have runs are looked for");
  EXPECT_OK(store.reading.NextSpanWithRuns(branch, 600));
  plans.Begin("summaries of days are read");
  EXPECT_OK(store.reading.ReadSummaries({branch, 600, 613, "", {1}}));
  plans.Begin("who looks for changes is given a run");
  EXPECT_OK(store.reports.TakeUnkeptRun(kNow + absl::Hours(1)));
  plans.Begin("a report is claimed");
  const auto report = store.reports.Claim(ReportKind::kPullRequest, "reporter",
                                          kNow + absl::Hours(1), absl::Minutes(1));
  ASSERT_TRUE(report.ok() && report->has_value()) << report.status();
  plans.Begin("it is finished");
  EXPECT_OK(store.reports.Finish(**report, {ReportOutcome::Kind::kDone, "", kNow}, kNow));
  plans.Begin("a pull request's report is woken");
  EXPECT_OK(store.reports.Wake("sqlite", {"17"}, kNow));

  UseNotifications(store, plans);

  const auto list = [&](const std::string& use, const RunFilter& filter) {
    plans.Begin(absl::StrCat("runs are listed ", use));
    EXPECT_OK(store.reading.ListRuns(filter));
  };
  RunFilter filter;
  filter.project = "sqlite";
  list("of a project", filter);
  RunFilter of_branch = filter;
  of_branch.branch = "main";
  of_branch.counted_only = true;
  list("of a branch", of_branch);
  plans.Begin("heads of a branch's runs are listed");
  EXPECT_OK(store.reading.ListRunHeads(of_branch));
  RunFilter analysed = of_branch;
  analysed.analysed_only = true;
  plans.Begin("heads of a branch's analysed runs are listed");
  EXPECT_OK(store.reading.ListRunHeads(analysed));
  plans.Begin("states of a branch's runs are listed");
  EXPECT_OK(store.reading.ListRunStates(of_branch));
  plans.Begin("the main branch is looked for");
  EXPECT_OK(store.reading.FindMainBranch("sqlite"));
  plans.Begin("subjects of runs are listed");
  EXPECT_OK(store.reading.ListSubjects({run_id}));
  RunFilter of_pull_request = filter;
  of_pull_request.pull_request = "17";
  list("of a pull request", of_pull_request);
  RunFilter of_commit = filter;
  of_commit.commit = kCommit;
  of_commit.by_arrival = true;
  list("of a commit", of_commit);
  RunFilter with_ancestors = filter;
  with_ancestors.mainline_only = true;
  with_ancestors.with_ancestors = true;
  list("of the main line, with ancestors", with_ancestors);
  plans.Begin("a run is read");
  EXPECT_OK(store.reading.ReadRun(run_id));
  plans.Begin("its targets are listed");
  EXPECT_OK(store.reading.ListTargets(run_id));
  plans.Begin("its executions are listed");
  EXPECT_OK(store.reading.ListExecutions(run_id));
  plans.Begin("logs of its tests are looked for");
  EXPECT_OK(store.invocations.ListLogs(run_id));
  plans.Begin("its targets are counted");
  EXPECT_OK(store.reading.CountTargets({run_id}));
  plans.Begin("counts are kept");
  EXPECT_OK(run_counts.Keep({}));
  plans.Begin("a baseline is looked for");
  EXPECT_OK(store.reading.FindBaselineRuns("sqlite", "k8-opt", {kCommit}, 12));
  plans.Begin("who measured is looked for");
  EXPECT_OK(store.reading.FindMeasuringRun("sqlite", "k8-opt", job.target,
                                           MakeResult(job).computed.name));
  plans.Begin("points are read");
  const PointQuery points = {"sqlite", {"main"}, "", 0, 1, 1000};
  EXPECT_OK(store.reading.ReadPoints(points));
  plans.Begin("points are measured and read");
  EXPECT_OK(store.reading.ReadPoints(points, [](uint64_t) { return absl::OkStatus(); }));
  plans.Begin("points of several buckets are read");
  PointQuery of_buckets = points;
  of_buckets.more_buckets = 15;
  EXPECT_OK(store.reading.ReadPoints(of_buckets));
  plans.Begin("points of a function are measured and read");
  PointQuery of_function = points;
  of_function.functions = {1};
  EXPECT_OK(store.reading.ReadPoints(of_function, [](uint64_t) { return absl::OkStatus(); }));
}

void UseArchive(const sql::Engine& explained, const sql::Engine& plain, Plans& plans) {
  const auto archive = std::make_shared<MemoryObjects>();
  const ArchivedStore on(explained, archive);
  const NewExecution execution = NoisyExecution(1);
  const int64_t run_id = Record(Store(plain), execution).run_id;
  plans.Begin("what is old is archived");
  EXPECT_EQ(Archive(on.upkeep).blobs, 2u);
  plans.Begin("what is archived is read");
  EXPECT_OK(on.store.blobs.Read(execution.blobs[0].name));
  DeleteRun(ArchivedStore(plain, archive), run_id, kNow + kOld);
  plans.Begin("the archive is compacted");
  EXPECT_EQ(Compact(on.upkeep, kNow + kOld).unused, 1u);
  EXPECT_EQ(Compact(on.upkeep, kNow + kOld + 7 * kDay).removed, 1u);
}

TEST_P(StoreContractTest, HotStatementsFindTheirRowsThroughIndexes) {
  const bool is_postgres = absl::StartsWith(home_->location(), "postgres");
  Plans plans(is_postgres);
  const sql::Engine explained =
      Explained(*engine_, is_postgres,
                [&plans](absl::string_view statement, const std::vector<std::string>& plan) {
                  plans.Add(statement, plan);
                });
  UseStore(Store(explained), RunCounts(explained.database), plans);
  UseArchive(explained, *engine_, plans);
  EXPECT_TRUE(plans.whole_tables().empty()) << absl::StrJoin(plans.whole_tables(), "\n");
  ExpectGolden(is_postgres ? "plans.postgres.txt" : "plans.sqlite.txt", plans.text());
}

}  // namespace

}  // namespace gprofhub::store
