// Packing: delta-encodes old blobs against earlier ones.
//
// Tests change little from commit to commit, and so do their profiles and their programs' symbols.
// Each blob belongs to a series: the bundles, the profiles or the results of one test on one
// configuration of one project, on any branch. A series has a root, which stays whole, and a base:
// the root, or a blob that is packed against it. All other blobs are packed against the base
// (content_delta.h), never against each other: reading one takes at most two more reads.
//
// Deltas grow with the distance from the base. Random differences, such as those of samples, are
// present with any base. So the size of each delta is compared with the smallest delta against the
// base: once the accumulated excess reaches the size of the smallest delta, the next blob becomes
// the new base. This is the rent-or-buy rule (Karlin et al., Competitive snoopy caching, 1988): a
// new base costs reading time, not space, and is bought when its price has been paid in rent. A new
// base whose delta against the root exceeds a quarter of its size stays whole and becomes the new
// root.
//
// Targets are packed in the order of their ids, up to the first that is younger than `older_than`;
// the database records the progress. Each step is a transaction. A killed process leaves a
// consistent store, and the next process continues. Concurrent uploads, queries and analyses wait
// for at most one step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gprofhub::store {

namespace sql {
class BlobBytes;
class Database;
}  // namespace sql

// Result of packing.
struct Packed {
  uint64_t targets = 0;  // examined
  uint64_t blobs = 0;    // packed
  uint64_t bytes_before = 0;
  uint64_t bytes_after = 0;
};

struct PackOptions {
  // Minimum age of a run. Younger runs are read often, because each comparison reads the newest
  // runs of the main branch; so they stay whole.
  absl::Duration older_than = absl::Hours(7 * 24);
  uint32_t targets_at_once = 20;
  std::function<absl::Time()> now;
  // Called between the steps; may block. An error ends the packing.
  std::function<absl::Status(const Packed& so_far)> pause = [](const Packed&) {
    return absl::OkStatus();
  };
};

// A part of the store; store/store.h has the contract of all parts.
class Packing {
 public:
  Packing(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes);

  // Packs all due blobs. After an error, completed steps persist. A damaged blob is left as it is;
  // the inspection reports it.
  absl::StatusOr<Packed> Pack(const PackOptions& options) const;

 private:
  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
};

}  // namespace gprofhub::store
