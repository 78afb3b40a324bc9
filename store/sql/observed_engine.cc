#include "store/sql/observed_engine.h"

#include <optional>
#include <string>
#include <utility>

namespace gprofhub::store::sql {
namespace {

class ObservedDatabase final : public Database {
 public:
  ObservedDatabase(std::shared_ptr<Database> real, Observer observer)
      : real_(std::move(real)), observer_(std::move(observer)) {}

  const Dialect& dialect() const override { return real_->dialect(); }
  absl::Status Read(const Work& work) override {
    return observer_.Tell("read", [&] { return real_->Read(work); });
  }
  absl::Status Write(const Work& work) override {
    return observer_.Tell("write", [&] { return real_->Write(work); });
  }
  absl::Duration ClockSkew() override { return real_->ClockSkew(); }
  absl::Status Check() override { return real_->Check(); }
  Connections connections() const override { return real_->connections(); }
  std::string folder() const override { return real_->folder(); }
  absl::StatusOr<std::vector<std::string>> CheckIntegrity() override {
    return real_->CheckIntegrity();
  }

 private:
  const std::shared_ptr<Database> real_;
  const Observer observer_;
};

class ObservedBytes final : public BlobBytes {
 public:
  ObservedBytes(std::shared_ptr<BlobBytes> real, Observer observer)
      : real_(std::move(real)), observer_(std::move(observer)) {}

  bool Stages(const Blob& blob) const override { return real_->Stages(blob); }
  absl::Status Stage(absl::Span<const Blob* const> blobs) override {
    return observer_.Tell("stage_blobs", [&] { return real_->Stage(blobs); });
  }
  absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) override {
    return observer_.Tell("read_blob", [&] { return real_->Read(name); });
  }
  int parts() const override { return real_->parts(); }
  absl::StatusOr<std::vector<LooseBytes>> List(int part) override {
    return observer_.Tell("list_blobs", [&] { return real_->List(part); });
  }
  absl::StatusOr<RemovedBytes> RemoveUnnamed(absl::Span<const BlobName> names,
                                             absl::Time changed_before) override {
    return observer_.Tell("remove_blobs",
                          [&] { return real_->RemoveUnnamed(names, changed_before); });
  }
  absl::StatusOr<RemovedBytes> RemoveIncoming(absl::Time changed_before) override {
    return observer_.Tell("remove_blobs", [&] { return real_->RemoveIncoming(changed_before); });
  }

 private:
  const std::shared_ptr<BlobBytes> real_;
  const Observer observer_;
};

}  // namespace

Engine Observed(const Engine& engine, absl::string_view part, const OnStoreCall& on_call) {
  if (on_call == nullptr) return engine;
  const Observer observer(part, on_call);
  return {std::make_shared<ObservedDatabase>(engine.database, observer),
          std::make_shared<ObservedBytes>(engine.blob_bytes, observer), engine.archive};
}

}  // namespace gprofhub::store::sql
