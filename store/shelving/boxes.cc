#include "store/shelving/boxes.h"

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

absl::StatusOr<std::vector<BoxedBlob>> NeededOf(sql::Database& database, int64_t box_id) {
  using Result = absl::StatusOr<std::vector<BoxedBlob>>;
  return sql::ReadIn(database, [&](Session& session) -> Result {
    const absl::StatusOr<Rows> rows = session.Query(
        "SELECT name, first_byte, length FROM shelved_blob WHERE box_id = $1 ORDER BY first_byte",
        {box_id});
    if (!rows.ok()) return rows.status();
    std::vector<BoxedBlob> blobs;
    for (const Row& row : *rows) {
      blobs.push_back({row.Text(0), static_cast<uint64_t>(row.Number(1)),
                       static_cast<uint64_t>(row.Number(2))});
    }
    return blobs;
  });
}

}  // namespace

absl::StatusOr<FilledBox> PutBox(ObjectStore& shelf, BoxFiller filler) {
  const absl::StatusOr<std::string> random = base::RandomBytes(16);
  if (!random.ok()) return random.status();
  const std::string digits = absl::BytesToHexString(*random);
  FilledBox box;
  box.object = absl::StrCat(kBoxPrefix, digits.substr(0, 2), "/", digits.substr(2));
  box.blob_bytes = filler.blob_bytes();
  box.blobs = filler.blobs();
  const std::string bytes = filler.Finish();
  box.size = bytes.size();
  if (absl::Status status = shelf.Put(box.object, bytes); !status.ok()) return status;
  return box;
}

absl::StatusOr<int64_t> AddBox(Session& session, const FilledBox& box, absl::Time now) {
  const absl::StatusOr<Rows> added = session.Query(
      "INSERT INTO box (object, size, blob_bytes, filled_us) VALUES ($1, $2, $3, $4) RETURNING id",
      {box.object, static_cast<int64_t>(box.size), static_cast<int64_t>(box.blob_bytes),
       absl::ToUnixMicros(now)});
  if (!added.ok()) return added.status();
  return added->front().Number(0);
}

absl::StatusOr<std::optional<ShelvedPlace>> FindShelved(Session& session, const BlobName& name) {
  const absl::StatusOr<Rows> rows = session.Query(
      "SELECT box.id, box.object, shelved_blob.first_byte, shelved_blob.length "
      "FROM shelved_blob JOIN box ON box.id = shelved_blob.box_id WHERE shelved_blob.name = $1",
      {name});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  const Row row = rows->front();
  return ShelvedPlace{row.Number(0), row.Text(1), static_cast<uint64_t>(row.Number(2)),
                      static_cast<uint64_t>(row.Number(3))};
}

absl::StatusOr<std::vector<BoxRow>> ListBoxes(Session& session, int64_t after, uint32_t limit) {
  const absl::StatusOr<Rows> rows = session.Query(
      "SELECT id, object, size, blob_bytes, unused_since_us, "
      "(SELECT CAST(coalesce(sum(length), 0) AS bigint) FROM shelved_blob "
      "WHERE shelved_blob.box_id = box.id) FROM box WHERE id > $1 ORDER BY id LIMIT $2",
      {after, int64_t{limit}});
  if (!rows.ok()) return rows.status();
  std::vector<BoxRow> boxes;
  for (const Row& row : *rows) {
    boxes.push_back({row.Number(0), row.Text(1), static_cast<uint64_t>(row.Number(2)),
                     static_cast<uint64_t>(row.Number(3)), static_cast<uint64_t>(row.Number(5)),
                     row.Number(4) != 0});
  }
  return boxes;
}

absl::StatusOr<BoxContents> ReadContents(sql::Database& database, ObjectStore& shelf,
                                         const BoxRow& box) {
  const absl::StatusOr<std::vector<BoxedBlob>> needed = NeededOf(database, box.id);
  if (!needed.ok()) return needed.status();
  BoxContents contents;
  if (needed->empty()) return contents;
  const absl::StatusOr<std::string> bytes = shelf.Read(box.object, 0, box.size);
  if (absl::IsNotFound(bytes.status()) || absl::IsOutOfRange(bytes.status())) {
    contents.damaged = needed->size();
    return contents;
  }
  if (!bytes.ok()) return bytes.status();
  for (const BoxedBlob& blob : *needed) {
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
