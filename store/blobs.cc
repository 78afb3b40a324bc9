#include "store/blobs.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "store/blob_name.h"
#include "store/delta/held_blob.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/blob_rows.h"
#include "store/sql/transaction.h"
#include "store/validation.h"

namespace gprofhub::store {
namespace {

absl::Status NotABlobName() {
  return absl::InvalidArgumentError(
      "a blob's name is a SHA-256 of 64 lower-case hexadecimal digits");
}

absl::Status CheckQuestion(absl::string_view project, const std::vector<BlobName>& names) {
  if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
  for (const BlobName& name : names) {
    if (!IsBlobName(name)) return NotABlobName();
  }
  return absl::OkStatus();
}

}  // namespace

Blobs::Blobs(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes)
    : database_(std::move(database)),
      bytes_(std::move(bytes)),
      bases_(std::make_shared<KeptBases>()) {}

absl::StatusOr<std::vector<BlobName>> Blobs::FindMissing(absl::string_view project,
                                                         const std::vector<BlobName>& names) const {
  if (absl::Status status = CheckQuestion(project, names); !status.ok()) return status;
  return sql::ReadIn(*database_, [&](sql::Session& session) {
    return sql::FindMissingBlobs(session, database_->dialect(), project, names);
  });
}

absl::StatusOr<std::vector<BlobName>> Blobs::FindToSend(absl::string_view project,
                                                        const std::vector<BlobName>& names) const {
  if (absl::Status status = CheckQuestion(project, names); !status.ok()) return status;
  return sql::ReadIn(*database_, [&](sql::Session& session) {
    return sql::FindBlobsToSend(session, database_->dialect(), project, names);
  });
}

absl::StatusOr<std::string> Blobs::Read(const BlobName& name) const {
  if (!IsBlobName(name)) return NotABlobName();
  absl::StatusOr<HeldBlob> held = ReadSoundBlob(*database_, *bytes_, name, bases_.get());
  if (!held.ok()) return held.status();
  return std::move(held->bytes);
}

absl::StatusOr<uint64_t> Blobs::SizeOf(const BlobName& name) const {
  if (!IsBlobName(name)) return NotABlobName();
  return sql::ReadIn(*database_, [&](sql::Session& session) -> absl::StatusOr<uint64_t> {
    const absl::StatusOr<sql::Rows> rows =
        session.Query("SELECT size FROM blob WHERE name = $1", {name});
    if (!rows.ok()) return rows.status();
    if (rows->empty()) return absl::NotFoundError(absl::StrCat("blob ", name, " is not stored"));
    return static_cast<uint64_t>(rows->front().Number(0));
  });
}

}  // namespace gprofhub::store
