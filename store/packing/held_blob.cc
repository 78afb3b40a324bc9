#include "store/packing/held_blob.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/public_message.h"
#include "base/sha256.h"
#include "store/packing/content_delta.h"
#include "store/sql/blob_rows.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

struct Found {
  BlobName base;
  PackedBlob packed;
};

absl::StatusOr<std::optional<Found>> Find(sql::Session& session, const BlobName& name) {
  const absl::StatusOr<sql::Rows> rows = session.Query(
      "SELECT blob_base.name, packed_blob.is_of_frame, packed_blob.bytes "
      "FROM packed_blob JOIN blob_base ON blob_base.id = packed_blob.base_id "
      "WHERE packed_blob.name = $1",
      {name});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  const sql::Row row = rows->front();
  return Found{row.Text(0), {name, row.Number(1) != 0, row.Text(2)}};
}

absl::Status Damaged(const BlobName& name, absl::string_view why) {
  return absl::DataLossError(absl::StrCat("blob ", name, ": ", why));
}

// Where files lie is nobody's business but the operator's.
absl::Status Gone(const sql::Database& database, const BlobName& name) {
  const std::string folder = database.folder();
  if (folder.empty()) return Damaged(name, "its bytes have gone");
  return base::WithPublicMessage(
      Damaged(name, absl::StrCat("its bytes have gone from ", folder, "/blobs")),
      absl::StrCat("blob ", name, ": its bytes have gone; the server's log says from where"));
}

absl::StatusOr<HeldBlob> Unpack(sql::BlobBytes& bytes, const Found& found) {
  const BlobName& name = found.packed.name;
  const absl::StatusOr<std::optional<std::string>> base = bytes.Read(found.base);
  if (!base.ok() && !absl::IsNotFound(base.status())) return base.status();
  if (!base.ok() || !base->has_value()) {
    return Damaged(name, absl::StrCat("it is packed, and its base ", found.base, " has gone"));
  }
  const absl::StatusOr<Content> base_content = ContentOf(**base);
  if (!base_content.ok()) {
    return Damaged(name, absl::StrCat("it is packed, and of its base ", found.base, " ",
                                      base_content.status().message()));
  }
  absl::StatusOr<std::string> content = UnpackContent(found.packed.bytes, base_content->bytes);
  if (!content.ok()) {
    return Damaged(name, absl::StrCat(content.status().message(), "; its base is ", found.base));
  }
  return HeldBlob{found.packed.is_of_frame ? FrameOf(*content) : *std::move(content), true};
}

}  // namespace

absl::StatusOr<HeldBlob> ReadHeldBlob(sql::Database& database, sql::BlobBytes& bytes,
                                      const BlobName& name) {
  // Between two questions a blob may be packed, and a packed one be sent again.
  for (int tries = 0; tries < 2; ++tries) {
    absl::StatusOr<std::optional<std::string>> whole = bytes.Read(name);
    if (!whole.ok()) return whole.status();
    if (whole->has_value()) return HeldBlob{**std::move(whole), false};
    const absl::StatusOr<std::optional<Found>> found =
        sql::ReadIn(database, [&name](sql::Session& session) { return Find(session, name); });
    if (!found.ok()) return found.status();
    if (found->has_value()) return Unpack(bytes, **found);
  }
  return Gone(database, name);
}

absl::StatusOr<HeldBlob> ReadSoundBlob(sql::Database& database, sql::BlobBytes& bytes,
                                       const BlobName& name) {
  absl::StatusOr<HeldBlob> held = ReadHeldBlob(database, bytes, name);
  if (held.ok() && !held->is_packed && base::Sha256Hex(held->bytes) != name) {
    return Damaged(name,
                   absl::StrCat("its ", held->bytes.size(), " bytes no longer hash to its name"));
  }
  return held;
}

absl::StatusOr<std::vector<BlobName>> FindWhole(sql::Session& session, const sql::Dialect& dialect,
                                                const std::vector<BlobName>& names) {
  const absl::StatusOr<sql::Rows> rows =
      session.Query(absl::StrCat("SELECT name FROM blob WHERE name IN (SELECT item ->> 0 FROM ",
                                 dialect.list, ") AND ", sql::kIsWhole, " ORDER BY name"),
                    {sql::JsonColumn(names)});
  if (!rows.ok()) return rows.status();
  std::vector<BlobName> whole;
  for (const sql::Row& row : *rows) whole.push_back(row.Text(0));
  return whole;
}

absl::Status AddPackedBlob(sql::Session& session, int64_t base_id, const PackedBlob& packed) {
  return session.Execute(
      "INSERT INTO packed_blob (name, base_id, is_of_frame, bytes) VALUES ($1, $2, $3, $4)",
      {packed.name, base_id, int64_t{packed.is_of_frame}, sql::Bytes{packed.bytes}});
}

}  // namespace gprofhub::store
