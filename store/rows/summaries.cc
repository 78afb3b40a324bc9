#include "store/rows/summaries.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "store/sql/engine.h"
#include "store/sql/follow_up_rows.h"

namespace gprofhub::store {

absl::Status HoldBlobs(sql::Database& database, absl::Time now) {
  const int64_t until = absl::ToUnixMicros(now + kBackupLeaseTime);
  return database.Write([&](sql::Session& session) {
    ASSIGN_OR_RETURN(const int64_t held, sql::ReadProperty(session, sql::kBackupLease));
    if (held >= until) return absl::OkStatus();
    return sql::SetProperty(session, sql::kBackupLease, until);
  });
}

absl::Status CheckNoBackup(sql::Session& session, absl::Time now) {
  ASSIGN_OR_RETURN(const int64_t held, sql::ReadProperty(session, sql::kBackupLease));
  if (held <= absl::ToUnixMicros(now)) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "a backup is in progress; no blob is removed until ",
      absl::FormatTime(absl::RFC3339_sec, absl::FromUnixMicros(held), absl::UTCTimeZone()),
      "; try again then"));
}

}  // namespace gprofhub::store

namespace gprofhub::store::sql {

namespace {

// A row has five parameters, or four.
constexpr size_t kRowsAtOnce = 100;

// Runs that are summarised.
constexpr absl::string_view kIsSummarised =
    "pull_request = '' AND from_fork = 0 AND profile_kind = 'counted'";

// $1 to $3: the branch; $4: from when on.
std::string RunsFrom(absl::string_view columns) {
  return absl::StrCat("SELECT ", columns,
                      " FROM run WHERE project = $1 AND branch = $2 AND configuration = $3 AND ",
                      kIsSummarised, " AND ordered_us >= $4");
}

// $5: until when.
std::string RunsOfSpan(absl::string_view columns) {
  return absl::StrCat(RunsFrom(columns), " AND ordered_us < $5");
}

// The first four.
std::vector<Parameter> ParametersFrom(const BranchKey& branch, int64_t span) {
  const int64_t first = span == 0 ? INT64_MIN : absl::ToUnixMicros(StartOfSpan(span));
  return {branch.project, branch.branch, branch.configuration, first};
}

std::vector<Parameter> ParametersOf(const BranchKey& branch, int64_t span) {
  std::vector<Parameter> parameters = ParametersFrom(branch, span);
  parameters.push_back(absl::ToUnixMicros(StartOfSpan(span + 1)));
  return parameters;
}

absl::StatusOr<std::vector<RunState>> StatesOfSpan(Session& session, const BranchKey& branch,
                                                   int64_t span, absl::string_view lock) {
  ASSIGN_OR_RETURN(const Rows rows,
                   session.Query(absl::StrCat(RunsOfSpan("id, revision"), " ORDER BY id", lock),
                                 ParametersOf(branch, span)));
  std::vector<RunState> states;
  for (const Row& row : rows) states.push_back({row.Number(0), row.Number(1)});
  return states;
}

absl::Status Gone() {
  return absl::FailedPreconditionError("a run of the span changed: it is summarised again later");
}

// Inserts rows, some at a time. `take` appends the parameters of one to those of the span, which is
// $1, and `columns` are theirs.
template <typename T, typename Take>
absl::Status Insert(Session& session, int64_t span_id, absl::string_view into, size_t columns,
                    absl::Span<const T> rows, const Take& take) {
  while (!rows.empty()) {
    std::string statement = absl::StrCat("INSERT INTO ", into, " VALUES ");
    std::vector<Parameter> parameters = {span_id};
    for (const T& row : rows.first(std::min(kRowsAtOnce, rows.size()))) {
      absl::StrAppend(&statement, parameters.size() == 1 ? "($1" : ", ($1");
      for (size_t i = 1; i <= columns; ++i) {
        absl::StrAppend(&statement, ", $", parameters.size() + i);
      }
      statement += ')';
      take(row, parameters);
    }
    RETURN_IF_ERROR(session.Execute(statement, parameters));
    rows.remove_prefix(std::min(kRowsAtOnce, rows.size()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<RunHead>> ListSpanRuns(Session& session, const BranchKey& branch,
                                                  int64_t span) {
  ASSIGN_OR_RETURN(const Rows rows,
                   session.Query(absl::StrCat(RunsOfSpan("id, commit_hash, ordered_us"),
                                              " ORDER BY ordered_us DESC, id DESC"),
                                 ParametersOf(branch, span)));
  std::vector<RunHead> runs;
  runs.reserve(rows.size());
  for (const Row& row : rows) {
    runs.push_back({row.Number(0), row.Text(1), branch.branch, branch.configuration,
                    /*is_mainline=*/true, absl::FromUnixMicros(row.Number(2))});
  }
  return runs;
}

absl::StatusOr<std::optional<int64_t>> NextSpanWithRuns(Session& session, const BranchKey& branch,
                                                        int64_t span) {
  ASSIGN_OR_RETURN(const Rows rows, session.Query(absl::StrCat(RunsFrom("ordered_us"),
                                                               " ORDER BY ordered_us LIMIT 1"),
                                                  ParametersFrom(branch, span)));
  if (rows.empty()) return std::nullopt;
  return SpanOf(absl::FromUnixMicros(rows.front().Number(0)));
}

absl::StatusOr<std::vector<SpanSummary>> ReadSummaries(Session& session,
                                                       const SummaryQuery& query) {
  std::map<int64_t, SpanSummary> spans;
  std::map<int64_t, size_t> found;  // of each span, in how many answers it was
  // A statement sees one snapshot of the database. So each function's query joins the days: a
  // summary that is deleted in between is missing in one of them, and is discarded.
  for (const int64_t function : query.functions) {
    ASSIGN_OR_RETURN(
        const Rows rows,
        session.Query("SELECT summary_span.span, summary_target.days, summary_points.payload FROM "
                      "summary_span "
                      "JOIN summary_target ON summary_target.span_id = summary_span.id "
                      "AND summary_target.label = $1 "
                      "LEFT JOIN summary_points ON summary_points.span_id = summary_span.id "
                      "AND summary_points.function_hash = $2 AND summary_points.target = "
                      "summary_target.number "
                      "WHERE summary_span.project = $3 AND summary_span.branch = $4 "
                      "AND summary_span.configuration = $5 AND summary_span.span BETWEEN $6 AND $7 "
                      "AND summary_span.is_made = 1",
                      {query.target, function, query.branch.project, query.branch.branch,
                       query.branch.configuration, query.first_span, query.last_span}));
    for (const Row& row : rows) {
      SpanSummary& span = spans[row.Number(0)];
      span.span = row.Number(0);
      span.days = row.Text(1);
      // A function that does not appear in the span has no row.
      if (!row.View(2).empty()) span.functions.push_back({function, row.Text(2)});
      ++found[span.span];
    }
  }
  std::vector<SpanSummary> summaries;
  for (auto& [number, span] : spans) {
    if (found[number] == query.functions.size()) summaries.push_back(std::move(span));
  }
  return summaries;
}

absl::StatusOr<std::vector<DueSpan>> FindDueSpans(Session& session, absl::Time ended_before,
                                                  int64_t least_runs, int64_t limit) {
  const int64_t before = absl::ToUnixMicros(StartOfSpan(SpanOf(ended_before)));
  const int64_t first = absl::ToUnixMicros(StartOfSpan(1));
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          absl::StrCat(
              "SELECT project, branch, configuration, span FROM (SELECT project, branch, "
              "configuration, ",
              kSpanOfRun, " AS span FROM run WHERE ", kIsSummarised,
              " AND ordered_us >= $1 AND ordered_us < $2 "
              "GROUP BY project, branch, configuration, ",
              kSpanOfRun,
              " HAVING count(*) >= $3) AS due WHERE NOT EXISTS (SELECT 1 FROM summary_span "
              "WHERE summary_span.project = due.project AND summary_span.branch = due.branch "
              "AND summary_span.configuration = due.configuration "
              "AND summary_span.span = due.span AND is_made = 1) "
              "ORDER BY project, branch, configuration, span LIMIT $4"),
          {first, before, least_runs, limit}));
  std::vector<DueSpan> due;
  for (const Row& row : rows) {
    due.push_back({{row.Text(0), row.Text(1), row.Text(2)}, row.Number(3)});
  }
  return due;
}

absl::StatusOr<std::vector<std::string>> TargetsOfBranch(Session& session,
                                                         const BranchKey& branch) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          "SELECT label FROM series_line WHERE project = $1 AND branch = $2 ORDER BY label",
          {branch.project, branch.branch}));
  std::vector<std::string> labels;
  for (const Row& row : rows) labels.push_back(row.Text(0));
  return labels;
}

absl::StatusOr<OpenedSpan> OpenSpan(Session& session, const BranchKey& branch, int64_t span) {
  const Parameter key[] = {branch.project, branch.branch, branch.configuration, span};
  RETURN_IF_ERROR(session.Execute(
      "DELETE FROM summary_span WHERE project = $1 AND branch = $2 AND configuration = $3 "
      "AND span = $4",
      key));
  ASSIGN_OR_RETURN(std::vector<RunState> runs, StatesOfSpan(session, branch, span, ""));
  ASSIGN_OR_RETURN(
      const Rows added,
      session.Query("INSERT INTO summary_span (project, branch, configuration, span, is_made) "
                    "VALUES ($1, $2, $3, $4, 0) RETURNING id",
                    key));
  return OpenedSpan{added.front().Number(0), std::move(runs)};
}

absl::Status AddSummaryRows(Session& session, int64_t span_id,
                            absl::Span<const TargetSummary> targets,
                            absl::Span<const SummaryRow> rows) {
  ASSIGN_OR_RETURN(const Rows there,
                   session.Query("SELECT 1 FROM summary_span WHERE id = $1", {span_id}));
  if (there.empty()) return Gone();
  RETURN_IF_ERROR(Insert(
      session, span_id, "summary_target (span_id, number, label, days)", 3, targets,
      [](const TargetSummary& target, std::vector<Parameter>& parameters) {
        parameters.insert(parameters.end(),
                          {target.number, absl::string_view(target.target), Bytes{target.days}});
      }));
  return Insert(session, span_id, "summary_points (span_id, function_hash, target, payload)", 3,
                rows, [](const SummaryRow& row, std::vector<Parameter>& parameters) {
                  parameters.insert(parameters.end(), {row.function.function_hash, row.target,
                                                       Bytes{row.function.payload}});
                });
}

absl::StatusOr<bool> CloseSpan(Session& session, const Dialect& dialect, const DueSpan& due,
                               const OpenedSpan& opened) {
  // A transaction that changes a run has its lock, and has not seen this span if it began before
  // the span's row existed. So wait for it.
  ASSIGN_OR_RETURN(const std::vector<RunState> now,
                   StatesOfSpan(session, due.branch, due.span, dialect.for_update));
  if (now != opened.runs) {
    RETURN_IF_ERROR(session.Execute("DELETE FROM summary_span WHERE id = $1", {opened.id}));
    return false;
  }
  ASSIGN_OR_RETURN(
      const Rows closed,
      session.Query("UPDATE summary_span SET is_made = 1 WHERE id = $1 RETURNING id", {opened.id}));
  return !closed.empty();
}

}  // namespace gprofhub::store::sql
