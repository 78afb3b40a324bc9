#include "store/inspection.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "store/archive/compaction.h"
#include "store/archive/held_blob.h"
#include "store/sql/database.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

// Integrity constraints of the store, as queries.

struct ReferenceCheck {
  absl::string_view kind;
  bool is_damage;
  // Gives one column, a text that names the row, for each row that lacks something. $1 rows at
  // most.
  absl::string_view query;
  absl::string_view advice;
};

absl::Span<const ReferenceCheck> ReferenceChecks();

constexpr absl::string_view kRestore =
    "restore the last good backup, or delete the run (gprofhub admin delete-run)";
constexpr absl::string_view kDeleteRun =
    "delete the run (gprofhub admin delete-run), or restore the last good backup";
constexpr absl::string_view kRestoreOnly = "restore the last good backup";
constexpr absl::string_view kRequeue =
    "rerun the tests, or delete the run (gprofhub admin delete-run)";
constexpr absl::string_view kSendAgain =
    "nothing is lost: the project's next upload sends the bytes again";
constexpr absl::string_view kGoesInADay =
    "it is removed within a day; run the build that uploaded it again";
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
     "its quota usage is counted incorrectly; restore the last good backup, which has no such "
     "counts"},
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
     "lists of runs show wrong numbers; they are recounted when the run changes"},
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

absl::Span<const ReferenceCheck> ReferenceChecks() { return kChecks; }

using sql::Row;
using sql::Rows;
using sql::Session;

// Maximum number of rows of one kind that are listed.
constexpr int64_t kMostTold = 1000;
constexpr int64_t kCheckedAtOnce = 500;

constexpr absl::string_view kRestoreBlob =
    "put the file back from a backup, or delete the runs that refer to it";

void Tell(const InspectionOptions& options, InspectionSummary& summary, InspectionFinding finding) {
  ++(finding.is_damage ? summary.damages : summary.notes);
  options.on_finding(finding);
}

struct BlobRow {
  BlobName name;
  uint64_t size = 0;
  bool is_in_archive = false;  // or its base is
};

// Of a row of blob: 1 or 0.
constexpr absl::string_view kIsInArchive =
    "CASE WHEN EXISTS (SELECT 1 FROM archived_blob WHERE archived_blob.name = blob.name) "
    "OR EXISTS (SELECT 1 FROM blob_delta JOIN blob_base ON blob_base.id = blob_delta.base_id "
    "JOIN archived_blob ON archived_blob.name = blob_base.name WHERE blob_delta.name = blob.name) "
    "THEN 1 ELSE 0 END";

absl::StatusOr<std::vector<BlobRow>> BlobsAfter(sql::Database& database, const BlobName& after) {
  return sql::ReadIn(database, [&](Session& session) -> absl::StatusOr<std::vector<BlobRow>> {
    ASSIGN_OR_RETURN(
        const Rows rows,
        session.Query(absl::StrCat("SELECT name, size, ", kIsInArchive,
                                   " FROM blob WHERE name > $1 ORDER BY name LIMIT $2"),
                      {after, kCheckedAtOnce}));
    std::vector<BlobRow> blobs;
    for (const Row& row : rows) {
      blobs.push_back({row.Text(0), static_cast<uint64_t>(row.Number(1)), row.Number(2) != 0});
    }
    return blobs;
  });
}

// Those of the names that have rows.
absl::StatusOr<absl::flat_hash_set<BlobName>> Named(sql::Database& database,
                                                    const std::vector<BlobName>& names) {
  using Result = absl::StatusOr<absl::flat_hash_set<BlobName>>;
  return sql::ReadIn(database, [&](Session& session) -> Result {
    ASSIGN_OR_RETURN(
        const Rows rows,
        session.Query(absl::StrCat("SELECT name FROM blob WHERE name IN (SELECT item ->> 0 FROM ",
                                   database.dialect().list, ")"),
                      {sql::JsonColumn(names)}));
    absl::flat_hash_set<BlobName> named;
    for (const Row& row : rows) named.insert(row.Text(0));
    return named;
  });
}

// An empty kind, like nullopt, if the blob matches its row.
absl::StatusOr<InspectionFinding> CheckBlob(sql::Database& database, sql::BlobBytes& bytes,
                                            const BlobRow& blob, bool hashes) {
  const std::string subject = absl::StrCat("blob ", blob.name);
  const absl::StatusOr<HeldBlob> read = ReadHeldBlob(database, bytes, blob.name);
  if (absl::IsNotFound(read.status())) return InspectionFinding();  // it went in the meantime
  if (absl::IsDataLoss(read.status())) {
    ASSIGN_OR_RETURN(const std::vector<BlobName> whole,
                     sql::ReadIn(database, [&](sql::Session& session) {
                       return FindWhole(session, database.dialect(), {blob.name});
                     }));
    return InspectionFinding{true, whole.empty() ? "blob.damaged" : "blob.missing",
                             std::string(read.status().message()), std::string(kRestoreBlob)};
  }
  if (!read.ok()) return read.status();
  if (read->is_delta) return InspectionFinding();  // reading checked it
  if (read->bytes.size() != blob.size) {
    return InspectionFinding{
        true, "blob.damaged",
        absl::StrCat(subject, ": has ", read->bytes.size(), " bytes, not ", blob.size),
        std::string(kRestoreBlob)};
  }
  if (hashes && NameBlob(read->bytes) != blob.name) {
    return InspectionFinding{true, "blob.damaged",
                             absl::StrCat(subject, ": its bytes no longer match its hash"),
                             std::string(kRestoreBlob)};
  }
  return InspectionFinding();
}

}  // namespace

Inspection::Inspection(std::shared_ptr<sql::Database> database,
                       std::shared_ptr<sql::BlobBytes> bytes, std::shared_ptr<ObjectStore> archive)
    : database_(std::move(database)), bytes_(std::move(bytes)), archive_(std::move(archive)) {}

absl::Status Inspection::CheckReferences(const InspectionOptions& options,
                                         InspectionSummary& summary) const {
  const absl::Span<const ReferenceCheck> checks = ReferenceChecks();
  for (const ReferenceCheck& check : checks) {
    options.on_progress("references", summary.references, checks.size());
    const absl::StatusOr<Rows> rows = sql::ReadIn(
        *database_, [&](Session& session) { return session.Query(check.query, {kMostTold + 1}); });
    if (absl::IsDataLoss(rows.status())) {
      Tell(options, summary,
           {true, "database.damaged",
            absl::StrCat("while looking for ", check.kind, ": ", rows.status().message()),
            "restore the last good backup"});
      continue;
    }
    if (!rows.ok()) return rows.status();
    for (size_t i = 0; i < rows->size(); ++i) {
      const bool is_told = static_cast<int64_t>(i) < kMostTold;
      Tell(options, summary,
           {check.is_damage, std::string(check.kind),
            is_told ? (*rows)[i].Text(0) : "and more of this kind", std::string(check.advice)});
    }
    ++summary.references;
  }
  return absl::OkStatus();
}

absl::Status Inspection::CheckBlobs(const InspectionOptions& options,
                                    InspectionSummary& summary) const {
  ASSIGN_OR_RETURN(const Rows count, sql::ReadIn(*database_, [](Session& session) {
                     return session.Query("SELECT count(*) FROM blob", {});
                   }));
  const uint64_t all = static_cast<uint64_t>(count.front().Number(0));
  for (BlobName after;;) {
    ASSIGN_OR_RETURN(const std::vector<BlobRow> page, BlobsAfter(*database_, after));
    for (const BlobRow& blob : page) {
      ++summary.blobs;
      summary.blob_bytes += blob.size;
      if (blob.is_in_archive && (!options.hashes || archive_ == nullptr)) {
        ++summary.unread;
        continue;
      }
      ASSIGN_OR_RETURN(InspectionFinding finding,
                       CheckBlob(*database_, *bytes_, blob, options.hashes));
      // A row that was deleted after the lookup of its blob is not damage.
      if (!finding.kind.empty()) {
        ASSIGN_OR_RETURN(const auto named, Named(*database_, {blob.name}));
        if (!named.empty()) Tell(options, summary, std::move(finding));
      }
    }
    options.on_progress("blobs", summary.blobs, all);
    if (static_cast<int64_t>(page.size()) < kCheckedAtOnce) return absl::OkStatus();
    after = page.back().name;
  }
}

absl::Status Inspection::CheckFiles(const InspectionOptions& options,
                                    InspectionSummary& summary) const {
  const absl::Time before = options.now - options.upload_time;
  for (int part = 0; part < bytes_->parts(); ++part) {
    options.on_progress("files", part, bytes_->parts());
    ASSIGN_OR_RETURN(const std::vector<sql::LooseBytes> files, bytes_->List(part));
    std::vector<BlobName> names;
    for (const sql::LooseBytes& file : files) names.push_back(file.name);
    ASSIGN_OR_RETURN(const std::vector<BlobName> whole,
                     sql::ReadIn(*database_, [&](Session& session) {
                       return FindWhole(session, database_->dialect(), names);
                     }));
    const absl::flat_hash_set<BlobName> named(whole.begin(), whole.end());
    for (const sql::LooseBytes& file : files) {
      ++summary.files;
      if (!file.name.empty() && named.contains(file.name)) continue;
      if (file.name.empty() && !file.incoming) {
        Tell(options, summary,
             {false, "file.unknown", file.place, "gprofhub did not write it; check what it is"});
      } else if (file.changed < before) {
        Tell(options, summary,
             {false, file.incoming ? "file.left" : "file.orphan", file.place,
              "no row refers to it; `gprofhub admin gc` removes it"});
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Inspection::CheckSegments(const InspectionOptions& options,
                                       InspectionSummary& summary) const {
  options.on_progress("segments", 0, 1);
  ASSIGN_OR_RETURN(
      const uint64_t segments,
      InspectSegments(*database_, archive_.get(), options.now - options.upload_time,
                      [&](const SegmentFinding& segment) {
                        Tell(options, summary,
                             {segment.is_damage, segment.kind, segment.subject, segment.advice});
                      }));
  summary.segments = segments;
  return absl::OkStatus();
}

absl::StatusOr<InspectionSummary> Inspection::Run(const InspectionOptions& options) const {
  InspectionSummary summary;
  options.on_progress("database", 0, 1);
  ASSIGN_OR_RETURN(const std::vector<std::string> integrity, database_->CheckIntegrity());
  for (const std::string& problem : integrity) {
    Tell(options, summary, {true, "database.damaged", problem, "restore the last good backup"});
  }
  for (const auto check : {&Inspection::CheckReferences, &Inspection::CheckBlobs,
                           &Inspection::CheckFiles, &Inspection::CheckSegments}) {
    RETURN_IF_ERROR((this->*check)(options, summary));
  }
  return summary;
}

}  // namespace gprofhub::store
