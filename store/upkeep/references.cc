#include "store/upkeep/references.h"

namespace gprofhub::store {
namespace {

constexpr absl::string_view kRestore =
    "restore the last good backup, or delete the run (gprofhub admin delete-run)";
constexpr absl::string_view kDeleteRun =
    "delete the run (gprofhub admin delete-run), or restore the last good backup";
constexpr absl::string_view kRestoreOnly = "restore the last good backup";
constexpr absl::string_view kRequeue =
    "let the tests run again, or delete the run (gprofhub admin delete-run)";
constexpr absl::string_view kSendAgain =
    "nothing is lost: the project's next upload sends the bytes again";
constexpr absl::string_view kGoesInADay =
    "it goes within a day; the build that handed it over has to run again";
constexpr absl::string_view kCollect = "`gprofhub admin gc` removes them";

constexpr ReferenceCheck kChecks[] = {
    // ---- Runs and their parts ----
    {"target.without-run", true,
     "SELECT 'target ' || id || ' (' || label || ') of run ' || run_id FROM target "
     "WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.id = target.run_id) ORDER BY id LIMIT $1",
     kRestoreOnly},
    {"run.without-targets", true,
     "SELECT 'run ' || id || ' of project ' || project FROM run WHERE NOT EXISTS "
     "(SELECT 1 FROM target WHERE target.run_id = run.id) ORDER BY id LIMIT $1",
     kDeleteRun},
    {"execution.without-target", true,
     "SELECT 'execution ' || id || ' of target ' || target_id FROM execution WHERE NOT EXISTS "
     "(SELECT 1 FROM target WHERE target.id = execution.target_id) ORDER BY id LIMIT $1",
     kRestoreOnly},
    {"target.without-executions", true,
     "SELECT 'target ' || label || ' of run ' || run_id FROM target WHERE NOT EXISTS "
     "(SELECT 1 FROM execution WHERE execution.target_id = target.id) ORDER BY id LIMIT $1",
     kDeleteRun},
    {"image.without-execution", true,
     "SELECT 'image ' || build_id || ' of execution ' || execution_id FROM image WHERE NOT EXISTS "
     "(SELECT 1 FROM execution WHERE execution.id = image.execution_id) LIMIT $1",
     kRestoreOnly},
    {"profile.without-execution", true,
     "SELECT 'profile ' || process || ' of execution ' || execution_id FROM profile "
     "WHERE NOT EXISTS (SELECT 1 FROM execution WHERE execution.id = profile.execution_id) "
     "LIMIT $1",
     kRestoreOnly},
    {"profile.without-image", true,
     "SELECT 'profile ' || process || ' of execution ' || execution_id || ': image ' || build_id "
     "FROM profile WHERE NOT EXISTS (SELECT 1 FROM image WHERE image.execution_id = "
     "profile.execution_id AND image.build_id = profile.build_id) LIMIT $1",
     kRestore},
    // ---- Analyses and their points ----
    {"job.without-target", true,
     "SELECT 'job ' || id || ' of target ' || target_id FROM job WHERE NOT EXISTS "
     "(SELECT 1 FROM target WHERE target.id = job.target_id) ORDER BY id LIMIT $1",
     kRestoreOnly},
    {"target.without-job", true,
     "SELECT 'target ' || label || ' of run ' || run_id FROM target WHERE NOT EXISTS "
     "(SELECT 1 FROM job WHERE job.target_id = target.id) ORDER BY id LIMIT $1",
     kRequeue},
    {"target.without-result", true,
     "SELECT 'target ' || target.label || ' of run ' || target.run_id FROM target "
     "JOIN job ON job.target_id = target.id WHERE job.state = 'done' AND target.computed IS NULL "
     "ORDER BY target.id LIMIT $1",
     kRequeue},
    {"points.without-target", true,
     "SELECT 'points of ' || label || ' in run ' || run_id || ', bucket ' || bucket "
     "FROM open_points JOIN series_line ON series_line.id = line_id WHERE NOT EXISTS "
     "(SELECT 1 FROM target WHERE target.run_id = open_points.run_id "
     "AND target.label = series_line.label) LIMIT $1",
     kRestoreOnly},
    {"points.without-line", true,
     "SELECT 'points of line ' || line_id || ', bucket ' || bucket FROM "
     "(SELECT line_id, bucket FROM open_points UNION ALL SELECT line_id, 0 FROM sealed_runs "
     "UNION ALL SELECT line_id, bucket FROM sealed_points) "
     "AS points WHERE NOT EXISTS (SELECT 1 FROM series_line WHERE series_line.id = line_id) "
     "LIMIT $1",
     kRestoreOnly},
    {"ancestors.without-run", true,
     "SELECT 'ancestors of run ' || run_id FROM run_ancestors WHERE NOT EXISTS "
     "(SELECT 1 FROM run WHERE run.id = run_ancestors.run_id) ORDER BY run_id LIMIT $1",
     kRestoreOnly},
    // ---- References to blobs ----
    {"image.without-blob", true,
     "SELECT 'image ' || build_id || ' of execution ' || execution_id || ': blob ' || bundle "
     "FROM image WHERE NOT EXISTS (SELECT 1 FROM blob WHERE blob.name = image.bundle) LIMIT $1",
     kRestore},
    {"profile.without-blob", true,
     "SELECT 'profile ' || process || ' of execution ' || execution_id || ': blob ' || gmon "
     "FROM profile WHERE NOT EXISTS (SELECT 1 FROM blob WHERE blob.name = profile.gmon) LIMIT $1",
     kRestore},
    {"result.without-blob", true,
     "SELECT 'result of target ' || label || ' of run ' || run_id || ': blob ' || computed "
     "FROM target WHERE computed IS NOT NULL AND NOT EXISTS "
     "(SELECT 1 FROM blob WHERE blob.name = target.computed) ORDER BY id LIMIT $1",
     kRestore},
    {"right.without-blob", true,
     "SELECT 'right of project ' || project || ' to blob ' || name FROM blob_right "
     "WHERE NOT EXISTS (SELECT 1 FROM blob WHERE blob.name = blob_right.name) LIMIT $1",
     kRestoreOnly},
    {"delta.without-blob", true,
     "SELECT 'delta of blob ' || name FROM blob_delta WHERE NOT EXISTS "
     "(SELECT 1 FROM blob WHERE blob.name = blob_delta.name) LIMIT $1",
     kRestoreOnly},
    {"delta.without-base", true,
     "SELECT 'blob ' || name || ': its base ' || base_id FROM blob_delta WHERE NOT EXISTS "
     "(SELECT 1 FROM blob_base JOIN blob ON blob.name = blob_base.name "
     "WHERE blob_base.id = blob_delta.base_id) LIMIT $1",
     kRestore},
    {"delta.too-deep", true,
     "SELECT 'blob ' || blob_delta.name FROM blob_delta "
     "JOIN blob_base ON blob_base.name = blob_delta.name "
     "JOIN blob_base AS root ON root.id = blob_delta.base_id WHERE EXISTS "
     "(SELECT 1 FROM blob_delta AS deeper WHERE deeper.name = root.name) LIMIT $1",
     kRestore},
    {"archived.without-blob", true,
     "SELECT 'archived blob ' || name FROM archived_blob WHERE NOT EXISTS "
     "(SELECT 1 FROM blob WHERE blob.name = archived_blob.name) LIMIT $1",
     kRestoreOnly},
    {"archived.without-segment", true,
     "SELECT 'blob ' || name || ': its segment ' || segment_id FROM archived_blob WHERE NOT EXISTS "
     "(SELECT 1 FROM segment WHERE segment.id = archived_blob.segment_id) LIMIT $1",
     kRestore},
    // ---- Rights: a project has sent the blobs that its executions reference ----
    {"image.without-right", true,
     "SELECT 'project ' || run.project || ', execution ' || execution.id || ': blob ' || "
     "image.bundle FROM image JOIN execution ON execution.id = image.execution_id "
     "JOIN target ON target.id = execution.target_id JOIN run ON run.id = target.run_id "
     "WHERE NOT EXISTS (SELECT 1 FROM blob_right WHERE blob_right.project = run.project "
     "AND blob_right.name = image.bundle) LIMIT $1",
     kSendAgain},
    {"profile.without-right", true,
     "SELECT 'project ' || run.project || ', execution ' || execution.id || ': blob ' || "
     "profile.gmon FROM profile JOIN execution ON execution.id = profile.execution_id "
     "JOIN target ON target.id = execution.target_id JOIN run ON run.id = target.run_id "
     "WHERE NOT EXISTS (SELECT 1 FROM blob_right WHERE blob_right.project = run.project "
     "AND blob_right.name = profile.gmon) LIMIT $1",
     kSendAgain},
    // ---- Rows about runs ----
    {"report.without-run", true,
     "SELECT 'report ' || id || ' on run ' || run_id FROM report_job WHERE NOT EXISTS "
     "(SELECT 1 FROM run WHERE run.id = report_job.run_id) ORDER BY id LIMIT $1",
     kRestoreOnly},
    {"gated.without-run", true,
     "SELECT 'gated finding ' || id || ' of run ' || run_id FROM gated WHERE NOT EXISTS "
     "(SELECT 1 FROM run WHERE run.id = gated.run_id) ORDER BY id LIMIT $1",
     kRestoreOnly},
    {"rerun-request.without-run", true,
     "SELECT 'request ' || id || ' to run again run ' || run_id FROM rerun_request WHERE NOT "
     "EXISTS (SELECT 1 FROM run WHERE run.id = rerun_request.run_id) ORDER BY id LIMIT $1",
     kRestoreOnly},
    // ---- Files uploaded by Bazel ----
    {"transfer.incomplete", true,
     "SELECT 'blob ' || name || ', handed over for project ' || project || ': ' || "
     "(SELECT coalesce(CAST(sum(length(bytes)) AS bigint), 0) FROM transfer_piece "
     "WHERE blob_id = transfer_blob.id) || ' bytes of ' || received FROM transfer_blob "
     "WHERE received <> (SELECT coalesce(CAST(sum(length(bytes)) AS bigint), 0) "
     "FROM transfer_piece WHERE blob_id = transfer_blob.id) ORDER BY id LIMIT $1",
     kGoesInADay},
    {"transfer-piece.without-blob", true,
     "SELECT 'piece of handed-over blob ' || blob_id || ' from byte ' || first_byte "
     "FROM transfer_piece WHERE NOT EXISTS (SELECT 1 FROM transfer_blob "
     "WHERE transfer_blob.id = transfer_piece.blob_id) LIMIT $1",
     kRestoreOnly},
    {"transfer-room.miscounted", false,
     "SELECT 'project ' || project || ': ' || blobs || ' handed-over blobs are counted' FROM "
     "transfer_room WHERE blobs <> (SELECT count(*) FROM transfer_blob "
     "WHERE transfer_blob.project = transfer_room.project) LIMIT $1",
     "its room is larger or smaller than it should be; restore the last good backup, which has "
     "none"},
    // ---- Denormalised counts ----
    {"run.miscounted", false,
     "SELECT 'run ' || id || ' of project ' || project || ': ' || jobs_done || ' done and ' || "
     "jobs_failed || ' failed tests are counted' FROM run WHERE counted_revision = revision AND ("
     "jobs_done <> (SELECT count(*) FROM target JOIN job ON job.target_id = target.id "
     "WHERE target.run_id = run.id AND job.state = 'done') OR "
     "jobs_failed <> (SELECT count(*) FROM target JOIN job ON job.target_id = target.id "
     "WHERE target.run_id = run.id AND job.state = 'failed') OR EXISTS "
     "(SELECT 1 FROM target JOIN job ON job.target_id = target.id "
     "WHERE target.run_id = run.id AND job.state IN ('pending', 'leased'))) ORDER BY id LIMIT $1",
     "lists of runs show wrong numbers; they are counted anew when something of the run changes"},
    // ---- Wasted space ----
    {"blob.unused", false,
     "SELECT count || ' blobs that nobody refers to' FROM (SELECT count(*) AS count FROM blob "
     "WHERE NOT EXISTS (SELECT 1 FROM image WHERE image.bundle = blob.name) "
     "AND NOT EXISTS (SELECT 1 FROM profile WHERE profile.gmon = blob.name) "
     "AND NOT EXISTS (SELECT 1 FROM target WHERE target.computed = blob.name) "
     "AND NOT EXISTS (SELECT 1 FROM blob_base JOIN blob_delta ON base_id = blob_base.id "
     "WHERE blob_base.name = blob.name)) AS unused "
     "WHERE count > 0 LIMIT $1",
     kCollect},
};

}  // namespace

absl::Span<const ReferenceCheck> ReferenceChecks() { return kChecks; }

}  // namespace gprofhub::store
