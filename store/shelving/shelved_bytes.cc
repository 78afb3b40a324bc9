#include "store/shelving/shelved_bytes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/public_message.h"
#include "store/shelving/boxes.h"
#include "store/shelving/shelf_name.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
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
      const absl::StatusOr<std::optional<ShelvedPlace>> place =
          sql::ReadIn(*database_, [&](Session& session) { return FindShelved(session, name); });
      if (!place.ok()) return place.status();
      if (!place->has_value()) return std::nullopt;
      if (shelf_ == nullptr) return NoShelf(name);
      // Between the two queries it may have been moved to another segment, or have been sent again.
      if (before == *place) return Gone(name, before->object);
      absl::StatusOr<std::string> bytes =
          shelf_->Read((*place)->object, (*place)->first_byte, (*place)->length);
      if (bytes.ok()) return *std::move(bytes);
      if (!absl::IsNotFound(bytes.status()) && !absl::IsOutOfRange(bytes.status())) {
        return bytes.status();
      }
      before = *place;
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
    if (absl::Status status = CheckShelf(*engine.database, *shelf); !status.ok()) return status;
  }
  auto bytes = std::make_shared<ShelvedBytes>(engine.blob_bytes, engine.database, shelf);
  return sql::Engine{engine.database, std::move(bytes), std::move(shelf)};
}

}  // namespace gprofhub::store
