#include "store/packing/standing_boxes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "store/sql/database.h"

namespace gprofhub::store {

namespace {

constexpr absl::string_view kBegin = "gphbox 1";
constexpr absl::string_view kEnd = "gphbox/1";
constexpr size_t kNumberBytes = 8;
constexpr size_t kHashBytes = 32;
constexpr size_t kListedBytes = kHashBytes + 2 * kNumberBytes;
constexpr size_t kTailBytes = 2 * kNumberBytes + 8;

void AppendNumber(uint64_t number, std::string& to) {
  for (size_t i = 0; i < kNumberBytes; ++i) to += static_cast<char>(number >> (8 * i));
}

uint64_t NumberAt(absl::string_view bytes, size_t at) {
  uint64_t number = 0;
  for (size_t i = 0; i < kNumberBytes; ++i) {
    number |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return number;
}

absl::Status NoBox(absl::string_view why) {
  return absl::DataLossError(absl::StrCat("this is no whole box: ", why));
}

}  // namespace

BoxFiller::BoxFiller() : box_(kBegin) {}

void BoxFiller::Add(const BlobName& name, absl::string_view bytes) {
  blobs_.push_back({name, box_.size(), bytes.size()});
  absl::StrAppend(&box_, bytes);
}

uint64_t BoxFiller::blob_bytes() const { return box_.size() - kBegin.size(); }

std::string BoxFiller::Finish() {
  const uint64_t list = box_.size();
  for (const BoxedBlob& blob : blobs_) {
    absl::StrAppend(&box_, absl::HexStringToBytes(blob.name));
    AppendNumber(blob.first_byte, box_);
    AppendNumber(blob.length, box_);
  }
  AppendNumber(list, box_);
  AppendNumber(blobs_.size(), box_);
  absl::StrAppend(&box_, kEnd);
  return std::move(box_);
}

absl::StatusOr<std::vector<BoxedBlob>> ReadBoxList(absl::string_view box) {
  if (box.size() < kBegin.size() + kTailBytes) return NoBox("it is too short");
  if (!absl::StartsWith(box, kBegin)) return NoBox("it does not begin like one");
  if (!absl::EndsWith(box, kEnd)) return NoBox("it does not end like one");
  const size_t tail = box.size() - kTailBytes;
  const uint64_t list = NumberAt(box, tail);
  const uint64_t count = NumberAt(box, tail + kNumberBytes);
  if (list < kBegin.size() || list > tail || (tail - list) % kListedBytes != 0 ||
      count != (tail - list) / kListedBytes) {
    return NoBox("its list has another length");
  }
  std::vector<BoxedBlob> blobs;
  blobs.reserve(count);
  uint64_t next = kBegin.size();
  for (size_t at = list; at < tail; at += kListedBytes) {
    BoxedBlob blob = {absl::BytesToHexString(box.substr(at, kHashBytes)),
                      NumberAt(box, at + kHashBytes),
                      NumberAt(box, at + kHashBytes + kNumberBytes)};
    if (blob.first_byte != next || blob.length > list - next) {
      return NoBox("a blob does not lie where the one before it ends");
    }
    next += blob.length;
    blobs.push_back(std::move(blob));
  }
  if (next != list) return NoBox("its list does not follow its blobs");
  return blobs;
}

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

absl::StatusOr<std::vector<BoxedBlob>> NeededOf(sql::Database& database, int64_t box_id) {
  using Result = absl::StatusOr<std::vector<BoxedBlob>>;
  return sql::ReadIn(database, [&](Session& session) -> Result {
    ASSIGN_OR_RETURN(const Rows rows,
                     session.Query("SELECT name, first_byte, length FROM shelved_blob WHERE box_id "
                                   "= $1 ORDER BY first_byte",
                                   {box_id}));
    std::vector<BoxedBlob> blobs;
    for (const Row& row : rows) {
      blobs.push_back({row.Text(0), static_cast<uint64_t>(row.Number(1)),
                       static_cast<uint64_t>(row.Number(2))});
    }
    return blobs;
  });
}

}  // namespace

absl::StatusOr<FilledBox> PutBox(ObjectStore& shelf, BoxFiller filler) {
  ASSIGN_OR_RETURN(const std::string random, base::RandomBytes(16));
  const std::string digits = absl::BytesToHexString(random);
  FilledBox box;
  box.object = absl::StrCat(kBoxPrefix, digits.substr(0, 2), "/", digits.substr(2));
  box.blob_bytes = filler.blob_bytes();
  box.blobs = filler.blobs();
  const std::string bytes = filler.Finish();
  box.size = bytes.size();
  RETURN_IF_ERROR(shelf.Put(box.object, bytes));
  return box;
}

absl::StatusOr<int64_t> AddBox(Session& session, const FilledBox& box, absl::Time now) {
  ASSIGN_OR_RETURN(const Rows added,
                   session.Query("INSERT INTO box (object, size, blob_bytes, filled_us) VALUES "
                                 "($1, $2, $3, $4) RETURNING id",
                                 {box.object, static_cast<int64_t>(box.size),
                                  static_cast<int64_t>(box.blob_bytes), absl::ToUnixMicros(now)}));
  return added.front().Number(0);
}

absl::StatusOr<std::optional<ShelvedPlace>> FindShelved(Session& session, const BlobName& name) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          "SELECT box.id, box.object, shelved_blob.first_byte, shelved_blob.length "
          "FROM shelved_blob JOIN box ON box.id = shelved_blob.box_id WHERE shelved_blob.name = $1",
          {name}));
  if (rows.empty()) return std::nullopt;
  const Row row = rows.front();
  return ShelvedPlace{row.Number(0), row.Text(1), static_cast<uint64_t>(row.Number(2)),
                      static_cast<uint64_t>(row.Number(3))};
}

absl::StatusOr<std::vector<BoxRow>> ListBoxes(Session& session, int64_t after, uint32_t limit) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          "SELECT id, object, size, blob_bytes, unused_since_us, "
          "(SELECT CAST(coalesce(sum(length), 0) AS bigint) FROM shelved_blob "
          "WHERE shelved_blob.box_id = box.id) FROM box WHERE id > $1 ORDER BY id LIMIT $2",
          {after, int64_t{limit}}));
  std::vector<BoxRow> boxes;
  for (const Row& row : rows) {
    boxes.push_back({row.Number(0), row.Text(1), static_cast<uint64_t>(row.Number(2)),
                     static_cast<uint64_t>(row.Number(3)), static_cast<uint64_t>(row.Number(5)),
                     row.Number(4) != 0});
  }
  return boxes;
}

absl::StatusOr<BoxContents> ReadContents(sql::Database& database, ObjectStore& shelf,
                                         const BoxRow& box) {
  ASSIGN_OR_RETURN(const std::vector<BoxedBlob> needed, NeededOf(database, box.id));
  BoxContents contents;
  if (needed.empty()) return contents;
  const absl::StatusOr<std::string> bytes = shelf.Read(box.object, 0, box.size);
  if (absl::IsNotFound(bytes.status()) || absl::IsOutOfRange(bytes.status())) {
    contents.damaged = needed.size();
    return contents;
  }
  if (!bytes.ok()) return bytes.status();
  for (const BoxedBlob& blob : needed) {
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

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

constexpr int64_t kRowsAtOnce = 1000;

struct NamedBox {
  std::string object;
  uint64_t size = 0;
};

absl::StatusOr<Rows> Ask(sql::Database& database, absl::string_view sql,
                         const std::vector<sql::Parameter>& parameters) {
  return sql::ReadIn(database, [&](Session& session) { return session.Query(sql, parameters); });
}

// The boxes that are needed, in the order of their keys.
class NeededBoxes {
 public:
  explicit NeededBoxes(sql::Database& database) : database_(database) {}

  // nullopt: there is no more.
  absl::StatusOr<std::optional<NamedBox>> Next() {
    if (next_ == page_.size()) {
      const std::string after = page_.empty() ? "" : page_.back().object;
      ASSIGN_OR_RETURN(const Rows rows,
                       Ask(database_,
                           "SELECT object, size FROM box WHERE object > $1 AND unused_since_us = 0 "
                           "ORDER BY object LIMIT $2",
                           {after, kRowsAtOnce}));
      if (rows.empty()) return std::nullopt;
      page_.clear();
      for (const Row& row : rows) {
        page_.push_back({row.Text(0), static_cast<uint64_t>(row.Number(1))});
      }
      next_ = 0;
    }
    return page_[next_++];
  }

 private:
  sql::Database& database_;
  std::vector<NamedBox> page_;
  size_t next_ = 0;
};

// The boxes that stand on the shelf, in the order of their keys.
class StandingBoxes {
 public:
  explicit StandingBoxes(ObjectStore& shelf) : shelf_(shelf) {}

  absl::StatusOr<std::optional<ObjectInfo>> Next() {
    if (next_ == page_.objects.size()) {
      if (is_last_) return std::nullopt;
      const std::string after = page_.objects.empty() ? "" : page_.objects.back().key;
      ASSIGN_OR_RETURN(ObjectPage page, shelf_.List(kBoxPrefix, after));
      page_ = std::move(page);
      next_ = 0;
      is_last_ = page_.is_last;
      if (page_.objects.empty()) return std::nullopt;
    }
    return page_.objects[next_++];
  }

 private:
  ObjectStore& shelf_;
  ObjectPage page_;
  size_t next_ = 0;
  bool is_last_ = false;
};

class BoxInspection {
 public:
  BoxInspection(sql::Database& database, ObjectStore& shelf, absl::Time filled_before,
                const std::function<void(const BoxFinding&)>& tell)
      : database_(database), shelf_(shelf), filled_before_(filled_before), tell_(tell) {}

  absl::StatusOr<uint64_t> Run() {
    NeededBoxes all_needed(database_);
    StandingBoxes all_standing(shelf_);
    absl::StatusOr<std::optional<NamedBox>> needed = all_needed.Next();
    absl::StatusOr<std::optional<ObjectInfo>> standing = all_standing.Next();
    uint64_t count = 0;
    while (true) {
      if (!needed.ok()) return needed.status();
      if (!standing.ok()) return standing.status();
      const bool has_needed = needed->has_value();
      const bool has_standing = standing->has_value();
      if (!has_needed && !has_standing) return count;
      absl::Status status;
      const int order = !has_needed     ? 1
                        : !has_standing ? -1
                                        : (*needed)->object.compare((*standing)->key);
      if (order < 0) status = Missing((*needed)->object);
      if (order > 0) status = Unneeded(**standing);
      if (order == 0) status = Compare(**needed, **standing);
      if (!status.ok()) return status;
      if (order <= 0) {
        ++count;
        needed = all_needed.Next();
      }
      if (order >= 0) standing = all_standing.Next();
    }
  }

 private:
  // Both may have changed since they were listed.
  absl::Status Missing(const std::string& object) {
    ASSIGN_OR_RETURN(const ObjectPage there, shelf_.List(object, ""));
    if (!there.objects.empty()) return absl::OkStatus();
    return TellIfNeeded("box.missing", object, "");
  }

  absl::Status Compare(const NamedBox& needed, const ObjectInfo& standing) {
    if (standing.size == needed.size) return absl::OkStatus();
    return TellIfNeeded("box.damaged", needed.object,
                        absl::StrCat(": has ", standing.size, " bytes, not ", needed.size));
  }

  absl::Status TellIfNeeded(absl::string_view kind, const std::string& object,
                            absl::string_view more) {
    ASSIGN_OR_RETURN(
        const Rows blobs,
        Ask(database_,
            "SELECT count(*) FROM shelved_blob JOIN box ON box.id = shelved_blob.box_id "
            "WHERE box.object = $1",
            {object}));
    if (blobs.front().Number(0) == 0) return absl::OkStatus();
    tell_({true, std::string(kind),
           absl::StrCat(object, ", which has ", blobs.front().Number(0), " blobs", more),
           "put it back from a copy of the shelf, or delete the runs that refer to its blobs"});
    return absl::OkStatus();
  }

  absl::Status Unneeded(const ObjectInfo& standing) {
    if (standing.changed >= filled_before_) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Rows named,
                     Ask(database_, "SELECT 1 FROM box WHERE object = $1", {standing.key}));
    if (!named.empty()) return absl::OkStatus();
    tell_({false, "box.unnamed", standing.key,
           "no row names it; `gprofhub admin shelve` removes it when it is a day old"});
    return absl::OkStatus();
  }

  sql::Database& database_;
  ObjectStore& shelf_;
  const absl::Time filled_before_;
  const std::function<void(const BoxFinding&)>& tell_;
};

}  // namespace

absl::StatusOr<uint64_t> InspectBoxes(sql::Database& database, ObjectStore* shelf,
                                      absl::Time filled_before,
                                      const std::function<void(const BoxFinding&)>& tell) {
  if (shelf != nullptr) return BoxInspection(database, *shelf, filled_before, tell).Run();
  ASSIGN_OR_RETURN(const Rows blobs, Ask(database, "SELECT count(*) FROM shelved_blob", {}));
  if (blobs.front().Number(0) > 0) {
    tell({false, "shelf.unknown", absl::StrCat(blobs.front().Number(0), " blobs lie on a shelf"),
          "name it with --shelf to have it looked at"});
  }
  return 0;
}

}  // namespace gprofhub::store
