#include "store/archive/archived_bytes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/public_message.h"
#include "store/archive/archive_owner.h"
#include "store/archive/segments.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

using sql::Session;

absl::Status NoArchive(const BlobName& name) {
  return base::WithPublicMessage(
      absl::FailedPreconditionError(
          absl::StrCat("blob ", name, " is archived: pass the archive with --archive")),
      absl::StrCat("blob ", name, " is archived, and this server has no archive; see its log"));
}

absl::Status Gone(const BlobName& name, const std::string& object) {
  return absl::DataLossError(
      absl::StrCat("blob ", name, ": its bytes are missing in the archive: no segment ", object));
}

class ArchivedBytes final : public sql::BlobBytes {
 public:
  ArchivedBytes(std::shared_ptr<sql::BlobBytes> real, std::shared_ptr<sql::Database> database,
                std::shared_ptr<ObjectStore> archive)
      : real_(std::move(real)), database_(std::move(database)), archive_(std::move(archive)) {}

  bool Stages(const Blob& blob) const override { return real_->Stages(blob); }
  absl::Status Stage(absl::Span<const Blob* const> blobs) override { return real_->Stage(blobs); }

  absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) override {
    std::optional<ArchivedPlace> before;
    while (true) {
      absl::StatusOr<std::optional<std::string>> here = real_->Read(name);
      if (!here.ok() || here->has_value()) return here;
      const absl::StatusOr<std::optional<ArchivedPlace>> place =
          sql::ReadIn(*database_, [&](Session& session) { return FindArchived(session, name); });
      if (!place.ok()) return place.status();
      if (!place->has_value()) return std::nullopt;
      if (archive_ == nullptr) return NoArchive(name);
      // Between two questions it may have been put into another segment, or have been sent again.
      if (before == *place) return Gone(name, before->object);
      absl::StatusOr<std::string> bytes =
          archive_->Read((*place)->object, (*place)->first_byte, (*place)->length);
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
  const std::shared_ptr<ObjectStore> archive_;
};

}  // namespace

absl::StatusOr<sql::Engine> WithArchive(const sql::Engine& engine,
                                        std::shared_ptr<ObjectStore> archive) {
  if (archive != nullptr) {
    if (absl::Status status = CheckArchive(*engine.database, *archive); !status.ok()) return status;
  }
  auto bytes = std::make_shared<ArchivedBytes>(engine.blob_bytes, engine.database, archive);
  return sql::Engine{engine.database, std::move(bytes), std::move(archive)};
}

}  // namespace gprofhub::store
