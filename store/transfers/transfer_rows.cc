#include "store/transfers/transfer_rows.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

int64_t RoomOf(uint64_t size) {
  return static_cast<int64_t>(std::max(size, TransferLimits::kRowBytes));
}

absl::Status AddPieces(Session& session, int64_t id, uint64_t first_byte, absl::string_view bytes) {
  while (!bytes.empty()) {
    const absl::string_view piece = bytes.substr(0, kTransferPieceBytes);
    absl::Status status = session.Execute(
        "INSERT INTO transfer_piece (blob_id, first_byte, bytes) VALUES ($1, $2, $3)",
        {id, static_cast<int64_t>(first_byte), sql::Bytes{piece}});
    if (!status.ok()) return status;
    first_byte += piece.size();
    bytes.remove_prefix(piece.size());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<TransferRow>> FindTransfer(Session& session, absl::string_view project,
                                                        absl::string_view name,
                                                        absl::string_view upload,
                                                        absl::string_view lock) {
  const absl::StatusOr<Rows> rows =
      session.Query(absl::StrCat("SELECT id, size, received, touched_us FROM transfer_blob "
                                 "WHERE project = $1 AND name = $2 AND upload = $3",
                                 lock),
                    {project, name, upload});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  const Row& row = rows->front();
  return TransferRow{row.Number(0), static_cast<uint64_t>(row.Number(1)),
                     static_cast<uint64_t>(row.Number(2)), absl::FromUnixMicros(row.Number(3))};
}

absl::Status LockRoom(Session& session, absl::string_view project) {
  return session.Execute(
      "INSERT INTO transfer_room (project, blobs, bytes) VALUES ($1, 0, 0) "
      "ON CONFLICT (project) DO UPDATE SET blobs = transfer_room.blobs",
      {project});
}

absl::Status AddTransfer(Session& session, const TransferUpload& upload, absl::string_view bytes,
                         uint64_t project_bytes, absl::Time now) {
  const TransferDigest& digest = upload.digest;
  const absl::StatusOr<Rows> taken = session.Query(
      "UPDATE transfer_room SET blobs = blobs + 1, bytes = bytes + $2 "
      "WHERE project = $1 AND bytes + $2 <= $3 RETURNING 1",
      {upload.project, RoomOf(digest.size), static_cast<int64_t>(project_bytes)});
  if (!taken.ok()) return taken.status();
  if (taken->empty()) {
    return absl::OutOfRangeError(
        absl::StrCat("the files that Bazel handed over for project ", upload.project, " fill the ",
                     project_bytes, " bytes that it may have of them; the oldest go within a day"));
  }
  const absl::StatusOr<Rows> added = session.Query(
      "INSERT INTO transfer_blob (project, name, size, upload, received, touched_us) "
      "VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
      {upload.project, digest.sha256, static_cast<int64_t>(digest.size), upload.name,
       static_cast<int64_t>(bytes.size()), absl::ToUnixMicros(now)});
  if (!added.ok()) return added.status();
  return AddPieces(session, added->front().Number(0), 0, bytes);
}

absl::Status AddBytes(Session& session, int64_t id, uint64_t received, absl::string_view bytes,
                      absl::Time now) {
  absl::Status status = AddPieces(session, id, received, bytes);
  if (!status.ok()) return status;
  return session.Execute(
      "UPDATE transfer_blob SET received = $2, touched_us = $3 WHERE id = $1",
      {id, static_cast<int64_t>(received + bytes.size()), absl::ToUnixMicros(now)});
}

absl::StatusOr<std::string> ReadPiece(Session& session, int64_t id, uint64_t offset) {
  const absl::StatusOr<Rows> rows = session.Query(
      "SELECT first_byte, bytes FROM transfer_piece WHERE blob_id = $1 AND first_byte <= $2 "
      "ORDER BY first_byte DESC LIMIT 1",
      {id, static_cast<int64_t>(offset)});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::string();
  std::string bytes = rows->front().Text(1);
  const uint64_t skipped = offset - static_cast<uint64_t>(rows->front().Number(0));
  return skipped < bytes.size() ? bytes.substr(skipped) : std::string();
}

absl::StatusOr<HeldTransfers> RemoveTransfers(Session& session, const sql::Dialect& dialect,
                                              absl::string_view project,
                                              const std::vector<int64_t>& ids) {
  const std::string list =
      absl::StrCat("(SELECT CAST(item ->> 0 AS bigint) FROM ", dialect.list, ")");
  absl::Status status = session.Execute(
      absl::StrCat("DELETE FROM transfer_piece WHERE blob_id IN ", list), {sql::JsonColumn(ids)});
  if (!status.ok()) return status;
  const absl::StatusOr<Rows> rows =
      session.Query(absl::StrCat("DELETE FROM transfer_blob WHERE id IN ", list, " RETURNING size"),
                    {sql::JsonColumn(ids)});
  if (!rows.ok()) return rows.status();
  HeldTransfers removed;
  int64_t room = 0;
  for (const Row& row : *rows) {
    const auto size = static_cast<uint64_t>(row.Number(0));
    ++removed.blobs;
    removed.bytes += size;
    room += RoomOf(size);
  }
  status = session.Execute(
      "UPDATE transfer_room SET blobs = blobs - $2, bytes = bytes - $3 WHERE project = $1",
      {project, static_cast<int64_t>(removed.blobs), room});
  if (!status.ok()) return status;
  return removed;
}

}  // namespace gprofhub::store
