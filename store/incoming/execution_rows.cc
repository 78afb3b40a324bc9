#include "store/incoming/execution_rows.h"

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "store/sql/fair_turns.h"

namespace gprofhub::store::sql {
namespace {

// A condition: the target is that of the run $1, $2 with the label $3.
constexpr absl::string_view kIsTarget =
    "target.run_id = (SELECT run.id FROM run WHERE run.project = $1 AND run.run_key = $2) "
    "AND target.label = $3";

using ProfileKey = std::tuple<std::string, std::string, BlobName>;

}  // namespace

bool NeedsProfiles(const NewExecution& execution) {
  return execution.execution.cached && execution.profiles.empty() &&
         execution.run.profile_kind == ProfileKind::kCounted;
}

Statement AddTargetUnlessThere(const NewExecution& execution) {
  // A row that conflicts would use up an id.
  return {
      "INSERT INTO target (run_id, label) SELECT run.id, CAST($3 AS text) FROM run "
      "WHERE run.project = $1 AND run.run_key = $2 AND NOT EXISTS (SELECT 1 FROM target "
      "WHERE target.run_id = run.id AND target.label = $3) "
      "ON CONFLICT (run_id, label) DO NOTHING",
      {execution.run.project, execution.run.run_key, execution.execution.target}};
}

Statement AddExecutionUnlessThere(const NewExecution& execution) {
  const ExecutionRecord& key = execution.execution;
  return {absl::StrCat("INSERT INTO execution (target_id, run_number, shard, attempt, cached, "
                       "status, test_binary_digest, duration_ms) SELECT target.id, "
                       "CAST($4 AS bigint), CAST($5 AS bigint), CAST($6 AS bigint), "
                       "CAST($7 AS bigint), CAST($8 AS text), CAST($9 AS text), "
                       "CAST($10 AS bigint) FROM target WHERE ",
                       kIsTarget,
                       " ON CONFLICT (target_id, run_number, shard, attempt) DO NOTHING "
                       "RETURNING id, target_id, CASE WHEN EXISTS (SELECT 1 FROM execution AS "
                       "other WHERE other.target_id = execution.target_id "
                       "AND other.profiles_removed > 0) THEN 1 ELSE 0 END"),
          {execution.run.project, execution.run.run_key, key.target, int64_t{key.run_number},
           int64_t{key.shard}, int64_t{key.attempt}, int64_t{key.cached}, key.status,
           key.test_binary_digest, int64_t{key.duration_ms}}};
}

Statement FindProfiles(const NewExecution& execution) {
  const ExecutionRecord& key = execution.execution;
  return {absl::StrCat("SELECT execution.profiles_removed, profile.process, profile.build_id, "
                       "profile.gmon FROM execution LEFT JOIN profile "
                       "ON profile.execution_id = execution.id WHERE execution.target_id = "
                       "(SELECT target.id FROM target WHERE ",
                       kIsTarget,
                       ") AND execution.run_number = $4 AND execution.shard = $5 "
                       "AND execution.attempt = $6"),
          {execution.run.project, execution.run.run_key, key.target, int64_t{key.run_number},
           int64_t{key.shard}, int64_t{key.attempt}}};
}

absl::StatusOr<std::optional<AddedExecution>> CheckAdded(const Rows& rows,
                                                         const NewExecution& execution) {
  if (rows.empty()) return std::nullopt;
  const Row row = rows.front();
  if (row.Number(2) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(execution.execution.target,
                     ": the profiles of this run were removed because they were old, so "
                     "nothing can be added to their sum: give the run a key of its own"));
  }
  return AddedExecution{row.Number(0), row.Number(1)};
}

absl::StatusOr<std::optional<uint32_t>> CheckSameProfiles(const Rows& rows,
                                                          const NewExecution& execution) {
  if (rows.empty()) return std::nullopt;
  if (const int64_t removed = rows.front().Number(0); removed > 0) {
    return static_cast<uint32_t>(removed);  // it is unknown which
  }
  std::set<ProfileKey> stored;
  for (const Row& row : rows) {
    // NULL: no previous row.
    if (!row.View(1).empty()) stored.emplace(row.Text(1), row.Text(2), row.Text(3));
  }
  std::set<ProfileKey> given;
  for (const ProfileRecord& profile : execution.profiles) {
    given.emplace(profile.process, profile.build_id, profile.data);
  }
  if (stored == given || NeedsProfiles(execution)) return static_cast<uint32_t>(stored.size());
  const ExecutionRecord& key = execution.execution;
  return absl::AlreadyExistsError(absl::StrCat(
      "execution of ", key.target, " (run number ", key.run_number, ", shard ", key.shard,
      ", attempt ", key.attempt, ") in run '", execution.run.run_key, "' is there with other ",
      "profiles: ", stored.size(), " are stored, ", given.size(), " were given"));
}

absl::Status AddImagesAndProfiles(Session& session, const Dialect& dialect, int64_t execution_id,
                                  const NewExecution& execution) {
  if (!execution.images.empty()) {
    std::vector<std::vector<std::string>> images;
    for (const ImageRecord& image : execution.images) {
      images.push_back({image.build_id, image.bundle});
    }
    absl::Status status =
        session.Send(absl::StrCat("INSERT INTO image (execution_id, build_id, bundle) "
                                  "SELECT CAST($2 AS bigint), item ->> 0, item ->> 1 FROM ",
                                  dialect.list),
                     {JsonTable(images), execution_id});
    if (!status.ok()) return status;
  }
  if (execution.profiles.empty()) return absl::OkStatus();
  std::vector<std::vector<std::string>> profiles;
  for (const ProfileRecord& profile : execution.profiles) {
    profiles.push_back({profile.process, profile.build_id, profile.data});
  }
  return session.Send(
      absl::StrCat("INSERT INTO profile (execution_id, process, build_id, gmon) "
                   "SELECT CAST($2 AS bigint), item ->> 0, item ->> 1, item ->> 2 FROM ",
                   dialect.list),
      {JsonTable(profiles), execution_id});
}

absl::Status AddJob(Session& session, int64_t target_id, const NewExecution& execution,
                    absl::Time queued) {
  // A waiting job keeps its turn; a running one gets none.
  constexpr absl::string_view kHasNoTurn = "job.turn = 0 AND job.state <> 'leased'";
  return session.Send(
      absl::StrCat(
          "INSERT INTO job (target_id, state, queued_us, arrived_us, generation, request, project, "
          "turn) VALUES ($1, 'pending', $2, $2, 1, $3, $4, ",
          NextTurn("$4"),
          ") ON CONFLICT (target_id) DO UPDATE SET generation = job.generation + 1, "
          "arrived_us = excluded.arrived_us, request = excluded.request, "
          "queued_us = CASE WHEN job.state IN ('done', 'failed') THEN excluded.queued_us "
          "ELSE job.queued_us END, project = CASE WHEN ",
          kHasNoTurn, " THEN excluded.project ELSE job.project END, turn = CASE WHEN ", kHasNoTurn,
          " THEN excluded.turn ELSE job.turn END, "
          "state = CASE WHEN job.state = 'leased' THEN 'leased' ELSE 'pending' END"),
      {target_id, absl::ToUnixMicros(queued), execution.request, execution.run.project});
}

}  // namespace gprofhub::store::sql
