#include "collector/decoded_bundles.h"

#include <utility>

#include "profile/codec/symbol_bundle.h"

namespace gprofhub::collector {

absl::StatusOr<DecodedBundles::Image> DecodedBundles::Get(
    const store::BlobName& name,
    const std::function<absl::StatusOr<profile::SymbolTable>()>& decode) {
  {
    absl::MutexLock lock(&mutex_);
    const auto is_free = [this, &name]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return !being_decoded_.contains(name);
    };
    mutex_.Await(absl::Condition(&is_free));
    if (const auto found = kept_.find(name); found != kept_.end()) return found->second.image;
    being_decoded_.insert(name);
  }
  absl::StatusOr<profile::SymbolTable> symbols = decode();
  Image image;
  if (symbols.ok()) image = std::make_shared<const profile::SymbolTable>(*std::move(symbols));
  absl::MutexLock lock(&mutex_);
  being_decoded_.erase(name);
  if (image == nullptr) return symbols.status();
  Keep(name, image);
  return image;
}

void DecodedBundles::Keep(const store::BlobName& name, const Image& image) {
  const uint64_t bytes = profile::MemoryOf(*image);
  if (bytes > most_bytes_) return;
  while (kept_bytes_ + bytes > most_bytes_) {
    const auto oldest = kept_.find(oldest_first_.front());
    kept_bytes_ -= oldest->second.bytes;
    kept_.erase(oldest);
    oldest_first_.pop_front();
  }
  kept_[name] = {image, bytes};
  kept_bytes_ += bytes;
  oldest_first_.push_back(name);
}

}  // namespace gprofhub::collector
