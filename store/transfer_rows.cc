#include "store/transfer_rows.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

absl::Status CheckDigest(const TransferDigest& digest) {
  if (IsBlobName(digest.sha256)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "a blob's name is a SHA-256 of 64 lower-case hexadecimal digits");
}

}  // namespace

absl::Status CheckQuestion(absl::string_view project, const std::vector<TransferDigest>& digests) {
  RETURN_IF_ERROR(CheckKey("project", project));
  for (const TransferDigest& digest : digests) {
    RETURN_IF_ERROR(CheckDigest(digest));
  }
  return absl::OkStatus();
}

absl::Status CheckUpload(const TransferUpload& upload) {
  RETURN_IF_ERROR(CheckQuestion(upload.project, {upload.digest}));
  return CheckKey("upload", upload.name);
}

absl::Status NotItsBytes(const TransferDigest& digest, uint64_t bytes) {
  return absl::InvalidArgumentError(absl::StrCat("the ", bytes,
                                                 " received bytes do not match blob ",
                                                 digest.sha256, " of ", digest.size, " bytes"));
}

absl::Status TooLarge(uint64_t size, uint64_t most) {
  return absl::OutOfRangeError(
      absl::StrCat("the blob has ", size, " bytes; at most ", most, " are accepted"));
}

absl::Status NoSuchBlob(const TransferDigest& digest) {
  return absl::NotFoundError(
      absl::StrCat("the project has no blob ", digest.sha256, " of ", digest.size, " bytes"));
}

absl::Status Moved(uint64_t offset, uint64_t received) {
  return absl::FailedPreconditionError(absl::StrCat("the upload continues at byte ", received,
                                                    ", not at ", offset,
                                                    "; query its state and continue there"));
}

bool IsEmptyBlob(const TransferDigest& digest) {
  return digest.size == 0 && digest.sha256 == NameBlob("");
}

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
    RETURN_IF_ERROR(session.Execute(
        "INSERT INTO transfer_piece (blob_id, first_byte, bytes) VALUES ($1, $2, $3)",
        {id, static_cast<int64_t>(first_byte), sql::Bytes{piece}}));
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
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(absl::StrCat("SELECT id, size, received, touched_us FROM transfer_blob "
                                 "WHERE project = $1 AND name = $2 AND upload = $3",
                                 lock),
                    {project, name, upload}));
  if (rows.empty()) return std::nullopt;
  const Row& row = rows.front();
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
  ASSIGN_OR_RETURN(
      const Rows taken,
      session.Query("UPDATE transfer_room SET blobs = blobs + 1, bytes = bytes + $2 "
                    "WHERE project = $1 AND bytes + $2 <= $3 RETURNING 1",
                    {upload.project, RoomOf(digest.size), static_cast<int64_t>(project_bytes)}));
  if (taken.empty()) {
    return absl::OutOfRangeError(
        absl::StrCat("the files uploaded by Bazel for project ", upload.project, " fill the ",
                     project_bytes, " bytes of its limit; the oldest are removed within a day"));
  }
  ASSIGN_OR_RETURN(
      const Rows added,
      session.Query("INSERT INTO transfer_blob (project, name, size, upload, received, touched_us) "
                    "VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
                    {upload.project, digest.sha256, static_cast<int64_t>(digest.size), upload.name,
                     static_cast<int64_t>(bytes.size()), absl::ToUnixMicros(now)}));
  return AddPieces(session, added.front().Number(0), 0, bytes);
}

absl::Status AddBytes(Session& session, int64_t id, uint64_t received, absl::string_view bytes,
                      absl::Time now) {
  RETURN_IF_ERROR(AddPieces(session, id, received, bytes));
  return session.Execute(
      "UPDATE transfer_blob SET received = $2, touched_us = $3 WHERE id = $1",
      {id, static_cast<int64_t>(received + bytes.size()), absl::ToUnixMicros(now)});
}

absl::StatusOr<std::string> ReadPiece(Session& session, int64_t id, uint64_t offset) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          "SELECT first_byte, bytes FROM transfer_piece WHERE blob_id = $1 AND first_byte <= $2 "
          "ORDER BY first_byte DESC LIMIT 1",
          {id, static_cast<int64_t>(offset)}));
  if (rows.empty()) return std::string();
  std::string bytes = rows.front().Text(1);
  const uint64_t skipped = offset - static_cast<uint64_t>(rows.front().Number(0));
  return skipped < bytes.size() ? bytes.substr(skipped) : std::string();
}

absl::StatusOr<HeldTransfers> RemoveTransfers(Session& session, const sql::Dialect& dialect,
                                              absl::string_view project,
                                              const std::vector<int64_t>& ids) {
  const std::string list =
      absl::StrCat("(SELECT CAST(item ->> 0 AS bigint) FROM ", dialect.list, ")");
  RETURN_IF_ERROR(session.Execute(
      absl::StrCat("DELETE FROM transfer_piece WHERE blob_id IN ", list), {sql::JsonColumn(ids)}));
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(absl::StrCat("DELETE FROM transfer_blob WHERE id IN ", list, " RETURNING size"),
                    {sql::JsonColumn(ids)}));
  HeldTransfers removed;
  int64_t room = 0;
  for (const Row& row : rows) {
    const auto size = static_cast<uint64_t>(row.Number(0));
    ++removed.blobs;
    removed.bytes += size;
    room += RoomOf(size);
  }
  RETURN_IF_ERROR(session.Execute(
      "UPDATE transfer_room SET blobs = blobs - $2, bytes = bytes - $3 WHERE project = $1",
      {project, static_cast<int64_t>(removed.blobs), room}));
  return removed;
}

}  // namespace gprofhub::store
