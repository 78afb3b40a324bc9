// The symbol bundles that were decoded last: uploads of a run name the same ones.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "profile/symbols.h"
#include "store/records/records.h"

namespace gprofhub::collector {

// Bundles that were checked, by blob name: a bundle is sent once, but named by every execution of a
// run. Safe to call from several threads.
class DecodedBundles {
 public:
  using Image = std::shared_ptr<const profile::SymbolTable>;

  // Keeps the newest ones, of at most so many bytes together.
  explicit DecodedBundles(uint64_t bytes) : most_bytes_(bytes) {}

  // The bundle as `decode` gave it, now or earlier. While one thread decodes a bundle, others that
  // want the same one wait for it. Errors are decode's, and are not kept.
  absl::StatusOr<Image> Get(const store::BlobName& name,
                            const std::function<absl::StatusOr<profile::SymbolTable>()>& decode)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Kept {
    Image image;
    uint64_t bytes;
  };
  void Keep(const store::BlobName& name, const Image& image) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const uint64_t most_bytes_;
  absl::Mutex mutex_;
  absl::flat_hash_set<store::BlobName> being_decoded_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<store::BlobName, Kept> kept_ ABSL_GUARDED_BY(mutex_);
  std::deque<store::BlobName> oldest_first_ ABSL_GUARDED_BY(mutex_);  // of kept_
  uint64_t kept_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace gprofhub::collector
