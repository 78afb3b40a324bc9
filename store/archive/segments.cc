#include "store/archive/segments.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/system/random_bytes.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

absl::StatusOr<std::vector<SegmentBlob>> NeededOf(sql::Database& database, int64_t segment_id) {
  using Result = absl::StatusOr<std::vector<SegmentBlob>>;
  return sql::ReadIn(database, [&](Session& session) -> Result {
    const absl::StatusOr<Rows> rows = session.Query(
        "SELECT name, first_byte, length FROM archived_blob WHERE segment_id = $1 ORDER BY "
        "first_byte",
        {segment_id});
    if (!rows.ok()) return rows.status();
    std::vector<SegmentBlob> blobs;
    for (const Row& row : *rows) {
      blobs.push_back({row.Text(0), static_cast<uint64_t>(row.Number(1)),
                       static_cast<uint64_t>(row.Number(2))});
    }
    return blobs;
  });
}

}  // namespace

absl::StatusOr<WrittenSegment> PutSegment(ObjectStore& archive, SegmentWriter writer) {
  const absl::StatusOr<std::string> random = base::RandomBytes(16);
  if (!random.ok()) return random.status();
  const std::string digits = absl::BytesToHexString(*random);
  WrittenSegment segment;
  segment.object = absl::StrCat(kSegmentPrefix, digits.substr(0, 2), "/", digits.substr(2));
  segment.blob_bytes = writer.blob_bytes();
  segment.blobs = writer.blobs();
  const std::string bytes = writer.Finish();
  segment.size = bytes.size();
  if (absl::Status status = archive.Put(segment.object, bytes); !status.ok()) return status;
  return segment;
}

absl::StatusOr<int64_t> AddSegment(Session& session, const WrittenSegment& segment,
                                   absl::Time now) {
  const absl::StatusOr<Rows> added = session.Query(
      "INSERT INTO segment (object, size, blob_bytes, filled_us) VALUES ($1, $2, $3, $4) RETURNING "
      "id",
      {segment.object, static_cast<int64_t>(segment.size), static_cast<int64_t>(segment.blob_bytes),
       absl::ToUnixMicros(now)});
  if (!added.ok()) return added.status();
  return added->front().Number(0);
}

absl::StatusOr<std::optional<ArchivedPlace>> FindArchived(Session& session, const BlobName& name) {
  const absl::StatusOr<Rows> rows = session.Query(
      "SELECT segment.id, segment.object, archived_blob.first_byte, archived_blob.length "
      "FROM archived_blob JOIN segment ON segment.id = archived_blob.segment_id WHERE "
      "archived_blob.name = $1",
      {name});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  const Row row = rows->front();
  return ArchivedPlace{row.Number(0), row.Text(1), static_cast<uint64_t>(row.Number(2)),
                       static_cast<uint64_t>(row.Number(3))};
}

absl::StatusOr<std::vector<SegmentRow>> ListSegments(Session& session, int64_t after,
                                                     uint32_t limit) {
  const absl::StatusOr<Rows> rows = session.Query(
      "SELECT id, object, size, blob_bytes, unused_since_us, "
      "(SELECT CAST(coalesce(sum(length), 0) AS bigint) FROM archived_blob "
      "WHERE archived_blob.segment_id = segment.id) FROM segment WHERE id > $1 ORDER BY id LIMIT "
      "$2",
      {after, int64_t{limit}});
  if (!rows.ok()) return rows.status();
  std::vector<SegmentRow> segments;
  for (const Row& row : *rows) {
    segments.push_back({row.Number(0), row.Text(1), static_cast<uint64_t>(row.Number(2)),
                        static_cast<uint64_t>(row.Number(3)), static_cast<uint64_t>(row.Number(5)),
                        row.Number(4) != 0});
  }
  return segments;
}

absl::StatusOr<SegmentContents> ReadContents(sql::Database& database, ObjectStore& archive,
                                             const SegmentRow& segment) {
  const absl::StatusOr<std::vector<SegmentBlob>> needed = NeededOf(database, segment.id);
  if (!needed.ok()) return needed.status();
  SegmentContents contents;
  if (needed->empty()) return contents;
  const absl::StatusOr<std::string> bytes = archive.Read(segment.object, 0, segment.size);
  if (absl::IsNotFound(bytes.status()) || absl::IsOutOfRange(bytes.status())) {
    contents.damaged = needed->size();
    return contents;
  }
  if (!bytes.ok()) return bytes.status();
  for (const SegmentBlob& blob : *needed) {
    const absl::string_view all = *bytes;
    const bool lies_within =
        blob.first_byte <= all.size() && blob.length <= all.size() - blob.first_byte;
    const absl::string_view own =
        lies_within ? all.substr(blob.first_byte, blob.length) : absl::string_view();
    if (!lies_within || base::Sha256Hex(own) != blob.name) {
      ++contents.damaged;
    } else {
      contents.blobs.push_back({blob.name, std::string(own)});
    }
  }
  return contents;
}

}  // namespace gprofhub::store
