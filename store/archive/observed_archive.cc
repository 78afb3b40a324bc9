#include "store/archive/observed_archive.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store {
namespace {

class ObservedArchive final : public ObjectStore {
 public:
  ObservedArchive(std::shared_ptr<ObjectStore> real, const OnStoreCall& on_call)
      : real_(std::move(real)), observer_("archive", on_call) {}

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

std::shared_ptr<ObjectStore> Observed(std::shared_ptr<ObjectStore> archive,
                                      const OnStoreCall& on_call) {
  if (archive == nullptr || on_call == nullptr) return archive;
  return std::make_shared<ObservedArchive>(std::move(archive), on_call);
}

}  // namespace gprofhub::store
