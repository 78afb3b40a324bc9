#include "store/upkeep/inspection.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "store/archive/segment_inspection.h"
#include "store/blob_name.h"
#include "store/delta/held_blob.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/database.h"
#include "store/sql/transaction.h"
#include "store/upkeep/references.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

// Maximum number of rows of one kind that are listed.
constexpr int64_t kMostTold = 1000;
constexpr int64_t kBlobsAtOnce = 500;

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
    const absl::StatusOr<Rows> rows =
        session.Query(absl::StrCat("SELECT name, size, ", kIsInArchive,
                                   " FROM blob WHERE name > $1 ORDER BY name LIMIT $2"),
                      {after, kBlobsAtOnce});
    if (!rows.ok()) return rows.status();
    std::vector<BlobRow> blobs;
    for (const Row& row : *rows) {
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
    const absl::StatusOr<Rows> rows =
        session.Query(absl::StrCat("SELECT name FROM blob WHERE name IN (SELECT item ->> 0 FROM ",
                                   database.dialect().list, ")"),
                      {sql::JsonColumn(names)});
    if (!rows.ok()) return rows.status();
    absl::flat_hash_set<BlobName> named;
    for (const Row& row : *rows) named.insert(row.Text(0));
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
    const absl::StatusOr<std::vector<BlobName>> whole = sql::ReadIn(
        database,
        [&](sql::Session& session) { return FindWhole(session, database.dialect(), {blob.name}); });
    if (!whole.ok()) return whole.status();
    return InspectionFinding{true, whole->empty() ? "blob.damaged" : "blob.missing",
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
                             absl::StrCat(subject, ": its bytes no longer hash to its name"),
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
  const absl::StatusOr<Rows> count = sql::ReadIn(
      *database_, [](Session& session) { return session.Query("SELECT count(*) FROM blob", {}); });
  if (!count.ok()) return count.status();
  const uint64_t all = static_cast<uint64_t>(count->front().Number(0));
  for (BlobName after;;) {
    const absl::StatusOr<std::vector<BlobRow>> page = BlobsAfter(*database_, after);
    if (!page.ok()) return page.status();
    for (const BlobRow& blob : *page) {
      ++summary.blobs;
      summary.blob_bytes += blob.size;
      if (blob.is_in_archive && (!options.hashes || archive_ == nullptr)) {
        ++summary.unread;
        continue;
      }
      absl::StatusOr<InspectionFinding> finding =
          CheckBlob(*database_, *bytes_, blob, options.hashes);
      if (!finding.ok()) return finding.status();
      // A row that was deleted after the lookup of its blob is not damage.
      if (!finding->kind.empty()) {
        const auto named = Named(*database_, {blob.name});
        if (!named.ok()) return named.status();
        if (!named->empty()) Tell(options, summary, *std::move(finding));
      }
    }
    options.on_progress("blobs", summary.blobs, all);
    if (static_cast<int64_t>(page->size()) < kBlobsAtOnce) return absl::OkStatus();
    after = page->back().name;
  }
}

absl::Status Inspection::CheckFiles(const InspectionOptions& options,
                                    InspectionSummary& summary) const {
  const absl::Time before = options.now - options.upload_time;
  for (int part = 0; part < bytes_->parts(); ++part) {
    options.on_progress("files", part, bytes_->parts());
    const absl::StatusOr<std::vector<sql::LooseBytes>> files = bytes_->List(part);
    if (!files.ok()) return files.status();
    std::vector<BlobName> names;
    for (const sql::LooseBytes& file : *files) names.push_back(file.name);
    const absl::StatusOr<std::vector<BlobName>> whole = sql::ReadIn(
        *database_,
        [&](Session& session) { return FindWhole(session, database_->dialect(), names); });
    if (!whole.ok()) return whole.status();
    const absl::flat_hash_set<BlobName> named(whole->begin(), whole->end());
    for (const sql::LooseBytes& file : *files) {
      ++summary.files;
      if (!file.name.empty() && named.contains(file.name)) continue;
      if (file.name.empty() && !file.incoming) {
        Tell(options, summary,
             {false, "file.unknown", file.place, "gprofhub did not write it: look what it is"});
      } else if (file.changed < before) {
        Tell(options, summary,
             {false, file.incoming ? "file.left" : "file.orphan", file.place,
              "no row names it; `gprofhub admin gc` removes it"});
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Inspection::CheckSegments(const InspectionOptions& options,
                                       InspectionSummary& summary) const {
  options.on_progress("segments", 0, 1);
  const absl::StatusOr<uint64_t> segments = InspectSegments(
      *database_, archive_.get(), options.now - options.upload_time,
      [&](const SegmentFinding& segment) {
        Tell(options, summary, {segment.is_damage, segment.kind, segment.subject, segment.advice});
      });
  if (!segments.ok()) return segments.status();
  summary.segments = *segments;
  return absl::OkStatus();
}

absl::StatusOr<InspectionSummary> Inspection::Run(const InspectionOptions& options) const {
  InspectionSummary summary;
  options.on_progress("database", 0, 1);
  const absl::StatusOr<std::vector<std::string>> integrity = database_->CheckIntegrity();
  if (!integrity.ok()) return integrity.status();
  for (const std::string& problem : *integrity) {
    Tell(options, summary, {true, "database.damaged", problem, "restore the last good backup"});
  }
  for (const auto check : {&Inspection::CheckReferences, &Inspection::CheckBlobs,
                           &Inspection::CheckFiles, &Inspection::CheckSegments}) {
    if (absl::Status status = (this->*check)(options, summary); !status.ok()) return status;
  }
  return summary;
}

}  // namespace gprofhub::store
