// Packing: what was sent some time ago is written as what is different from what was sent before.
//
// Tests change little from commit to commit, and so do their profiles and their programs' symbols.
// Each blob belongs to a series: the bundles, the profiles or the results of one test on one
// configuration of one project, of whatever branch. A series has a root, which stays whole, and a
// base: the root, or a blob that is packed against it. The others are packed against the base
// (content_delta.h), never against each other: to read one takes two more.
//
// The further a series has gone from its base, the longer is what differs. What differs by chance,
// as samples do, differs from any base. So each blob is compared with the shortest that was packed
// against the base: when what they had more than that is as much as the shortest, the next one is
// the new base. It takes no more room for that, only time of who reads. A new base is bought when
// its price was paid in rent (Karlin et al., Competitive snoopy caching, 1988). One that takes a
// quarter of the whole beside the root stays whole and is the new root.
//
// Targets are packed in the order of their ids, up to the first that is younger than wanted; how
// far that is the database keeps. Each step is a transaction. A process that is killed leaves a
// consistent store, and the next one goes on. Beside uploads, queries and analyses nobody waits for
// more than a step.
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

// What packing did.
struct Packed {
  uint64_t targets = 0;  // looked at
  uint64_t blobs = 0;    // packed
  uint64_t bytes_before = 0;
  uint64_t bytes_after = 0;
};

struct PackOptions {
  // Runs that came before that are packed. What is young is read often, each comparison reads the
  // newest runs of the main branch: so it stays whole.
  absl::Duration older_than = absl::Hours(7 * 24);
  uint32_t targets_at_once = 20;
  std::function<absl::Time()> now;
  // Is called between the steps: it may wait for a while. An error ends the packing.
  std::function<absl::Status(const Packed& so_far)> pause = [](const Packed&) {
    return absl::OkStatus();
  };
};

// A part of the store: store/open_store.h says what holds for all of them.
class Packing {
 public:
  Packing(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes);

  // Packs all that is due. What was done before an error stays done. A blob that is damaged is left
  // as it is: an inspection tells of it.
  absl::StatusOr<Packed> Pack(const PackOptions& options) const;

 private:
  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
};

}  // namespace gprofhub::store
