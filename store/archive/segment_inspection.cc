#include "store/archive/segment_inspection.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/archive/segments.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

constexpr int64_t kRowsAtOnce = 1000;

struct NamedSegment {
  std::string object;
  uint64_t size = 0;
};

absl::StatusOr<Rows> Ask(sql::Database& database, absl::string_view sql,
                         const std::vector<sql::Parameter>& parameters) {
  return sql::ReadIn(database, [&](Session& session) { return session.Query(sql, parameters); });
}

// The segments that are needed, in the order of their keys.
class NeededSegments {
 public:
  explicit NeededSegments(sql::Database& database) : database_(database) {}

  // nullopt: there is no more.
  absl::StatusOr<std::optional<NamedSegment>> Next() {
    if (next_ == page_.size()) {
      const std::string after = page_.empty() ? "" : page_.back().object;
      const absl::StatusOr<Rows> rows =
          Ask(database_,
              "SELECT object, size FROM segment WHERE object > $1 AND unused_since_us = 0 "
              "ORDER BY object LIMIT $2",
              {after, kRowsAtOnce});
      if (!rows.ok()) return rows.status();
      if (rows->empty()) return std::nullopt;
      page_.clear();
      for (const Row& row : *rows) {
        page_.push_back({row.Text(0), static_cast<uint64_t>(row.Number(1))});
      }
      next_ = 0;
    }
    return page_[next_++];
  }

 private:
  sql::Database& database_;
  std::vector<NamedSegment> page_;
  size_t next_ = 0;
};

// The segments that stand in the archive, in the order of their keys.
class StoredSegments {
 public:
  explicit StoredSegments(ObjectStore& archive) : archive_(archive) {}

  absl::StatusOr<std::optional<ObjectInfo>> Next() {
    if (next_ == page_.objects.size()) {
      if (is_last_) return std::nullopt;
      const std::string after = page_.objects.empty() ? "" : page_.objects.back().key;
      absl::StatusOr<ObjectPage> page = archive_.List(kSegmentPrefix, after);
      if (!page.ok()) return page.status();
      page_ = *std::move(page);
      next_ = 0;
      is_last_ = page_.is_last;
      if (page_.objects.empty()) return std::nullopt;
    }
    return page_.objects[next_++];
  }

 private:
  ObjectStore& archive_;
  ObjectPage page_;
  size_t next_ = 0;
  bool is_last_ = false;
};

class SegmentInspection {
 public:
  SegmentInspection(sql::Database& database, ObjectStore& archive, absl::Time filled_before,
                    const std::function<void(const SegmentFinding&)>& tell)
      : database_(database), archive_(archive), filled_before_(filled_before), tell_(tell) {}

  absl::StatusOr<uint64_t> Run() {
    NeededSegments all_needed(database_);
    StoredSegments all_standing(archive_);
    absl::StatusOr<std::optional<NamedSegment>> needed = all_needed.Next();
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
    const absl::StatusOr<ObjectPage> there = archive_.List(object, "");
    if (!there.ok()) return there.status();
    if (!there->objects.empty()) return absl::OkStatus();
    return TellIfNeeded("segment.missing", object, "");
  }

  absl::Status Compare(const NamedSegment& needed, const ObjectInfo& standing) {
    if (standing.size == needed.size) return absl::OkStatus();
    return TellIfNeeded("segment.damaged", needed.object,
                        absl::StrCat(": has ", standing.size, " bytes, not ", needed.size));
  }

  absl::Status TellIfNeeded(absl::string_view kind, const std::string& object,
                            absl::string_view more) {
    const absl::StatusOr<Rows> blobs = Ask(
        database_,
        "SELECT count(*) FROM archived_blob JOIN segment ON segment.id = archived_blob.segment_id "
        "WHERE segment.object = $1",
        {object});
    if (!blobs.ok()) return blobs.status();
    if (blobs->front().Number(0) == 0) return absl::OkStatus();
    tell_({true, std::string(kind),
           absl::StrCat(object, ", which has ", blobs->front().Number(0), " blobs", more),
           "put it back from a copy of the archive, or delete the runs that refer to its blobs"});
    return absl::OkStatus();
  }

  absl::Status Unneeded(const ObjectInfo& standing) {
    if (standing.changed >= filled_before_) return absl::OkStatus();
    const absl::StatusOr<Rows> named =
        Ask(database_, "SELECT 1 FROM segment WHERE object = $1", {standing.key});
    if (!named.ok()) return named.status();
    if (!named->empty()) return absl::OkStatus();
    tell_({false, "segment.unnamed", standing.key,
           "no row refers to it; `gprofhub admin archive` removes it when it is a day old"});
    return absl::OkStatus();
  }

  sql::Database& database_;
  ObjectStore& archive_;
  const absl::Time filled_before_;
  const std::function<void(const SegmentFinding&)>& tell_;
};

}  // namespace

absl::StatusOr<uint64_t> InspectSegments(sql::Database& database, ObjectStore* archive,
                                         absl::Time filled_before,
                                         const std::function<void(const SegmentFinding&)>& tell) {
  if (archive != nullptr) return SegmentInspection(database, *archive, filled_before, tell).Run();
  const absl::StatusOr<Rows> blobs = Ask(database, "SELECT count(*) FROM archived_blob", {});
  if (!blobs.ok()) return blobs.status();
  if (blobs->front().Number(0) > 0) {
    tell({false, "archive.unknown", absl::StrCat(blobs->front().Number(0), " blobs are archived"),
          "pass --archive to check them"});
  }
  return 0;
}

}  // namespace gprofhub::store
