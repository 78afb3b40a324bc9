#include "store/sql/cached_profiles.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store::sql {
namespace {

// Bazel caches what passed. A run that failed is another measurement.
constexpr absl::string_view kSameResult =
    "SELECT execution.id, execution.test_binary_digest, execution.profiles_from, "
    "(SELECT count(*) FROM profile WHERE profile.execution_id = execution.id) "
    "FROM execution JOIN target ON target.id = execution.target_id "
    "JOIN run ON run.id = target.run_id "
    "WHERE run.project = $1 AND run.configuration = $2 AND target.label = $3 "
    "AND execution.run_number = $4 AND execution.shard = $5 AND run.profile_kind = 'counted' "
    "AND (run.from_fork = 0 OR (run.pull_request = $6 AND run.pull_request <> '')) "
    "AND execution.status IN ('PASSED', 'FLAKY', 'NO_STATUS') "
    "AND EXISTS (SELECT 1 FROM profile WHERE profile.execution_id = execution.id) ";

constexpr absl::string_view kOfBinary =
    "AND execution.test_binary_digest = $8 "
    "ORDER BY CASE WHEN run.pull_request = '' THEN 0 ELSE 1 END, "
    "CASE WHEN run.commit_hash = $7 THEN 0 ELSE 1 END, execution.id DESC LIMIT 1";
constexpr absl::string_view kOfCommit =
    "AND run.commit_hash = $7 "
    "ORDER BY CASE WHEN run.pull_request = '' THEN 0 ELSE 1 END, execution.id DESC LIMIT 1";

absl::StatusOr<Rows> FindSource(Session& session, const NewExecution& execution) {
  const RunRecord& run = execution.run;
  const ExecutionRecord& key = execution.execution;
  std::vector<Parameter> parameters = {
      run.project,        run.configuration, key.target, int64_t{key.run_number},
      int64_t{key.shard}, run.pull_request,  run.commit};
  const bool binary_is_known = !key.test_binary_digest.empty();
  if (binary_is_known) parameters.emplace_back(key.test_binary_digest);
  return session.Query(absl::StrCat(kSameResult, binary_is_known ? kOfBinary : kOfCommit),
                       parameters);
}

}  // namespace

absl::StatusOr<uint32_t> FindCachedProfiles(Session& session, int64_t execution_id,
                                            const NewExecution& execution) {
  const absl::StatusOr<Rows> source = FindSource(session, execution);
  if (!source.ok()) return source.status();
  if (source->empty()) return 0;
  const int64_t source_id = source->front().Number(0);
  absl::Status status = session.Send(
      "INSERT INTO image (execution_id, build_id, bundle) "
      "SELECT CAST($1 AS bigint), build_id, bundle FROM image WHERE execution_id = $2",
      {execution_id, source_id});
  if (!status.ok()) return status;
  status = session.Send(
      "INSERT INTO profile (execution_id, process, build_id, gmon) "
      "SELECT CAST($1 AS bigint), process, build_id, gmon FROM profile WHERE execution_id = $2",
      {execution_id, source_id});
  if (!status.ok()) return status;
  // The original measurement, through all intermediate copies.
  const int64_t from = source->front().Number(2) != 0 ? source->front().Number(2) : source_id;
  status =
      session.Send("UPDATE execution SET test_binary_digest = $2, profiles_from = $3 WHERE id = $1",
                   {execution_id, source->front().Text(1), from});
  if (!status.ok()) return status;
  if (!status.ok()) return status;
  return static_cast<uint32_t>(source->front().Number(3));
}

}  // namespace gprofhub::store::sql
