#include "store/transfer_blobs.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/sql/database.h"
#include "store/transfer_rows.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

// As in Sha256Hex (base/hash.cc): a wrong name would corrupt the store.
void Must(int result) {
  if (result != 1) std::abort();
}

}  // namespace

Sha256Stream::Sha256Stream() : context_(EVP_MD_CTX_new()) {
  Must(context_ == nullptr ? 0 : EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256Stream::Add(absl::string_view bytes) {
  Must(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256Stream::Hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  Must(EVP_DigestFinal_ex(context_.get(), digest, &size));
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

// A time of use is written again after this time only.
constexpr absl::Duration kTouchGrain = absl::Hours(1);

// Blobs, and uploads under way, that were not touched since these times.
constexpr absl::string_view kOld =
    "((upload = '' AND touched_us <= $1) OR (upload <> '' AND touched_us <= $2))";

std::string List(const std::vector<TransferDigest>& digests) {
  std::vector<std::vector<std::string>> list;
  for (const TransferDigest& digest : digests) list.push_back({digest.sha256});
  return sql::JsonTable(list);
}

struct Whole {
  uint64_t size = 0;
  bool touched_long_ago = false;
};
using WholeBlobs = absl::flat_hash_map<BlobName, Whole>;

absl::StatusOr<WholeBlobs> FindWhole(Session& session, const sql::Dialect& dialect,
                                     absl::string_view project,
                                     const std::vector<TransferDigest>& digests, absl::Time now) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          absl::StrCat("SELECT name, size, touched_us FROM transfer_blob WHERE "
                       "project = $2 AND upload = '' AND name IN (SELECT item ->> 0 FROM ",
                       dialect.list, ")"),
          {List(digests), project}));
  WholeBlobs found;
  for (const Row& row : rows) {
    found[row.Text(0)] = {static_cast<uint64_t>(row.Number(1)),
                          absl::FromUnixMicros(row.Number(2)) < now - kTouchGrain};
  }
  return found;
}

// Those that are still there.
absl::StatusOr<Rows> TouchIn(Session& session, const sql::Dialect& dialect,
                             absl::string_view project, const std::vector<TransferDigest>& digests,
                             absl::Time now) {
  return session.Query(
      absl::StrCat("UPDATE transfer_blob SET touched_us = $3 WHERE project = $2 AND upload = '' "
                   "AND name IN (SELECT item ->> 0 FROM ",
                   dialect.list, ") RETURNING name"),
      {List(digests), project, absl::ToUnixMicros(now)});
}

}  // namespace

TransferBlobs::TransferBlobs(std::shared_ptr<sql::Database> database)
    : database_(std::move(database)) {}

absl::StatusOr<std::vector<TransferDigest>> TransferBlobs::FindMissing(
    absl::string_view project, const std::vector<TransferDigest>& digests, absl::Time now) const {
  RETURN_IF_ERROR(CheckQuestion(project, digests));
  const sql::Dialect& dialect = database_->dialect();
  ASSIGN_OR_RETURN(WholeBlobs found, sql::ReadIn(*database_, [&](Session& session) {
                     return FindWhole(session, dialect, project, digests, now);
                   }));
  std::vector<TransferDigest> old;
  for (const TransferDigest& digest : digests) {
    const auto whole = found.find(digest.sha256);
    if (whole != found.end() && whole->second.size == digest.size &&
        whole->second.touched_long_ago) {
      old.push_back(digest);
    }
  }
  if (!old.empty()) {
    // A client relies on a blob that was reported as present: so the blob must still exist after
    // the touch.
    ASSIGN_OR_RETURN(const Rows touched, sql::WriteIn(*database_, [&](Session& session) {
                       return TouchIn(session, dialect, project, old, now);
                     }));
    absl::flat_hash_set<BlobName> stay;
    for (const Row& row : touched) stay.insert(row.Text(0));
    for (const TransferDigest& digest : old) {
      if (!stay.contains(digest.sha256)) found.erase(digest.sha256);
    }
  }
  std::vector<TransferDigest> missing;
  for (const TransferDigest& digest : digests) {
    const auto whole = found.find(digest.sha256);
    const bool there =
        (whole != found.end() && whole->second.size == digest.size) || IsEmptyBlob(digest);
    if (!there) missing.push_back(digest);
  }
  return missing;
}

absl::Status TransferBlobs::Put(absl::string_view project, const TransferDigest& digest,
                                absl::string_view bytes, const TransferLimits& limits,
                                absl::Time now) const {
  RETURN_IF_ERROR(CheckQuestion(project, {digest}));
  if (digest.size > limits.blob_bytes) return TooLarge(digest.size, limits.blob_bytes);
  if (bytes.size() != digest.size || NameBlob(bytes) != digest.sha256) {
    return NotItsBytes(digest, bytes.size());
  }
  if (IsEmptyBlob(digest)) return absl::OkStatus();
  const absl::StatusOr<std::vector<TransferDigest>> missing = FindMissing(project, {digest}, now);
  if (!missing.ok() || missing->empty()) return missing.status();
  return database_->Write([&](Session& session) {
    RETURN_IF_ERROR(LockRoom(session, project));
    const auto there = FindTransfer(session, project, digest.sha256, "", /*lock=*/"");
    if (!there.ok() || there->has_value()) return there.status();
    return AddTransfer(session, {std::string(project), digest, ""}, bytes, limits.project_bytes,
                       now);
  });
}

absl::StatusOr<std::string> TransferBlobs::Read(absl::string_view project,
                                                const TransferDigest& digest, uint64_t most) const {
  if (digest.size > most) return TooLarge(digest.size, most);
  std::string bytes;
  do {
    ASSIGN_OR_RETURN(const std::string part, ReadPart(project, digest, bytes.size(), kPieceBytes));
    if (part.empty()) break;
    bytes.append(part);
  } while (bytes.size() < digest.size);
  if (bytes.size() != digest.size || NameBlob(bytes) != digest.sha256) {
    return absl::DataLossError(absl::StrCat("blob ", digest.sha256,
                                            ", uploaded by Bazel for project ", project,
                                            ": its bytes no longer match its hash"));
  }
  return bytes;
}

absl::StatusOr<std::string> TransferBlobs::ReadPart(absl::string_view project,
                                                    const TransferDigest& digest, uint64_t offset,
                                                    uint64_t most) const {
  RETURN_IF_ERROR(CheckQuestion(project, {digest}));
  if (IsEmptyBlob(digest)) return std::string();
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const auto row,
                     FindTransfer(session, project, digest.sha256, "", /*lock=*/""));
    if (!row.has_value() || row->size != digest.size) return NoSuchBlob(digest);
    if (offset >= digest.size) return std::string();
    absl::StatusOr<std::string> piece = ReadPiece(session, row->id, offset);
    if (piece.ok() && piece->size() > most) piece->resize(most);
    return piece;
  });
}

absl::StatusOr<HeldTransfers> TransferBlobs::Held() const {
  return sql::ReadIn(*database_, [](Session& session) -> absl::StatusOr<HeldTransfers> {
    ASSIGN_OR_RETURN(const Rows rows, session.Query("SELECT coalesce(CAST(sum(blobs) AS bigint), "
                                                    "0), coalesce(CAST(sum(bytes) AS bigint), 0) "
                                                    "FROM transfer_room",
                                                    {}));
    return HeldTransfers{static_cast<uint64_t>(rows.front().Number(0)),
                         static_cast<uint64_t>(rows.front().Number(1))};
  });
}

absl::StatusOr<HeldTransfers> TransferBlobs::HeldOf(absl::string_view project) const {
  RETURN_IF_ERROR(CheckQuestion(project, {}));
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<HeldTransfers> {
    ASSIGN_OR_RETURN(
        const Rows rows,
        session.Query("SELECT blobs, bytes FROM transfer_room WHERE project = $1", {project}));
    if (rows.empty()) return HeldTransfers();
    return HeldTransfers{static_cast<uint64_t>(rows.front().Number(0)),
                         static_cast<uint64_t>(rows.front().Number(1))};
  });
}

absl::StatusOr<HeldTransfers> TransferBlobs::RemoveOld(absl::Time blobs_before,
                                                       absl::Time uploads_before,
                                                       uint32_t limit) const {
  const int64_t blobs_us = absl::ToUnixMicros(blobs_before);
  const int64_t uploads_us = absl::ToUnixMicros(uploads_before);
  const int64_t latest = std::max(blobs_us, uploads_us);
  return sql::WriteIn(*database_, [&](Session& session) -> absl::StatusOr<HeldTransfers> {
    ASSIGN_OR_RETURN(
        const Rows rows,
        session.Query(
            absl::StrCat("SELECT id, project FROM transfer_blob WHERE touched_us <= $3 AND ", kOld,
                         " ORDER BY touched_us, id LIMIT $4"),
            {blobs_us, uploads_us, latest, int64_t{limit}}));
    std::map<std::string, std::vector<int64_t>> of_projects;  // in lock order: no deadlocks
    for (const Row& row : rows) of_projects[row.Text(1)].push_back(row.Number(0));
    HeldTransfers removed;
    for (const auto& [project, ids] : of_projects) {
      RETURN_IF_ERROR(LockRoom(session, project));
      std::vector<int64_t> still_old;
      for (const int64_t id : ids) {
        ASSIGN_OR_RETURN(
            const Rows old,
            session.Query(absl::StrCat("SELECT id FROM transfer_blob WHERE id = $3 AND ", kOld,
                                       database_->dialect().for_update),
                          {blobs_us, uploads_us, id}));
        if (!old.empty()) still_old.push_back(id);
      }
      ASSIGN_OR_RETURN(const HeldTransfers one,
                       RemoveTransfers(session, database_->dialect(), project, still_old));
      removed.blobs += one.blobs;
      removed.bytes += one.bytes;
    }
    return removed;
  });
}

absl::StatusOr<HeldTransfers> TransferBlobs::CountOld(absl::Time blobs_before,
                                                      absl::Time uploads_before) const {
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<HeldTransfers> {
    ASSIGN_OR_RETURN(
        const Rows rows,
        session.Query(
            absl::StrCat(
                "SELECT count(*), coalesce(CAST(sum(size) AS bigint), 0) FROM transfer_blob "
                "WHERE ",
                kOld),
            {absl::ToUnixMicros(blobs_before), absl::ToUnixMicros(uploads_before)}));
    return HeldTransfers{static_cast<uint64_t>(rows.front().Number(0)),
                         static_cast<uint64_t>(rows.front().Number(1))};
  });
}

// Uploads that come piece by piece.

using sql::Rows;
using sql::Session;

absl::StatusOr<TransferProgress> TransferBlobs::Progress(const TransferUpload& upload) const {
  RETURN_IF_ERROR(CheckUpload(upload));
  const TransferDigest& digest = upload.digest;
  if (IsEmptyBlob(digest)) return TransferProgress{true, 0};
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<TransferProgress> {
    TransferProgress progress;
    for (const absl::string_view name : {absl::string_view(), absl::string_view(upload.name)}) {
      ASSIGN_OR_RETURN(const auto row,
                       FindTransfer(session, upload.project, digest.sha256, name, /*lock=*/""));
      if (!row.has_value() || row->size != digest.size) continue;
      return TransferProgress{name.empty(), row->received};
    }
    return progress;
  });
}

absl::Status TransferBlobs::Append(const TransferUpload& upload, uint64_t offset,
                                   absl::string_view bytes, const TransferLimits& limits,
                                   absl::Time now) const {
  RETURN_IF_ERROR(CheckUpload(upload));
  const TransferDigest& digest = upload.digest;
  if (digest.size > limits.blob_bytes) return TooLarge(digest.size, limits.blob_bytes);
  if (bytes.size() > kPieceBytes) return absl::InvalidArgumentError("a chunk is too long");
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
      RETURN_IF_ERROR(LockRoom(session, upload.project));
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
  RETURN_IF_ERROR(CheckUpload(upload));
  const TransferDigest& digest = upload.digest;
  if (IsEmptyBlob(digest)) return absl::OkStatus();
  // The hashed bytes do not change: bytes are only appended until all have arrived, and ids are
  // never reused.
  const auto find = [&](Session& session, absl::string_view lock) {
    return FindTransfer(session, upload.project, digest.sha256, upload.name, lock);
  };
  ASSIGN_OR_RETURN(const auto row, sql::ReadIn(*database_, [&](Session& session) {
                     return find(session, /*lock=*/"");
                   }));
  if (!row.has_value() || row->received != digest.size) {
    return Moved(digest.size, row.has_value() ? row->received : 0);
  }
  const int64_t id = row->id;
  Sha256Stream hash;
  for (uint64_t at = 0; at < digest.size;) {
    ASSIGN_OR_RETURN(const std::string piece, sql::ReadIn(*database_, [&](Session& session) {
                       return ReadPiece(session, id, at);
                     }));
    if (piece.empty()) return Moved(digest.size, 0);  // it was given up
    hash.Add(piece);
    at += piece.size();
  }
  const bool good = hash.Hex() == digest.sha256;
  absl::Status status = database_->Write([&](Session& session) {
    RETURN_IF_ERROR(LockRoom(session, upload.project));
    ASSIGN_OR_RETURN(const auto there,
                     FindTransfer(session, upload.project, digest.sha256, "", /*lock=*/""));
    if (!good || there.has_value()) {
      return RemoveTransfers(session, database_->dialect(), upload.project, {id}).status();
    }
    ASSIGN_OR_RETURN(
        const Rows whole,
        session.Query(
            "UPDATE transfer_blob SET upload = '', touched_us = $2 WHERE id = $1 RETURNING 1",
            {id, absl::ToUnixMicros(now)}));
    return whole.empty() ? Moved(digest.size, 0) : absl::OkStatus();
  });
  if (!status.ok()) return status;
  return good ? absl::OkStatus() : NotItsBytes(digest, digest.size);
}

}  // namespace gprofhub::store
