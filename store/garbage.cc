#include "store/garbage.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "store/archive/held_blob.h"
#include "store/rows/summaries.h"
#include "store/sql/database.h"
#include "store/transfer_blobs.h"

namespace gprofhub::store {

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

// Whether the blob of the row is referenced. Each condition is an index lookup.
constexpr absl::string_view kIsUsed =
    "(EXISTS (SELECT 1 FROM image WHERE image.bundle = blob.name) "
    "OR EXISTS (SELECT 1 FROM profile WHERE profile.gmon = blob.name) "
    "OR EXISTS (SELECT 1 FROM target WHERE target.computed = blob.name) "
    "OR EXISTS (SELECT 1 FROM blob_base JOIN blob_delta ON blob_delta.base_id = blob_base.id "
    "WHERE blob_base.name = blob.name))";

// USED and LIST are placeholders of these expressions.
std::string Statement(absl::string_view text, const sql::Dialect& dialect) {
  const std::string list = absl::StrCat("(SELECT item ->> 0 FROM ", dialect.list, ")");
  return absl::StrReplaceAll(text, {{"USED", kIsUsed}, {"LIST", list}});
}

// Of the blobs that follow a name, in the order of the names.
struct MarkedPage {
  BlobName last;  // empty: end of the list
  std::vector<BlobName> unused;
};

absl::StatusOr<MarkedPage> FindUnused(Session& session, const sql::Dialect& dialect,
                                      const BlobName& after, int64_t limit) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(Statement("SELECT name, CASE WHEN unused_since_us = 0 AND NOT USED THEN 1 "
                              "ELSE 0 END FROM blob WHERE name > $1 ORDER BY name LIMIT $2",
                              dialect),
                    {after, limit}));
  MarkedPage page;
  for (const Row& row : rows) {
    if (row.Number(1) != 0) page.unused.push_back(row.Text(0));
  }
  if (static_cast<int64_t>(rows.size()) == limit) page.last = rows.back().Text(0);
  return page;
}

// How many of them were unused still.
absl::StatusOr<uint64_t> MarkUnused(Session& session, const sql::Dialect& dialect,
                                    const std::vector<BlobName>& unused, absl::Time now) {
  ASSIGN_OR_RETURN(
      const Rows marked,
      session.Query(
          Statement(
              "UPDATE blob SET unused_since_us = $2 WHERE name IN LIST AND unused_since_us = 0 "
              "AND NOT USED RETURNING 1",
              dialect),
          {sql::JsonColumn(unused), absl::ToUnixMicros(now)}));
  return marked.size();
}

struct SweptPage {
  std::vector<BlobName> names;
  uint64_t bytes = 0;
  bool more = false;
};

// Removes the rows of blobs that were marked before `before`. They are locked first: from then on
// no transaction can add a reference, and earlier references are visible.
absl::StatusOr<SweptPage> SweepPage(Session& session, const sql::Dialect& dialect,
                                    absl::Time before, int64_t limit, const Actor& by,
                                    absl::Time now) {
  RETURN_IF_ERROR(CheckNoBackup(session, now));
  ASSIGN_OR_RETURN(
      const Rows marked,
      session.Query(
          absl::StrCat("SELECT name FROM blob WHERE unused_since_us <> 0 AND unused_since_us <= $1 "
                       "ORDER BY unused_since_us, name LIMIT $2",
                       dialect.for_update_skip_locked),
          {absl::ToUnixMicros(before), limit}));
  SweptPage page;
  page.more = static_cast<int64_t>(marked.size()) == limit;
  if (marked.empty()) return page;
  std::vector<BlobName> names;
  for (const Row& row : marked) names.push_back(row.Text(0));
  RETURN_IF_ERROR(session.Execute(
      Statement("UPDATE blob SET unused_since_us = 0 WHERE name IN LIST AND USED", dialect),
      {sql::JsonColumn(names)}));
  ASSIGN_OR_RETURN(
      const Rows unused,
      session.Query(
          Statement("SELECT name, size FROM blob WHERE name IN LIST AND NOT USED ORDER BY name",
                    dialect),
          {sql::JsonColumn(names)}));
  for (const Row& row : unused) {
    page.names.push_back(row.Text(0));
    page.bytes += static_cast<uint64_t>(row.Number(1));
  }
  if (page.names.empty()) return page;
  for (const absl::string_view statement :
       {"DELETE FROM blob_right WHERE name IN LIST", "DELETE FROM blob WHERE name IN LIST"}) {
    RETURN_IF_ERROR(session.Execute(Statement(statement, dialect), {sql::JsonColumn(page.names)}));
  }
  const std::string subject = absl::StrCat(page.names.size(), " blobs");
  const std::string detail = absl::StrCat(page.bytes, " unreferenced bytes");
  RETURN_IF_ERROR(sql::AddAuditRow(session, by, {"", "blob.delete", subject, detail}, now));
  return page;
}

// Those of the files that no row of a whole blob names.
absl::StatusOr<std::vector<sql::LooseBytes>> Orphans(Session& session, const sql::Dialect& dialect,
                                                     std::vector<sql::LooseBytes> files) {
  std::vector<BlobName> names;
  for (const sql::LooseBytes& file : files) names.push_back(file.name);
  ASSIGN_OR_RETURN(const std::vector<BlobName> whole, FindWhole(session, dialect, names));
  const absl::flat_hash_set<std::string> named(whole.begin(), whole.end());
  std::vector<sql::LooseBytes> orphans;
  for (sql::LooseBytes& file : files) {
    if (!named.contains(file.name)) orphans.push_back(std::move(file));
  }
  return orphans;
}

}  // namespace

Garbage::Garbage(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes)
    : database_(std::move(database)), bytes_(std::move(bytes)) {}

absl::Status Garbage::Mark(const CollectOptions& options, Collected& collected) const {
  for (BlobName after;;) {
    // A page is read first: most have nothing to mark, and writers need not wait for that.
    ASSIGN_OR_RETURN(const MarkedPage page, sql::ReadIn(*database_, [&](Session& session) {
                       return FindUnused(session, database_->dialect(), after,
                                         int64_t{options.rows_at_once});
                     }));
    if (options.dry_run) {
      collected.marked += page.unused.size();
    } else if (!page.unused.empty()) {
      ASSIGN_OR_RETURN(const uint64_t marked, sql::WriteIn(*database_, [&](Session& session) {
                         return MarkUnused(session, database_->dialect(), page.unused,
                                           options.now());
                       }));
      collected.marked += marked;
    }
    if (page.last.empty()) return absl::OkStatus();
    after = page.last;
    RETURN_IF_ERROR(options.pause());
  }
}

absl::Status Garbage::Sweep(const CollectOptions& options, const Actor& by,
                            Collected& collected) const {
  const absl::Time before = options.now() - options.grace;
  if (options.dry_run) {
    return database_->Read([&](Session& session) {
      ASSIGN_OR_RETURN(
          const Rows rows,
          session.Query(
              Statement("SELECT count(*), coalesce(CAST(sum(size) AS bigint), 0) FROM blob "
                        "WHERE unused_since_us <> 0 AND unused_since_us <= $1 AND NOT USED",
                        database_->dialect()),
              {absl::ToUnixMicros(before)}));
      collected.blobs = static_cast<uint64_t>(rows.front().Number(0));
      collected.blob_bytes = static_cast<uint64_t>(rows.front().Number(1));
      return absl::OkStatus();
    });
  }
  while (true) {
    ASSIGN_OR_RETURN(const SweptPage page, sql::WriteIn(*database_, [&](Session& session) {
                       return SweepPage(session, database_->dialect(), before,
                                        int64_t{options.rows_at_once}, by, options.now());
                     }));
    collected.blobs += page.names.size();
    collected.blob_bytes += page.bytes;
    RETURN_IF_ERROR(bytes_->RemoveUnnamed(page.names, absl::InfiniteFuture()).status());
    if (!page.more) return absl::OkStatus();
    RETURN_IF_ERROR(options.pause());
  }
}

absl::Status Garbage::RemoveFiles(const CollectOptions& options, Collected& collected) const {
  const absl::Time before = options.now() - options.grace;
  for (int part = 0; part < bytes_->parts(); ++part) {
    ASSIGN_OR_RETURN(std::vector<sql::LooseBytes> files, bytes_->List(part));
    std::vector<sql::LooseBytes> old;
    for (sql::LooseBytes& file : files) {
      if (file.changed >= before) continue;
      if (file.incoming && options.dry_run) {
        ++collected.files;
        collected.file_bytes += file.size;
      }
      if (!file.name.empty()) old.push_back(std::move(file));
    }
    ASSIGN_OR_RETURN(const std::vector<sql::LooseBytes> orphans,
                     sql::ReadIn(*database_, [&](Session& session) {
                       return Orphans(session, database_->dialect(), old);
                     }));
    std::vector<BlobName> names;
    for (const sql::LooseBytes& orphan : orphans) {
      names.push_back(orphan.name);
      if (!options.dry_run) continue;
      ++collected.files;
      collected.file_bytes += orphan.size;
    }
    if (options.dry_run || names.empty()) continue;
    ASSIGN_OR_RETURN(const sql::RemovedBytes removed, bytes_->RemoveUnnamed(names, before));
    collected.files += removed.count;
    collected.file_bytes += removed.bytes;
    RETURN_IF_ERROR(options.pause());
  }
  if (options.dry_run) return absl::OkStatus();
  ASSIGN_OR_RETURN(const sql::RemovedBytes removed, bytes_->RemoveIncoming(before));
  collected.files += removed.count;
  collected.file_bytes += removed.bytes;
  return absl::OkStatus();
}

absl::Status Garbage::RemoveTransfers(const CollectOptions& options, Collected& collected) const {
  // One may have hundreds of pieces.
  constexpr uint32_t kAtOnce = 20;
  const TransferBlobs transfers(database_);
  const absl::Time before = options.now() - options.grace;
  const absl::Time uploads_before =
      options.now() - std::min(options.grace, TransferBlobs::kUploadStays);
  while (true) {
    ASSIGN_OR_RETURN(const HeldTransfers removed,
                     options.dry_run ? transfers.CountOld(before, uploads_before)
                                     : transfers.RemoveOld(before, uploads_before, kAtOnce));
    collected.transfers += removed.blobs;
    collected.transfer_bytes += removed.bytes;
    if (options.dry_run || removed.blobs == 0) return absl::OkStatus();
    RETURN_IF_ERROR(options.pause());
  }
}

absl::StatusOr<Collected> Garbage::Collect(const CollectOptions& options, const Actor& by) const {
  Collected collected;
  // Sweeping precedes marking: a blob is not marked and swept in one collection, even with a grace
  // period of 0. So every blob takes two collections, and the output of the first one shows what
  // the second one removes.
  RETURN_IF_ERROR(Sweep(options, by, collected));
  ASSIGN_OR_RETURN(const Rows waiting, sql::ReadIn(*database_, [](Session& session) {
                     return session.Query("SELECT count(*) FROM blob WHERE unused_since_us <> 0",
                                          {});
                   }));
  collected.waiting = static_cast<uint64_t>(waiting.front().Number(0));
  if (options.dry_run) collected.waiting -= std::min(collected.waiting, collected.blobs);
  RETURN_IF_ERROR(Mark(options, collected));
  RETURN_IF_ERROR(RemoveFiles(options, collected));
  RETURN_IF_ERROR(RemoveTransfers(options, collected));
  return collected;
}

}  // namespace gprofhub::store
