#include "store/rows/kept_changes.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "store/rows/points.h"
#include "store/sql/follow_up_rows.h"

namespace gprofhub::store::sql {

namespace {

std::string KeyOf(const BranchKey& branch) {
  std::string identity;
  for (const std::string* part : {&branch.project, &branch.branch, &branch.configuration}) {
    absl::StrAppend(&identity, part->size(), ":", *part);
  }
  return base::Sha256Hex(identity);
}

std::string ListOf(const std::vector<RunState>& runs) {
  std::vector<std::vector<std::string>> list;
  for (const RunState& run : runs) {
    list.push_back({absl::StrCat(run.run_id), absl::StrCat(run.revision)});
  }
  return JsonTable(list);
}

absl::StatusOr<std::vector<RunState>> RunsOfList(const std::string& text) {
  absl::Status malformed = absl::DataLossError("kept changes: their runs cannot be read");
  const nlohmann::json list =
      nlohmann::json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) return malformed;
  std::vector<RunState> runs;
  for (const nlohmann::json& item : list) {
    if (!item.is_array() || item.size() != 2 || !item[0].is_string() || !item[1].is_string()) {
      return malformed;
    }
    RunState& run = runs.emplace_back();
    if (!absl::SimpleAtoi(item[0].get_ref<const std::string&>(), &run.run_id) ||
        !absl::SimpleAtoi(item[1].get_ref<const std::string&>(), &run.revision)) {
      return malformed;
    }
  }
  return runs;
}

}  // namespace

absl::Status PutKeptChanges(Session& session, const Dialect& dialect, const BranchKey& branch,
                            const KeptChanges& kept) {
  const std::string key = KeyOf(branch);
  const std::string list = ListOf(kept.runs);
  ASSIGN_OR_RETURN(
      const Rows same,
      session.Query(
          absl::StrCat("SELECT count(*), coalesce(min(run.ordered_us), 0) FROM ", dialect.list,
                       " JOIN run ON run.id = CAST(item ->> 0 AS bigint) "
                       "AND run.revision = CAST(item ->> 1 AS bigint)"),
          {list}));
  if (same.front().Number(0) != static_cast<int64_t>(kept.runs.size())) return absl::OkStatus();
  RETURN_IF_ERROR(session.Execute(
      absl::StrCat("UPDATE report_job SET unkept = 0 WHERE unkept = 1 AND run_id IN "
                   "(SELECT CAST(item ->> 0 AS bigint) FROM ",
                   dialect.list, ")"),
      {list}));
  return session.Execute(
      "INSERT INTO kept_changes (branch_key, project, branch, configuration, oldest_us, runs, "
      "payload) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (branch_key) DO UPDATE "
      "SET oldest_us = excluded.oldest_us, runs = excluded.runs, payload = excluded.payload",
      {key, branch.project, branch.branch, branch.configuration, same.front().Number(1), list,
       Bytes{kept.payload}});
}

absl::StatusOr<bool> HasUnkeptRun(Session& session, absl::Time now) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query("SELECT 1 FROM report_job WHERE unkept = 1 AND due_us <= $1 LIMIT 1",
                    {absl::ToUnixMicros(now)}));
  return !rows.empty();
}

absl::StatusOr<std::optional<int64_t>> TakeUnkeptRun(Session& session, const Dialect& dialect,
                                                     absl::Time now) {
  ASSIGN_OR_RETURN(
      const Rows taken,
      session.Query(
          absl::StrCat("UPDATE report_job SET unkept = 0 WHERE id = (SELECT id FROM report_job "
                       "WHERE unkept = 1 AND due_us <= $1 ORDER BY due_us DESC, id DESC LIMIT 1",
                       dialect.for_update_skip_locked, ") RETURNING run_id"),
          {absl::ToUnixMicros(now)}));
  if (taken.empty()) return std::nullopt;
  return taken.front().Number(0);
}

absl::StatusOr<std::optional<KeptChanges>> ReadKeptChanges(Session& session,
                                                           const BranchKey& branch) {
  const std::string key = KeyOf(branch);
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query("SELECT runs, payload FROM kept_changes WHERE branch_key = $1", {key}));
  if (rows.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(std::vector<RunState> runs, RunsOfList(rows.front().Text(0)));
  return KeptChanges{std::move(runs), rows.front().Text(1)};
}

absl::Status DropChangesOf(Session& session, int64_t run_id) {
  return session.Execute(
      "DELETE FROM kept_changes WHERE (project, branch) IN "
      "(SELECT project, branch FROM run WHERE run.id = $1) "
      "AND oldest_us <= (SELECT ordered_us FROM run WHERE run.id = $1)",
      {run_id});
}

namespace {

// Of each run of a list: its id, and how many of its targets are under way, done and failed.
constexpr absl::string_view kCount =
    "SELECT target.run_id AS id, "
    "sum(CASE WHEN job.state IN ('pending', 'leased') THEN 1 ELSE 0 END) AS pending, "
    "sum(CASE WHEN job.state = 'done' THEN 1 ELSE 0 END) AS done, "
    "sum(CASE WHEN job.state = 'failed' THEN 1 ELSE 0 END) AS failed FROM ";
constexpr absl::string_view kCountEach =
    " JOIN target ON target.run_id = CAST(item ->> 0 AS bigint) "
    "JOIN job ON job.target_id = target.id GROUP BY target.run_id";

using CountsById = absl::flat_hash_map<int64_t, TargetCounts>;

absl::StatusOr<CountsById> Count(Session& session, const Dialect& dialect,
                                 const std::vector<int64_t>& run_ids) {
  CountsById counts;
  if (run_ids.empty()) return counts;
  const std::string list = JsonColumn(run_ids);
  ASSIGN_OR_RETURN(const Rows rows,
                   session.Query(absl::StrCat(kCount, dialect.list, kCountEach), {list}));
  for (const Row& row : rows) {
    counts[row.Number(0)] = {row.Number(0), static_cast<uint32_t>(row.Number(1)),
                             static_cast<uint32_t>(row.Number(2)),
                             static_cast<uint32_t>(row.Number(3))};
  }
  return counts;
}

}  // namespace

absl::StatusOr<std::vector<TargetCounts>> ReadCounts(Session& session, const Dialect& dialect,
                                                     const std::vector<int64_t>& run_ids) {
  const std::string list = JsonColumn(run_ids);
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          absl::StrCat("SELECT run.id, CASE WHEN counted_revision = revision THEN 1 ELSE 0 END, "
                       "jobs_done, jobs_failed FROM ",
                       dialect.list,
                       " JOIN run ON run.id = CAST(item ->> 0 AS bigint) ORDER BY position"),
          {list}));
  std::vector<int64_t> to_count;
  for (const Row& row : rows) {
    if (row.Number(1) == 0) to_count.push_back(row.Number(0));
  }
  ASSIGN_OR_RETURN(const CountsById counted, Count(session, dialect, to_count));
  std::vector<TargetCounts> counts;
  counts.reserve(rows.size());
  for (const Row& row : rows) {
    const int64_t id = row.Number(0);
    if (row.Number(1) != 0) {
      counts.push_back(
          {id, 0, static_cast<uint32_t>(row.Number(2)), static_cast<uint32_t>(row.Number(3))});
    } else if (const auto found = counted.find(id); found != counted.end()) {
      counts.push_back(found->second);
    }
  }
  return counts;
}

absl::StatusOr<KeptCounts> KeepCounts(Session& session, const Dialect& dialect, int64_t after,
                                      int64_t limit) {
  ASSIGN_OR_RETURN(
      const Rows runs,
      session.Query(
          absl::StrCat("SELECT id FROM run WHERE counted_revision = -1 AND id > $1 "
                       "AND NOT EXISTS (SELECT 1 FROM target JOIN job ON job.target_id = target.id "
                       "WHERE target.run_id = run.id AND job.state IN ('pending', 'leased')) "
                       "ORDER BY id LIMIT $2",
                       dialect.for_update_skip_locked),
          {after, limit}));
  KeptCounts kept;
  kept.looked_at = static_cast<int64_t>(runs.size());
  if (runs.empty()) return kept;
  std::vector<int64_t> ids;
  for (const Row& row : runs) ids.push_back(row.Number(0));
  kept.last_id = ids.back();
  // Read under the locks, so that these values are the counted ones.
  const std::string list = JsonColumn(ids);
  ASSIGN_OR_RETURN(
      const Rows counted,
      session.Query(
          absl::StrCat("UPDATE run SET jobs_done = found.done, "
                       "jobs_failed = found.failed, counted_revision = run.revision FROM (",
                       kCount, dialect.list, kCountEach,
                       ") AS found WHERE run.id = found.id AND found.pending = 0 "
                       "RETURNING run.id"),
          {list}));
  kept.kept = static_cast<int64_t>(counted.size());
  return kept;
}

namespace {

// A commit's prefix is a range: no text in UTF-8 sorts after U+10FFFF.
constexpr absl::string_view kLastCharacter = "\xF4\x8F\xBF\xBF";

// The pattern of LIKE that matches texts with this part.
std::string PatternOf(absl::string_view part) {
  return absl::StrCat("%", absl::StrReplaceAll(part, {{"%", "!%"}, {"_", "!_"}, {"!", "!!"}}), "%");
}

}  // namespace

absl::StatusOr<Rows> ListRunRows(Session& session, absl::string_view columns,
                                 const RunFilter& filter) {
  const absl::string_view order = filter.by_arrival ? "id DESC" : "ordered_us DESC, id DESC";
  std::string sql = absl::StrCat("SELECT ", columns, " FROM run WHERE project = $1");
  if (filter.by_parts) {
    sql = absl::StrCat("SELECT ", columns, " FROM (SELECT * FROM run WHERE project = $1 ORDER BY ",
                       order, " LIMIT ", kMostSearchedRuns, ") AS run WHERE project = $1");
  }
  std::vector<Parameter> parameters = {filter.project};
  const auto add = [&sql, &parameters](absl::string_view condition, absl::string_view value) {
    parameters.push_back(value);
    absl::StrAppend(&sql, " AND ", condition, " $", parameters.size());
  };
  const std::string branch = PatternOf(filter.branch);
  const std::string pull_request = PatternOf(filter.pull_request);
  const auto add_text = [&](absl::string_view column, absl::string_view text,
                            absl::string_view pattern) {
    if (text.empty()) return;
    if (!filter.by_parts) return add(absl::StrCat(column, " ="), text);
    parameters.push_back(pattern);
    absl::StrAppend(&sql, " AND lower(", column, ") LIKE lower($", parameters.size(),
                    ") ESCAPE '!'");
  };
  add_text("branch", filter.branch, branch);
  add_text("pull_request", filter.pull_request, pull_request);
  if (!filter.configuration.empty()) add("configuration =", filter.configuration);
  const std::string after = absl::StrCat(filter.commit, kLastCharacter);
  if (!filter.commit.empty()) {
    add("commit_hash >=", filter.commit);
    add("commit_hash <", after);
  }
  if (filter.until != absl::InfiniteFuture()) {
    parameters.push_back(absl::ToUnixMicros(filter.until));
    absl::StrAppend(&sql, " AND ordered_us <= $", parameters.size());
  }
  if (filter.mainline_only) sql += " AND pull_request = '' AND from_fork = 0";
  if (filter.analysed_only) sql += " AND analysed = 1";
  if (filter.counted_only) {
    sql += " AND profile_kind = 'counted'";
  } else {
    sql += filter.windows_only ? " AND profile_kind = 'window'" : " AND profile_kind <> 'window'";
  }
  parameters.push_back(int64_t{filter.limit});
  absl::StrAppend(&sql, " ORDER BY ", order, " LIMIT $", parameters.size());
  return session.Query(sql, parameters);
}

absl::StatusOr<std::vector<RunHead>> ListRunHeads(Session& session, const RunFilter& filter) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      ListRunRows(session,
                  "id, commit_hash, branch, configuration, "
                  "CASE WHEN pull_request = '' AND from_fork = 0 THEN 1 ELSE 0 END, ordered_us",
                  filter));
  std::vector<RunHead> runs;
  runs.reserve(rows.size());
  for (const Row& row : rows) {
    runs.push_back({row.Number(0), row.Text(1), row.Text(2), row.Text(3), row.Number(4) != 0,
                    absl::FromUnixMicros(row.Number(5))});
  }
  return runs;
}

absl::StatusOr<std::vector<RunState>> ListRunStates(Session& session, const RunFilter& filter) {
  ASSIGN_OR_RETURN(const Rows rows, ListRunRows(session, "id, revision", filter));
  std::vector<RunState> runs;
  runs.reserve(rows.size());
  for (const Row& row : rows) runs.push_back({row.Number(0), row.Number(1)});
  return runs;
}

namespace {

// Deletes the rows of targets, each before the rows that it references. LIST is the targets.
constexpr absl::string_view kOfTargets[] = {
    "DELETE FROM job WHERE target_id IN LIST",
    ("DELETE FROM profile WHERE execution_id IN "
     "(SELECT id FROM execution WHERE target_id IN LIST)"),
    "DELETE FROM image WHERE execution_id IN (SELECT id FROM execution WHERE target_id IN LIST)",
    "DELETE FROM execution WHERE target_id IN LIST",
    "DELETE FROM target WHERE id IN LIST",
};

constexpr absl::string_view kOfRun[] = {
    "DELETE FROM report_job WHERE run_id = $1",
    "DELETE FROM gated WHERE run_id = $1",
    "DELETE FROM run_ancestors WHERE run_id = $1",
    "DELETE FROM rerun_request WHERE run_id = $1",
    "DELETE FROM run WHERE id = $1",
};

std::string WithList(absl::string_view statement, const Dialect& dialect) {
  const std::string list =
      absl::StrCat("(SELECT CAST(item ->> 0 AS bigint) FROM ", dialect.list, ")");
  return absl::StrReplaceAll(statement, {{"LIST", list}});
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> LockTargets(Session& session, const Dialect& dialect,
                                                 int64_t run_id, int64_t limit) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(absl::StrCat("SELECT id FROM target WHERE run_id = $1 ORDER BY id LIMIT $2",
                                 dialect.for_update),
                    {run_id, limit}));
  std::vector<int64_t> targets;
  for (const Row& row : rows) targets.push_back(row.Number(0));
  return targets;
}

absl::Status DeleteTargets(Session& session, const Dialect& dialect, int64_t run_id,
                           const std::vector<int64_t>& target_ids) {
  const std::string list = JsonColumn(target_ids);
  ASSIGN_OR_RETURN(const std::vector<int64_t> lines, LinesOf(session, dialect, list));
  RETURN_IF_ERROR(DropChangesOf(session, run_id));
  RETURN_IF_ERROR(ChangeRun(session, run_id));
  RETURN_IF_ERROR(DeleteOpenPoints(session, dialect, lines, run_id));
  for (const absl::string_view statement : kOfTargets) {
    RETURN_IF_ERROR(session.Execute(WithList(statement, dialect), {list}));
  }
  return DeleteEmptySeals(session, dialect, lines, run_id);
}

absl::Status DeleteRunRow(Session& session, int64_t run_id) {
  for (const absl::string_view statement : kOfRun) {
    RETURN_IF_ERROR(session.Execute(statement, {run_id}));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> DeleteProfiles(Session& session, const Dialect& dialect,
                                       const std::vector<int64_t>& execution_ids, bool removed) {
  const std::string list = JsonColumn(execution_ids);
  ASSIGN_OR_RETURN(
      Rows count,
      session.Query(WithList("SELECT count(*) FROM profile WHERE execution_id IN LIST", dialect),
                    {list}));
  if (removed) {
    RETURN_IF_ERROR(session.Execute(
        WithList("UPDATE execution SET profiles_removed = profiles_removed + (SELECT count(*) "
                 "FROM profile WHERE profile.execution_id = execution.id) WHERE id IN LIST",
                 dialect),
        {list}));
  }
  for (const absl::string_view statement : {"DELETE FROM profile WHERE execution_id IN LIST",
                                            "DELETE FROM image WHERE execution_id IN LIST"}) {
    RETURN_IF_ERROR(session.Execute(WithList(statement, dialect), {list}));
  }
  return count.front().Number(0);
}

}  // namespace gprofhub::store::sql
