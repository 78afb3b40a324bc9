#include "store/delta/held_blob.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/public_message.h"
#include "base/sha256.h"
#include "store/delta/content_delta.h"
#include "store/sql/blob_rows.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

// Length of the longest chain: a blob and its base may be deltas, the root is whole.
constexpr int kMaxDeltas = 2;

struct Found {
  BlobName base;
  BlobDelta delta;
};

absl::StatusOr<std::optional<Found>> Find(sql::Session& session, const BlobName& name) {
  const absl::StatusOr<sql::Rows> rows = session.Query(
      "SELECT blob_base.name, blob_delta.is_of_frame, blob_delta.bytes "
      "FROM blob_delta JOIN blob_base ON blob_base.id = blob_delta.base_id "
      "WHERE blob_delta.name = $1",
      {name});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  const sql::Row row = rows->front();
  return Found{row.Text(0), {name, row.Number(1) != 0, row.Text(2)}};
}

absl::Status Damaged(const BlobName& name, absl::string_view why) {
  return absl::DataLossError(absl::StrCat("blob ", name, ": ", why));
}

// The public message hides the folder's path; only the operator sees it.
absl::Status Gone(const sql::Database& database, const BlobName& name) {
  const std::string folder = database.folder();
  if (folder.empty()) return Damaged(name, "its bytes have gone");
  return base::WithPublicMessage(
      Damaged(name, absl::StrCat("its bytes have gone from ", folder, "/blobs")),
      absl::StrCat("blob ", name, ": its bytes have gone; the server's log says from where"));
}

// Whether the bytes of a whole one are those that were sent. The content of a delta was checked.
absl::Status CheckSound(const HeldBlob& held, const BlobName& name) {
  if (held.is_delta || base::Sha256Hex(held.bytes) == name) return absl::OkStatus();
  return Damaged(name,
                 absl::StrCat("its ", held.bytes.size(), " bytes no longer hash to its name"));
}

// Reads blobs and their bases.
class HeldReader {
 public:
  // Without `bases` nothing is cached.
  HeldReader(sql::Database& database, sql::BlobBytes& bytes, KeptBases* bases)
      : database_(database), bytes_(bytes), bases_(bases) {}

  // `depth`: the number of deltas that depend on this blob in this read.
  absl::StatusOr<HeldBlob> Read(const BlobName& name, int depth) {
    // Between two questions a blob may become a delta, and a delta may be sent again.
    for (int tries = 0; tries < 2; ++tries) {
      absl::StatusOr<std::optional<std::string>> whole = bytes_.Read(name);
      if (!whole.ok()) return whole.status();
      if (whole->has_value()) return HeldBlob{**std::move(whole), false};
      const absl::StatusOr<std::optional<Found>> found =
          sql::ReadIn(database_, [&name](sql::Session& session) { return Find(session, name); });
      if (!found.ok()) return found.status();
      if (found->has_value()) return Decode(**found, depth);
    }
    return Gone(database_, name);
  }

 private:
  absl::StatusOr<HeldBlob> Decode(const Found& found, int depth) {
    const BlobName& name = found.delta.name;
    if (depth == kMaxDeltas) return Damaged(name, "the base of its base is a delta, too");
    const absl::StatusOr<std::shared_ptr<const Content>> base = ReadBase(found.base, depth);
    if (absl::IsNotFound(base.status()) || absl::IsDataLoss(base.status())) {
      return base::WithPublicMessage(
          Damaged(name, absl::StrCat("its base cannot be read: ", base.status().message())),
          absl::StrCat("blob ", name, ": its base ", found.base, " has gone or is damaged"));
    }
    if (!base.ok()) return base.status();
    absl::StatusOr<std::string> content = DecodeDelta(found.delta.bytes, (*base)->bytes);
    if (!content.ok()) {
      return Damaged(name, absl::StrCat(content.status().message(), "; its base is ", found.base));
    }
    return HeldBlob{found.delta.is_of_frame ? FrameOf(*content) : *std::move(content), true};
  }

  // The content of a base's own base is not cached: it is needed only on a cache miss of the base.
  // So the computation of one cache entry never waits for another one, even if damaged rows form a
  // cycle.
  absl::StatusOr<std::shared_ptr<const Content>> ReadBase(const BlobName& name, int depth) {
    const bool keeps = bases_ != nullptr && depth == 0;
    const auto read = [&]() -> absl::StatusOr<Content> {
      const absl::StatusOr<HeldBlob> base = Read(name, depth + 1);
      if (!base.ok()) return base.status();
      // A cached damaged base would outlive the repair of its bytes.
      absl::Status sound = keeps ? CheckSound(*base, name) : absl::OkStatus();
      if (!sound.ok()) return sound;
      absl::StatusOr<Content> content = ContentOf(base->bytes);
      if (!content.ok()) return Damaged(name, content.status().message());
      return content;
    };
    if (keeps) return bases_->contents().Get(name, read);
    absl::StatusOr<Content> content = read();
    if (!content.ok()) return content.status();
    return std::make_shared<const Content>(*std::move(content));
  }

  sql::Database& database_;
  sql::BlobBytes& bytes_;
  KeptBases* const bases_;
};

}  // namespace

absl::StatusOr<HeldBlob> ReadHeldBlob(sql::Database& database, sql::BlobBytes& bytes,
                                      const BlobName& name) {
  return HeldReader(database, bytes, /*bases=*/nullptr).Read(name, 0);
}

absl::StatusOr<HeldBlob> ReadSoundBlob(sql::Database& database, sql::BlobBytes& bytes,
                                       const BlobName& name, KeptBases* bases) {
  absl::StatusOr<HeldBlob> held = HeldReader(database, bytes, bases).Read(name, 0);
  if (!held.ok()) return held;
  if (absl::Status sound = CheckSound(*held, name); !sound.ok()) return sound;
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

absl::Status AddBlobDelta(sql::Session& session, int64_t base_id, const BlobDelta& delta) {
  return session.Execute(
      "INSERT INTO blob_delta (name, base_id, is_of_frame, bytes) VALUES ($1, $2, $3, $4)",
      {delta.name, base_id, int64_t{delta.is_of_frame}, sql::Bytes{delta.bytes}});
}

}  // namespace gprofhub::store
