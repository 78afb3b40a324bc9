// Uploads that come piece by piece.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "store/sql/database.h"
#include "store/sql/transaction.h"
#include "store/transfers/sha256_stream.h"
#include "store/transfers/transfer_blobs.h"
#include "store/transfers/transfer_checks.h"
#include "store/transfers/transfer_rows.h"

namespace gprofhub::store {

using sql::Rows;
using sql::Session;

absl::StatusOr<TransferProgress> TransferBlobs::Progress(const TransferUpload& upload) const {
  if (absl::Status status = CheckUpload(upload); !status.ok()) return status;
  const TransferDigest& digest = upload.digest;
  if (IsEmptyBlob(digest)) return TransferProgress{true, 0};
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<TransferProgress> {
    TransferProgress progress;
    for (const absl::string_view name : {absl::string_view(), absl::string_view(upload.name)}) {
      const auto row = FindTransfer(session, upload.project, digest.sha256, name, /*lock=*/"");
      if (!row.ok()) return row.status();
      if (!row->has_value() || (*row)->size != digest.size) continue;
      return TransferProgress{name.empty(), (*row)->received};
    }
    return progress;
  });
}

absl::Status TransferBlobs::Append(const TransferUpload& upload, uint64_t offset,
                                   absl::string_view bytes, const TransferLimits& limits,
                                   absl::Time now) const {
  if (absl::Status status = CheckUpload(upload); !status.ok()) return status;
  const TransferDigest& digest = upload.digest;
  if (digest.size > limits.blob_bytes) return TooLarge(digest.size, limits.blob_bytes);
  if (bytes.size() > kPieceBytes) return absl::InvalidArgumentError("a piece is too long");
  if (offset > digest.size || bytes.size() > digest.size - offset) {
    return NotItsBytes(digest, offset + bytes.size());
  }
  if (IsEmptyBlob(digest)) return absl::OkStatus();
  return database_->Write([&](Session& session) {
    const auto find = [&] {
      return FindTransfer(session, upload.project, digest.sha256, upload.name,
                          database_->dialect().for_update);
    };
    auto row = find();
    if (!row.ok()) return row.status();
    if (!row->has_value() && offset == 0) {
      if (absl::Status status = LockRoom(session, upload.project); !status.ok()) return status;
      row = find();  // another call may have begun it meanwhile
      if (!row.ok()) return row.status();
      if (!row->has_value()) {
        return AddTransfer(session, upload, bytes, limits.project_bytes, now);
      }
    }
    const uint64_t received = row->has_value() ? (*row)->received : 0;
    if (!row->has_value() || received != offset || (*row)->size != digest.size) {
      return Moved(offset, received);
    }
    return AddBytes(session, (*row)->id, offset, bytes, now);
  });
}

absl::Status TransferBlobs::Commit(const TransferUpload& upload, absl::Time now) const {
  if (absl::Status status = CheckUpload(upload); !status.ok()) return status;
  const TransferDigest& digest = upload.digest;
  if (IsEmptyBlob(digest)) return absl::OkStatus();
  // The hashed bytes do not change: bytes are only appended until all have arrived, and ids are
  // never reused.
  const auto find = [&](Session& session, absl::string_view lock) {
    return FindTransfer(session, upload.project, digest.sha256, upload.name, lock);
  };
  const auto row =
      sql::ReadIn(*database_, [&](Session& session) { return find(session, /*lock=*/""); });
  if (!row.ok()) return row.status();
  if (!row->has_value() || (*row)->received != digest.size) {
    return Moved(digest.size, row->has_value() ? (*row)->received : 0);
  }
  const int64_t id = (*row)->id;
  Sha256Stream hash;
  for (uint64_t at = 0; at < digest.size;) {
    const absl::StatusOr<std::string> piece =
        sql::ReadIn(*database_, [&](Session& session) { return ReadPiece(session, id, at); });
    if (!piece.ok()) return piece.status();
    if (piece->empty()) return Moved(digest.size, 0);  // it was given up
    hash.Add(*piece);
    at += piece->size();
  }
  const bool good = hash.Hex() == digest.sha256;
  absl::Status status = database_->Write([&](Session& session) {
    absl::Status locked = LockRoom(session, upload.project);
    if (!locked.ok()) return locked;
    const auto there = FindTransfer(session, upload.project, digest.sha256, "", /*lock=*/"");
    if (!there.ok()) return there.status();
    if (!good || there->has_value()) {
      return RemoveTransfers(session, database_->dialect(), upload.project, {id}).status();
    }
    const absl::StatusOr<Rows> whole = session.Query(
        "UPDATE transfer_blob SET upload = '', touched_us = $2 WHERE id = $1 RETURNING 1",
        {id, absl::ToUnixMicros(now)});
    if (!whole.ok()) return whole.status();
    return whole->empty() ? Moved(digest.size, 0) : absl::OkStatus();
  });
  if (!status.ok()) return status;
  return good ? absl::OkStatus() : NotItsBytes(digest, digest.size);
}

}  // namespace gprofhub::store
