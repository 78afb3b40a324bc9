#include "store/rows/kept_changes.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/sha256.h"

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
  const absl::Status malformed = absl::DataLossError("kept changes: their runs cannot be read");
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
  const absl::StatusOr<Rows> same = session.Query(
      absl::StrCat("SELECT count(*), coalesce(min(run.ordered_us), 0) FROM ", dialect.list,
                   " JOIN run ON run.id = CAST(item ->> 0 AS bigint) "
                   "AND run.revision = CAST(item ->> 1 AS bigint)"),
      {list});
  if (!same.ok()) return same.status();
  if (same->front().Number(0) != static_cast<int64_t>(kept.runs.size())) return absl::OkStatus();
  absl::Status looked_at = session.Execute(
      absl::StrCat("UPDATE report_job SET unkept = 0 WHERE unkept = 1 AND run_id IN "
                   "(SELECT CAST(item ->> 0 AS bigint) FROM ",
                   dialect.list, ")"),
      {list});
  if (!looked_at.ok()) return looked_at;
  return session.Execute(
      "INSERT INTO kept_changes (branch_key, project, branch, configuration, oldest_us, runs, "
      "payload) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (branch_key) DO UPDATE "
      "SET oldest_us = excluded.oldest_us, runs = excluded.runs, payload = excluded.payload",
      {key, branch.project, branch.branch, branch.configuration, same->front().Number(1), list,
       Bytes{kept.payload}});
}

absl::StatusOr<bool> HasUnkeptRun(Session& session, absl::Time now) {
  const absl::StatusOr<Rows> rows =
      session.Query("SELECT 1 FROM report_job WHERE unkept = 1 AND due_us <= $1 LIMIT 1",
                    {absl::ToUnixMicros(now)});
  if (!rows.ok()) return rows.status();
  return !rows->empty();
}

absl::StatusOr<std::optional<int64_t>> TakeUnkeptRun(Session& session, const Dialect& dialect,
                                                     absl::Time now) {
  const absl::StatusOr<Rows> taken = session.Query(
      absl::StrCat("UPDATE report_job SET unkept = 0 WHERE id = (SELECT id FROM report_job "
                   "WHERE unkept = 1 AND due_us <= $1 ORDER BY due_us DESC, id DESC LIMIT 1",
                   dialect.for_update_skip_locked, ") RETURNING run_id"),
      {absl::ToUnixMicros(now)});
  if (!taken.ok()) return taken.status();
  if (taken->empty()) return std::nullopt;
  return taken->front().Number(0);
}

absl::StatusOr<std::optional<KeptChanges>> ReadKeptChanges(Session& session,
                                                           const BranchKey& branch) {
  const std::string key = KeyOf(branch);
  const absl::StatusOr<Rows> rows =
      session.Query("SELECT runs, payload FROM kept_changes WHERE branch_key = $1", {key});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  absl::StatusOr<std::vector<RunState>> runs = RunsOfList(rows->front().Text(0));
  if (!runs.ok()) return runs.status();
  return KeptChanges{*std::move(runs), rows->front().Text(1)};
}

absl::Status DropChangesOf(Session& session, int64_t run_id) {
  return session.Execute(
      "DELETE FROM kept_changes WHERE (project, branch) IN "
      "(SELECT project, branch FROM run WHERE run.id = $1) "
      "AND oldest_us <= (SELECT ordered_us FROM run WHERE run.id = $1)",
      {run_id});
}

}  // namespace gprofhub::store::sql
