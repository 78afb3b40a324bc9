// Contract tests: commits that introduced changes.
#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "store/contract/helpers.h"

namespace gprofhub::store {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const std::string kBase(40, 'a');
const std::string kHead(40, 'd');
const Actor kBy = {"ci (token 1)", "192.0.2.1", 1};

CulpritRecord MakeCulprit() {
  CulpritRecord record;
  record.project = "sqlite";
  record.target = "//db:query_test";
  record.function = "_Z4jsonv";
  record.caller = "main";
  record.base_commit = kBase;
  record.head_commit = kHead;
  record.commit = std::string(40, 'c');
  record.author = "A. Uthor";
  record.date = "2026-11-23";
  record.subject = "Look each word up twice; 'quoted' \xE2\x82\xAC";
  record.found = kNow;
  return record;
}

NewExecution OfCommit(const std::string& run_key, const std::string& commit,
                      const std::string& branch = "main") {
  NewExecution execution = MakeExecution(run_key);
  execution.run.commit = commit;
  execution.run.branch = branch;
  return execution;
}

// Analyses the run and makes its report.
void Settle(const Store& store) {
  const Job job = Claim(store);
  EXPECT_OK(store.jobs.Complete(job, MakeResult(job), kNow));
  const absl::Time due = kNow + kReportDelay;
  const auto report = store.reports.Claim(ReportKind::kBranch, "reporter", due, kLease);
  ASSERT_TRUE(report.ok() && report->has_value());
  EXPECT_OK(store.reports.Finish(**report, {ReportOutcome::Kind::kDone, "", due}, due));
}

std::optional<int64_t> DueRun(const Store& store, absl::Time now) {
  const auto job = store.reports.Claim(ReportKind::kBranch, "reporter", now, kLease);
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() && job->has_value() ? std::optional((*job)->run_id) : std::nullopt;
}

TEST_P(StoreContractTest, KeepsEveryFieldOfACulprit) {
  const CulpritRecord given = MakeCulprit();
  const absl::StatusOr<int64_t> id = store_->gate.AddCulprit(given, kBy);
  ASSERT_TRUE(id.ok()) << id.status();
  const auto records = store_->gate.ListCulprits("sqlite");
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_THAT(*records, SizeIs(1));
  const CulpritRecord& record = records->front();
  EXPECT_EQ(record.id, *id);
  EXPECT_EQ(record.project, given.project);
  EXPECT_EQ(record.target, given.target);
  EXPECT_EQ(record.function, given.function);
  EXPECT_EQ(record.caller, given.caller);
  EXPECT_EQ(record.base_commit, given.base_commit);
  EXPECT_EQ(record.head_commit, given.head_commit);
  EXPECT_EQ(record.commit, given.commit);
  EXPECT_EQ(record.author, given.author);
  EXPECT_EQ(record.date, given.date);
  EXPECT_EQ(record.subject, given.subject);
  EXPECT_EQ(record.found, given.found);
  EXPECT_THAT(*store_->gate.ListCulprits("other"), IsEmpty());
}

TEST_P(StoreContractTest, OfOneSearchTheNewestCulpritIsKept) {
  CulpritRecord record = MakeCulprit();
  ASSERT_TRUE(store_->gate.AddCulprit(record, kBy).ok());
  record.commit = std::string(40, 'b');
  record.found = kNow + absl::Hours(24);
  ASSERT_TRUE(store_->gate.AddCulprit(record, kBy).ok());
  ASSERT_THAT(*store_->gate.ListCulprits("sqlite"), SizeIs(1));
  EXPECT_EQ(store_->gate.ListCulprits("sqlite")->front().commit, std::string(40, 'b'));
  record.caller = "";
  record.found = kNow + absl::Hours(48);
  ASSERT_TRUE(store_->gate.AddCulprit(record, kBy).ok());
  ASSERT_THAT(*store_->gate.ListCulprits("sqlite"), SizeIs(2));
  EXPECT_EQ(store_->gate.ListCulprits("sqlite")->front().caller, "") << "newest first";
}

TEST_P(StoreContractTest, ReplacedCulpritIsAuditedAndRepeatedOneChangesNothing) {
  const CulpritRecord honest = MakeCulprit();
  const absl::StatusOr<int64_t> id = store_->gate.AddCulprit(honest, kBy);
  ASSERT_TRUE(id.ok()) << id.status();
  CulpritRecord repeated = honest;
  repeated.found = kNow + absl::Hours(1);
  EXPECT_EQ(*store_->gate.AddCulprit(repeated, kBy), *id);
  EXPECT_EQ(store_->gate.ListCulprits("sqlite")->front().found, kNow);
  CulpritRecord forged = honest;
  forged.commit = std::string(40, 'b');
  forged.author = "M. Allory";
  EXPECT_EQ(*store_->gate.AddCulprit(forged, {"mallory (token 2)", "192.0.2.2", 2}), *id);
  const auto events = store_->audit.List({});
  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_THAT(*events, SizeIs(2));
  std::vector<std::string> details;
  for (const AuditRecord& event : *events) {
    EXPECT_EQ(event.action, "culprit.record");
    details.push_back(event.actor + ": " + event.detail);
  }
  EXPECT_THAT(details,
              UnorderedElementsAre(
                  HasSubstr("ci (token 1): _Z4jsonv in //db:query_test: cccc"),
                  AllOf(HasSubstr("mallory (token 2): "), HasSubstr("M. Allory, instead of cccc"),
                        HasSubstr(" by A. Uthor"))));
}

TEST_P(StoreContractTest, TheLongestTextsOfACulpritFit) {
  const std::string longest(1000, 'x');
  CulpritRecord record = {0,       longest, longest, longest, longest, longest,
                          longest, longest, longest, longest, longest, kNow};
  EXPECT_OK(store_->gate.AddCulprit(record, kBy));
  EXPECT_THAT(*store_->gate.ListCulprits(longest), SizeIs(1));
  record.subject += "x";
  EXPECT_EQ(Code(store_->gate.AddCulprit(record, kBy)), absl::StatusCode::kInvalidArgument);
}

TEST_P(StoreContractTest, ACulpritMakesTheNewestReportOfTheBranchDue) {
  Record(*store_, OfCommit("head", kHead));
  Settle(*store_);
  const int64_t newest = Record(*store_, OfCommit("newer", std::string(40, 'e'))).run_id;
  Settle(*store_);
  Record(*store_, OfCommit("elsewhere", std::string(40, 'f'), "release"));
  Settle(*store_);
  const absl::Time later = kNow + absl::Hours(1);
  EXPECT_EQ(DueRun(*store_, later), std::nullopt);
  CulpritRecord record = MakeCulprit();
  record.found = later;
  ASSERT_TRUE(store_->gate.AddCulprit(record, kBy).ok());
  EXPECT_EQ(DueRun(*store_, later), newest);
  EXPECT_EQ(DueRun(*store_, later), std::nullopt) << "and no other one";
}

TEST_P(StoreContractTest, ACulpritOfARangeThatNoRunEndsMakesNothingDue) {
  Record(*store_, OfCommit("other", std::string(40, 'e')));
  Settle(*store_);
  ASSERT_TRUE(store_->gate.AddCulprit(MakeCulprit(), kBy).ok());
  EXPECT_EQ(DueRun(*store_, kNow + absl::Hours(1)), std::nullopt);
}

}  // namespace

}  // namespace gprofhub::store
