#include "store/reading.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "store/records/run_columns.h"
#include "store/rows/kept_changes.h"
#include "store/rows/points.h"
#include "store/rows/summaries.h"
#include "store/sql/database.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using sql::Dialect;
using sql::JsonTable;
using sql::Parameter;
using sql::Row;
using sql::Rows;
using sql::Session;

#define GPROFHUB_EXECUTION_COLUMNS                                           \
  "execution.id, execution.run_number, execution.shard, execution.attempt, " \
  "execution.cached, execution.status, execution.test_binary_digest, execution.duration_ms"

// The columns begin with GPROFHUB_EXECUTION_COLUMNS.
ExecutionRecord ToExecution(const Row& row, std::string target) {
  ExecutionRecord execution;
  execution.id = row.Number(0);
  execution.target = std::move(target);
  execution.run_number = static_cast<uint32_t>(row.Number(1));
  execution.shard = static_cast<uint32_t>(row.Number(2));
  execution.attempt = static_cast<uint32_t>(row.Number(3));
  execution.cached = row.Number(4) != 0;
  execution.status = row.Text(5);
  execution.test_binary_digest = row.Text(6);
  execution.duration_ms = static_cast<uint32_t>(row.Number(7));
  return execution;
}

constexpr absl::string_view kAncestors =
    "(SELECT run_ancestors.ancestors FROM run_ancestors WHERE run_ancestors.run_id = run.id)";

absl::Status AddAncestors(const std::string& text, RunRecord& run) {
  const nlohmann::json ancestors =
      nlohmann::json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  absl::Status malformed =
      absl::DataLossError(absl::StrCat("run ", run.id, ": its ancestors cannot be read"));
  if (!ancestors.is_array()) return malformed;
  for (const nlohmann::json& ancestor : ancestors) {
    if (!ancestor.is_array() || ancestor.size() != 1 || !ancestor[0].is_string()) return malformed;
    run.ancestors.push_back(ancestor[0].get<std::string>());
  }
  return absl::OkStatus();
}

// What ToRun reads. kAncestors may follow.
std::string SelectedOfRun() {
  std::string columns = "run.id";
  for (const RunColumn& column : RunColumns()) absl::StrAppend(&columns, ", run.", column.name);
  return absl::StrCat(columns, ", run.received_us, run.ordered_us");
}

absl::StatusOr<RunRecord> ToRun(const Row& row) {
  RunRecord run;
  size_t at = 0;
  run.id = row.Number(at++);
  for (const RunColumn& column : RunColumns()) {
    if (column.type == RunColumn::Type::kNumber) {
      column.write(row.Number(at++), run);
    } else {
      column.write(row.View(at++), run);
    }
  }
  run.received = absl::FromUnixMicros(row.Number(at++));
  run.ordered = absl::FromUnixMicros(row.Number(at++));
  if (at < row.size() && !row.View(at).empty()) {
    RETURN_IF_ERROR(AddAncestors(row.Text(at), run));
  }
  return run;
}

// NOT_FOUND that names the run.
absl::Status NoSuchRun(int64_t run_id) {
  return absl::NotFoundError(absl::StrCat("there is no run ", run_id));
}

absl::StatusOr<std::vector<RunRecord>> ToRuns(const Rows& rows) {
  std::vector<RunRecord> runs;
  for (const Row& row : rows) {
    ASSIGN_OR_RETURN(RunRecord run, ToRun(row));
    runs.push_back(std::move(run));
  }
  return runs;
}

absl::StatusOr<TargetData> TargetDataOf(Session& session, int64_t run_id,
                                        absl::string_view target) {
  // One statement sees one snapshot of the database. An execution without profiles gives one row,
  // whose process is empty.
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          "SELECT " GPROFHUB_EXECUTION_COLUMNS
          ", profile.process, profile.build_id, profile.gmon, image.bundle "
          "FROM target JOIN execution ON execution.target_id = target.id "
          "LEFT JOIN profile ON profile.execution_id = execution.id "
          "LEFT JOIN image ON image.execution_id = profile.execution_id "
          "AND image.build_id = profile.build_id "
          "WHERE target.run_id = $1 AND target.label = $2 AND NOT EXISTS ("
          "SELECT 1 FROM execution later WHERE later.target_id = execution.target_id "
          "AND later.run_number = execution.run_number AND later.shard = execution.shard "
          "AND later.attempt > execution.attempt) "
          "ORDER BY execution.run_number, execution.shard, profile.process, profile.build_id",
          {run_id, target}));
  if (rows.empty()) {
    return absl::NotFoundError(absl::StrCat("there is no target ", target, " in run ", run_id));
  }
  TargetData data;
  for (const Row& row : rows) {
    if (row.Text(8).empty()) {
      ++data.without_profiles;
      continue;
    }
    TargetData::Profile& profile = data.profiles.emplace_back();
    profile.execution = ToExecution(row, std::string(target));
    profile.profile = {row.Text(8), row.Text(9), row.Text(10)};
    profile.bundle = row.Text(11);
  }
  return data;
}

absl::StatusOr<RunRecord> RunOf(Session& session, int64_t run_id) {
  ASSIGN_OR_RETURN(Rows rows, session.Query(absl::StrCat("SELECT ", SelectedOfRun(), ", ",
                                                         kAncestors, " FROM run WHERE id = $1"),
                                            {run_id}));
  if (rows.empty()) return NoSuchRun(run_id);
  return ToRun(rows.front());
}

absl::StatusOr<std::vector<RunRecord>> RunsOf(Session& session, const RunFilter& filter) {
  ASSIGN_OR_RETURN(const Rows rows,
                   sql::ListRunRows(session,
                                    absl::StrCat(SelectedOfRun(), filter.with_ancestors ? ", " : "",
                                                 filter.with_ancestors ? kAncestors : ""),
                                    filter));
  return ToRuns(rows);
}

absl::StatusOr<absl::flat_hash_map<int64_t, std::string>> SubjectsOf(
    Session& session, const Dialect& dialect, const std::vector<int64_t>& runs) {
  absl::flat_hash_map<int64_t, std::string> subjects;
  if (runs.empty()) return subjects;
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(absl::StrCat("SELECT run.id, run.commit_subject FROM ", dialect.list,
                                 " JOIN run ON run.id = CAST(item ->> 0 AS bigint)"),
                    {sql::JsonColumn(runs)}));
  for (const Row& row : rows) subjects.emplace(row.Number(0), row.Text(1));
  return subjects;
}

absl::StatusOr<std::vector<std::string>> ProjectsOf(Session& session, uint32_t limit) {
  ASSIGN_OR_RETURN(Rows rows,
                   session.Query("SELECT DISTINCT project FROM run ORDER BY project LIMIT $1",
                                 {int64_t{limit}}));
  std::vector<std::string> projects;
  for (const Row& row : rows) projects.push_back(row.Text(0));
  return projects;
}

absl::StatusOr<std::vector<RunRecord>> BaselineRunsOf(Session& session, const Dialect& dialect,
                                                      absl::string_view project,
                                                      absl::string_view configuration,
                                                      const std::vector<std::string>& commits,
                                                      uint32_t limit) {
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          absl::StrCat(
              "SELECT ", SelectedOfRun(), " FROM ", dialect.list,
              " JOIN run ON run.project = $2 AND run.commit_hash = item ->> 0 "
              "AND run.configuration = $3 WHERE run.pull_request = '' AND run.from_fork = 0 "
              "AND run.profile_kind = 'counted' "
              "ORDER BY position, ordered_us DESC, run.id DESC LIMIT $4"),
          {sql::JsonColumn(commits), project, configuration, int64_t{limit}}));
  return ToRuns(rows);
}

absl::StatusOr<std::string> MainBranchOf(Session& session, absl::string_view project) {
  ASSIGN_OR_RETURN(Rows rows, session.Query("SELECT branch FROM main_branch WHERE project = $1 "
                                            "ORDER BY source LIMIT 1",  // 'forge', 'setting'
                                            {project}));
  if (rows.empty()) {
    ASSIGN_OR_RETURN(rows,
                     session.Query("SELECT branch FROM (SELECT branch, ordered_us FROM run "
                                   "WHERE project = $1 AND pull_request = '' AND from_fork = 0 "
                                   "AND profile_kind = 'counted' AND branch <> '' "
                                   "AND branch NOT LIKE 'refs/tags/%' "
                                   "ORDER BY ordered_us DESC, id DESC LIMIT 1000) AS newest "
                                   "GROUP BY branch "
                                   "ORDER BY count(*) DESC, max(ordered_us) DESC, branch LIMIT 1",
                                   {project}));
  }
  return rows.empty() ? std::string() : rows.front().Text(0);
}

absl::StatusOr<RerunCount> RerunsOf(Session& session, absl::string_view project) {
  ASSIGN_OR_RETURN(Rows rows,
                   session.Query("SELECT count(DISTINCT run.id), count(*), "
                                 "(SELECT count(*) FROM rerun_request WHERE project = $1) "
                                 "FROM run JOIN target ON target.run_id = run.id WHERE run.project "
                                 "= $1 AND run.rerun = 'is'",
                                 {project}));
  const Row& row = rows.front();
  return RerunCount{static_cast<uint64_t>(row.Number(0)), static_cast<uint64_t>(row.Number(1)),
                    static_cast<uint64_t>(row.Number(2))};
}

absl::StatusOr<std::vector<RunRecord>> MeasuringRunOf(Session& session, absl::string_view project,
                                                      absl::string_view configuration,
                                                      absl::string_view target,
                                                      const BlobName& computed) {
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          absl::StrCat("SELECT ", SelectedOfRun(),
                       " FROM target JOIN run ON run.id = target.run_id WHERE target.computed = $1 "
                       "AND target.label = $2 AND run.project = $3 AND run.configuration = $4 "
                       "AND EXISTS (SELECT 1 FROM execution "
                       "WHERE execution.target_id = target.id AND execution.cached = 0) "
                       "ORDER BY run.id LIMIT 1"),
          {computed, target, project, configuration}));
  return ToRuns(rows);
}

// The columns of an execution's row in TargetsOf, after those of its target.
enum ExecutionColumn : size_t {
  kRunNumber = 5,
  kShard,
  kCached,
  kTestBinary,
  kProfilesRemoved,
  kProfiles,
};

bool IsSameTarget(const Row& a, const Row& b) {
  return a.Number(0) == b.Number(0) && a.View(1) == b.View(1);
}

// Of the executions in these rows, at least one, in the order of their attempts.
TargetRecord TargetOf(const Rows& rows, size_t begin, size_t end) {
  const Row first = rows[begin];
  TargetRecord target;
  target.label = first.Text(1);
  const absl::string_view state = first.View(2);
  target.state = state == "done"     ? TargetState::kAnalyzed
                 : state == "failed" ? TargetState::kFailed
                                     : TargetState::kPending;
  if (target.state == TargetState::kFailed) target.error = first.Text(3);
  target.computed = first.Text(4);
  target.executions = static_cast<uint32_t>(end - begin);
  target.cached = true;
  bool one_binary = true;
  for (size_t i = begin; i < end; ++i) {
    const Row row = rows[i];
    target.cached = target.cached && row.Number(kCached) != 0;
    one_binary = one_binary && row.View(kTestBinary) == first.View(kTestBinary);
    // Profiles that retention has deleted are part of the sum.
    const int64_t profiles = row.Number(kProfiles) + row.Number(kProfilesRemoved);
    target.profiles += static_cast<uint32_t>(profiles);
    const bool is_last = i + 1 == end || rows[i + 1].Number(kRunNumber) != row.Number(kRunNumber) ||
                         rows[i + 1].Number(kShard) != row.Number(kShard);
    if (is_last && profiles == 0) ++target.without_profiles;
  }
  if (one_binary) target.test_binary_digest = first.Text(kTestBinary);
  return target;
}

// For each of the runs.
absl::StatusOr<std::vector<std::vector<TargetRecord>>> TargetsOf(
    Session& session, const Dialect& dialect, const std::vector<int64_t>& run_ids) {
  // A row for each execution: to sum them up takes the database longer than to return them.
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          absl::StrCat(
              "SELECT target.run_id, target.label, job.state, job.error, target.computed, "
              "execution.run_number, execution.shard, execution.cached, "
              "execution.test_binary_digest, execution.profiles_removed, "
              "(SELECT count(*) FROM profile WHERE profile.execution_id = execution.id) FROM ",
              dialect.list,
              " JOIN target ON target.run_id = CAST(item ->> 0 AS bigint) "
              "JOIN job ON job.target_id = target.id "
              "JOIN execution ON execution.target_id = target.id "
              "ORDER BY target.run_id, target.label, execution.run_number, execution.shard, "
              "execution.attempt"),
          {sql::JsonColumn(run_ids)}));
  std::map<int64_t, std::vector<TargetRecord>> by_run;
  for (size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && IsSameTarget(rows[begin], rows[end])) ++end;
    by_run[rows[begin].Number(0)].push_back(TargetOf(rows, begin, end));
  }
  std::vector<std::vector<TargetRecord>> targets;
  for (const int64_t run_id : run_ids) targets.push_back(std::move(by_run[run_id]));
  return targets;
}

absl::StatusOr<std::vector<ExecutionRecord>> ExecutionsOf(Session& session, int64_t run_id) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          "SELECT " GPROFHUB_EXECUTION_COLUMNS
          ", target.label FROM target JOIN execution ON execution.target_id = target.id "
          "WHERE target.run_id = $1 "
          "ORDER BY target.label, execution.run_number, execution.shard, execution.attempt",
          {run_id}));
  std::vector<ExecutionRecord> executions;
  for (const Row& row : rows) executions.push_back(ToExecution(row, row.Text(8)));
  return executions;
}

}  // namespace

Reading::Reading(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

Reading Reading::WithCheck(std::function<absl::Status()> check) const {
  return Reading(sql::WithCheck(database_, std::move(check)));
}

absl::StatusOr<RunRecord> Reading::ReadRun(int64_t run_id) const {
  return sql::ReadIn(*database_, [&](Session& session) { return RunOf(session, run_id); });
}

absl::StatusOr<std::vector<RunRecord>> Reading::ListRuns(const RunFilter& filter) const {
  RETURN_IF_ERROR(CheckRunFilter(filter));
  return sql::ReadIn(*database_, [&](Session& session) { return RunsOf(session, filter); });
}

absl::StatusOr<std::vector<RunHead>> Reading::ListRunHeads(const RunFilter& filter) const {
  RETURN_IF_ERROR(CheckRunFilter(filter));
  return sql::ReadIn(*database_,
                     [&](Session& session) { return sql::ListRunHeads(session, filter); });
}

absl::StatusOr<std::vector<RunState>> Reading::ListRunStates(const RunFilter& filter) const {
  RETURN_IF_ERROR(CheckRunFilter(filter));
  return sql::ReadIn(*database_,
                     [&](Session& session) { return sql::ListRunStates(session, filter); });
}

absl::StatusOr<absl::flat_hash_map<int64_t, std::string>> Reading::ListSubjects(
    const std::vector<int64_t>& runs) const {
  return sql::ReadIn(*database_, [&](Session& session) {
    return SubjectsOf(session, database_->dialect(), runs);
  });
}

absl::StatusOr<std::optional<KeptChanges>> Reading::ReadKeptChanges(const BranchKey& branch) const {
  RETURN_IF_ERROR(CheckBranchKey(branch));
  return sql::ReadIn(*database_,
                     [&](Session& session) { return sql::ReadKeptChanges(session, branch); });
}

absl::StatusOr<std::vector<RunHead>> Reading::ListSpanRuns(const BranchKey& branch,
                                                           int64_t span) const {
  RETURN_IF_ERROR(CheckBranchKey(branch));
  return sql::ReadIn(*database_,
                     [&](Session& session) { return sql::ListSpanRuns(session, branch, span); });
}

absl::StatusOr<std::optional<int64_t>> Reading::NextSpanWithRuns(const BranchKey& branch,
                                                                 int64_t span) const {
  RETURN_IF_ERROR(CheckBranchKey(branch));
  return sql::ReadIn(
      *database_, [&](Session& session) { return sql::NextSpanWithRuns(session, branch, span); });
}

absl::StatusOr<std::vector<SpanSummary>> Reading::ReadSummaries(const SummaryQuery& query) const {
  RETURN_IF_ERROR(CheckBranchKey(query.branch));
  RETURN_IF_ERROR(CheckText("target", query.target));
  return sql::ReadIn(*database_,
                     [&](Session& session) { return sql::ReadSummaries(session, query); });
}

absl::StatusOr<std::vector<std::string>> Reading::ListProjects(uint32_t limit) const {
  return sql::ReadIn(*database_, [&](Session& session) { return ProjectsOf(session, limit); });
}

absl::StatusOr<std::string> Reading::FindMainBranch(absl::string_view project) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return sql::ReadIn(*database_, [&](Session& session) { return MainBranchOf(session, project); });
}

absl::StatusOr<std::vector<RunRecord>> Reading::FindBaselineRuns(
    absl::string_view project, absl::string_view configuration,
    const std::vector<std::string>& commits, uint32_t limit) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  RETURN_IF_ERROR(CheckText("configuration", configuration));
  for (const std::string& commit : commits) {
    RETURN_IF_ERROR(CheckText("commits", commit));
  }
  return sql::ReadIn(*database_, [&](Session& session) {
    return BaselineRunsOf(session, database_->dialect(), project, configuration, commits, limit);
  });
}

absl::StatusOr<std::vector<RunRecord>> Reading::FindMeasuringRun(absl::string_view project,
                                                                 absl::string_view configuration,
                                                                 absl::string_view target,
                                                                 const BlobName& computed) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  RETURN_IF_ERROR(CheckText("configuration", configuration));
  RETURN_IF_ERROR(CheckKey("target", target));
  RETURN_IF_ERROR(CheckKey("computed", computed));
  return sql::ReadIn(*database_, [&](Session& session) {
    return MeasuringRunOf(session, project, configuration, target, computed);
  });
}

absl::StatusOr<RerunCount> Reading::CountReruns(absl::string_view project) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return sql::ReadIn(*database_, [&](Session& session) { return RerunsOf(session, project); });
}

absl::StatusOr<std::vector<TargetRecord>> Reading::ListTargets(int64_t run_id) const {
  ASSIGN_OR_RETURN(std::vector<std::vector<TargetRecord>> targets, ListTargetsOfRuns({run_id}));
  // A run has a target from its first moment on.
  if (targets.front().empty()) return NoSuchRun(run_id);
  return std::move(targets.front());
}

absl::StatusOr<std::vector<std::vector<TargetRecord>>> Reading::ListTargetsOfRuns(
    const std::vector<int64_t>& run_ids) const {
  return sql::ReadIn(*database_, [&](Session& session) {
    return TargetsOf(session, database_->dialect(), run_ids);
  });
}

absl::StatusOr<std::vector<ExecutionRecord>> Reading::ListExecutions(int64_t run_id) const {
  return sql::ReadIn(*database_, [&](Session& session) { return ExecutionsOf(session, run_id); });
}

absl::StatusOr<std::vector<TargetCounts>> Reading::CountTargets(
    const std::vector<int64_t>& run_ids) const {
  return sql::ReadIn(*database_, [&](Session& session) {
    return sql::ReadCounts(session, database_->dialect(), run_ids);
  });
}

absl::StatusOr<TargetData> Reading::ReadTargetData(int64_t run_id, absl::string_view target) const {
  RETURN_IF_ERROR(CheckKey("target", target));
  return sql::ReadIn(*database_,
                     [&](Session& session) { return TargetDataOf(session, run_id, target); });
}

absl::StatusOr<std::vector<LinePoints>> Reading::ReadPoints(
    const PointQuery& query, const std::function<absl::Status(uint64_t bytes)>& take) const {
  RETURN_IF_ERROR(CheckKey("project", query.project));
  RETURN_IF_ERROR(CheckText("target", query.target));
  for (const std::string& branch : query.branches) {
    RETURN_IF_ERROR(CheckText("branches", branch));
  }
  return sql::ReadIn(*database_, [&](Session& session) {
    return sql::ReadPoints(session, database_->dialect(), query, take);
  });
}

}  // namespace gprofhub::store
