#include "store/packing/shelf_name.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "store/packing/standing_boxes.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

namespace {

class ObservedShelf final : public ObjectStore {
 public:
  ObservedShelf(std::shared_ptr<ObjectStore> real, const OnStoreCall& on_call)
      : real_(std::move(real)), observer_("shelf", on_call) {}

  absl::Status Put(absl::string_view key, absl::string_view bytes) override {
    return observer_.Tell("put", [&] { return real_->Put(key, bytes); });
  }
  absl::StatusOr<std::string> Read(absl::string_view key, uint64_t offset,
                                   uint64_t length) override {
    return observer_.Tell("read", [&] { return real_->Read(key, offset, length); });
  }
  absl::Status Delete(absl::string_view key) override {
    return observer_.Tell("delete", [&] { return real_->Delete(key); });
  }
  absl::StatusOr<ObjectPage> List(absl::string_view prefix, absl::string_view after) override {
    return observer_.Tell("list", [&] { return real_->List(prefix, after); });
  }

 private:
  const std::shared_ptr<ObjectStore> real_;
  const Observer observer_;
};

}  // namespace

std::shared_ptr<ObjectStore> Observed(std::shared_ptr<ObjectStore> shelf,
                                      const OnStoreCall& on_call) {
  if (shelf == nullptr || on_call == nullptr) return shelf;
  return std::make_shared<ObservedShelf>(std::move(shelf), on_call);
}

namespace {

using sql::Rows;
using sql::Session;

constexpr absl::string_view kKey = "gprofhub-store";

// The object's bytes, always as long.
std::string ObjectOf(int64_t id) {
  return absl::StrFormat("gprofhub keeps old bytes of store %016x here\n",
                         static_cast<uint64_t>(id));
}

// The object's bytes; empty if there is none.
absl::StatusOr<std::string> ReadName(ObjectStore& shelf) {
  absl::StatusOr<std::string> name = shelf.Read(kKey, 0, ObjectOf(0).size());
  if (absl::IsNotFound(name.status())) return std::string();
  if (absl::IsOutOfRange(name.status())) return std::string("something else");
  return name;
}

absl::StatusOr<int64_t> NewId() {
  int64_t id = 0;
  ASSIGN_OR_RETURN(const std::string bytes, base::RandomBytes(sizeof(id)));
  std::memcpy(&id, bytes.data(), sizeof(id));
  return (id & INT64_MAX) | 1;
}

// The object of a box that is in use; empty: there is none.
absl::StatusOr<std::string> BoxInUse(sql::Database& database) {
  return sql::ReadIn(database, [](Session& session) -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(
        const Rows box,
        session.Query(
            "SELECT object FROM box WHERE id > 0 AND unused_since_us = 0 ORDER BY id LIMIT 1", {}));
    return box.empty() ? std::string() : box.front().Text(0);
  });
}

// What the store and the shelf know of each other.
struct Known {
  std::string box;                   // as BoxInUse
  absl::StatusOr<std::string> name;  // as ReadName
  int64_t id = 0;
  bool is_others = false;
};

// Who claims a shelf gives the store an id, puts the shelf's name, and then fills boxes. Somebody
// else may be doing that now. So they are read the other way round: who sees a box sees the name,
// and who sees the name sees the id.
absl::StatusOr<Known> ReadKnown(sql::Database& database, ObjectStore& shelf) {
  Known known;
  ASSIGN_OR_RETURN(std::string box, BoxInUse(database));
  known.box = std::move(box);
  known.name = ReadName(shelf);
  RETURN_IF_ERROR(database.Read([&known](Session& session) {
    ASSIGN_OR_RETURN(const int64_t id, sql::ReadProperty(session, sql::kShelf));
    ASSIGN_OR_RETURN(const int64_t others, sql::ReadProperty(session, sql::kShelfIsOthers));
    known.id = id;
    known.is_others = others != 0;
    return absl::OkStatus();
  }));
  return known;
}

// There is a name.
absl::Status Compare(const Known& known) {
  if (known.name->empty() && known.box.empty()) return absl::OkStatus();
  if (known.name->empty()) {
    return absl::FailedPreconditionError(
        "the shelf is empty, and the store has boxes on one: name that shelf, or mount it");
  }
  if (known.id != 0 && *known.name == ObjectOf(known.id)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the shelf has old bytes of another store: name this store's shelf, or a new one");
}

// The store's id, which it has from now on.
absl::StatusOr<int64_t> IdOf(sql::Database& database) {
  ASSIGN_OR_RETURN(const int64_t id, NewId());
  return sql::WriteIn(database, [&](Session& session) -> absl::StatusOr<int64_t> {
    RETURN_IF_ERROR(session.Execute(
        "INSERT INTO property (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        {sql::kShelf, id}));
    return sql::ReadProperty(session, sql::kShelf);
  });
}

}  // namespace

absl::Status CheckShelf(sql::Database& database, ObjectStore& shelf) {
  ASSIGN_OR_RETURN(const Known known, ReadKnown(database, shelf));
  if (absl::IsUnavailable(known.name.status())) return absl::OkStatus();
  if (!known.name.ok()) return known.name.status();
  return Compare(known);
}

absl::Status ClaimShelf(sql::Database& database, ObjectStore& shelf) {
  ASSIGN_OR_RETURN(const Known known, ReadKnown(database, shelf));
  if (known.is_others) {
    return absl::FailedPreconditionError(
        "this store was made of a backup, and its original may still use the shelf: when that is "
        "out of use for good, run `gprofhub admin shelve --take-over`");
  }
  if (!known.name.ok()) return known.name.status();
  RETURN_IF_ERROR(Compare(known));
  if (!known.name->empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t id, IdOf(database));
  return shelf.Put(kKey, ObjectOf(id));
}

absl::Status TakeShelfOver(sql::Database& database, ObjectStore& shelf, const Actor& by,
                           absl::Time now) {
  ASSIGN_OR_RETURN(const std::string box, BoxInUse(database));
  if (box.empty()) {
    return absl::FailedPreconditionError("the store has no box on a shelf: nothing to take over");
  }
  ASSIGN_OR_RETURN(const ObjectPage there, shelf.List(box, ""));
  if (there.objects.empty()) {
    return absl::FailedPreconditionError("the shelf has no box of this store: name another");
  }
  ASSIGN_OR_RETURN(const int64_t id, NewId());
  absl::Status status = database.Write([&](Session& session) {
    absl::Status set = sql::SetProperty(session, sql::kShelf, id);
    if (set.ok()) set = sql::SetProperty(session, sql::kShelfIsOthers, 0);
    if (set.ok()) set = sql::AddAuditRow(session, by, {"", "shelf.take-over", "", ""}, now);
    return set;
  });
  if (status.ok()) status = shelf.Delete(kKey);
  if (status.ok()) status = shelf.Put(kKey, ObjectOf(id));
  return status;
}

namespace {

using sql::Session;

absl::Status NoShelf(const BlobName& name) {
  return base::WithPublicMessage(
      absl::FailedPreconditionError(
          absl::StrCat("blob ", name, " lies on a shelf: say where that is, with --shelf")),
      absl::StrCat(
          "blob ", name,
          " is old, and this server does not know where old bytes lie; its log says more"));
}

absl::Status Gone(const BlobName& name, const std::string& object) {
  return absl::DataLossError(
      absl::StrCat("blob ", name, ": its bytes have gone from the shelf, with ", object));
}

class ShelvedBytes final : public sql::BlobBytes {
 public:
  ShelvedBytes(std::shared_ptr<sql::BlobBytes> real, std::shared_ptr<sql::Database> database,
               std::shared_ptr<ObjectStore> shelf)
      : real_(std::move(real)), database_(std::move(database)), shelf_(std::move(shelf)) {}

  bool Stages(const Blob& blob) const override { return real_->Stages(blob); }
  absl::Status Stage(absl::Span<const Blob* const> blobs) override { return real_->Stage(blobs); }

  absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) override {
    std::optional<ShelvedPlace> before;
    while (true) {
      absl::StatusOr<std::optional<std::string>> here = real_->Read(name);
      if (!here.ok() || here->has_value()) return here;
      ASSIGN_OR_RETURN(
          const std::optional<ShelvedPlace> place,
          sql::ReadIn(*database_, [&](Session& session) { return FindShelved(session, name); }));
      if (!place.has_value()) return std::nullopt;
      if (shelf_ == nullptr) return NoShelf(name);
      // Between two questions it may have been put into another box, or have been sent again.
      if (before == place) return Gone(name, before->object);
      absl::StatusOr<std::string> bytes =
          shelf_->Read(place->object, place->first_byte, place->length);
      if (bytes.ok()) return *std::move(bytes);
      if (!absl::IsNotFound(bytes.status()) && !absl::IsOutOfRange(bytes.status())) {
        return bytes.status();
      }
      before = place;
    }
  }

  int parts() const override { return real_->parts(); }
  absl::StatusOr<std::vector<sql::LooseBytes>> List(int part) override { return real_->List(part); }
  absl::StatusOr<sql::RemovedBytes> RemoveUnnamed(absl::Span<const BlobName> names,
                                                  absl::Time changed_before) override {
    return real_->RemoveUnnamed(names, changed_before);
  }
  absl::StatusOr<sql::RemovedBytes> RemoveIncoming(absl::Time changed_before) override {
    return real_->RemoveIncoming(changed_before);
  }

 private:
  const std::shared_ptr<sql::BlobBytes> real_;
  const std::shared_ptr<sql::Database> database_;
  const std::shared_ptr<ObjectStore> shelf_;
};

}  // namespace

absl::StatusOr<sql::Engine> WithShelf(const sql::Engine& engine,
                                      std::shared_ptr<ObjectStore> shelf) {
  if (shelf != nullptr) {
    RETURN_IF_ERROR(CheckShelf(*engine.database, *shelf));
  }
  auto bytes = std::make_shared<ShelvedBytes>(engine.blob_bytes, engine.database, shelf);
  return sql::Engine{engine.database, std::move(bytes), std::move(shelf)};
}

}  // namespace gprofhub::store
