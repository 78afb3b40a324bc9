#include "store/testing/hooked_blobs.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "store/sql/blob_bytes.h"
#include "store/sql/engine.h"
#include "store/sqlite/open_sqlite.h"

namespace gprofhub::store {
namespace {

class HookedBytes final : public sql::BlobBytes {
 public:
  HookedBytes(std::shared_ptr<sql::BlobBytes> real, std::function<absl::Status()> before_read)
      : real_(std::move(real)), before_read_(std::move(before_read)) {}

  bool Stages(const Blob& blob) const override { return real_->Stages(blob); }
  absl::Status Stage(absl::Span<const Blob* const> blobs) override { return real_->Stage(blobs); }

  absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) override {
    if (absl::Status status = before_read_(); !status.ok()) return status;
    return real_->Read(name);
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
  const std::function<absl::Status()> before_read_;
};

}  // namespace

absl::StatusOr<Blobs> OpenHookedBlobs(const std::string& directory,
                                      std::function<absl::Status()> before_read) {
  absl::StatusOr<sql::Engine> engine = sqlite::OpenSqlite(directory);
  if (!engine.ok()) return engine.status();
  auto bytes = std::make_shared<HookedBytes>(engine->blob_bytes, std::move(before_read));
  return Blobs(engine->database, std::move(bytes));
}

}  // namespace gprofhub::store
