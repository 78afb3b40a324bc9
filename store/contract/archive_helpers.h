// A store with its archive in memory, and the uploads of the tests.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/archive/segments.h"
#include "store/contract/upkeep_helpers.h"
#include "store/testing/engines.h"

namespace gprofhub::store {

inline constexpr absl::Duration kDay = absl::Hours(24);
inline constexpr absl::Duration kOld = absl::Hours(30 * 24);

// Incompressible bytes, determined by the seed.
inline std::string Noise(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// A run of a test with a unique profile and unique symbols, each of `size` bytes.
inline NewExecution NoisyExecution(unsigned number, size_t size = 10'000) {
  NewExecution execution = MakeExecution(absl::StrCat("run ", number));
  execution.execution.target = absl::StrCat("//db:test", number);
  const Blob gmon = MakeBlob(Noise(size, 2 * number));
  const Blob bundle = MakeBlob(Noise(size, 2 * number + 1));
  execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
  execution.images = {{"b1d1", bundle.name}};
  execution.blobs = {gmon, bundle};
  return execution;
}

inline std::vector<NewExecution> RecordNoise(const Store& store, unsigned count,
                                             size_t size = 10'000) {
  std::vector<NewExecution> executions;
  for (unsigned i = 1; i <= count; ++i) {
    executions.push_back(NoisyExecution(i, size));
    Record(store, executions.back());
  }
  return executions;
}

inline void ExpectAllThere(const Store& store, const std::vector<NewExecution>& executions) {
  for (const NewExecution& execution : executions) {
    for (const Blob& blob : execution.blobs) {
      const absl::StatusOr<std::string> bytes = store.blobs.Read(blob.name);
      ASSERT_TRUE(bytes.ok()) << execution.run.run_key << ": " << bytes.status();
      EXPECT_TRUE(*bytes == blob.bytes) << execution.run.run_key;
    }
  }
}

// An engine of a store with an archive, and its parts.
struct ArchivedStore {
  ArchivedStore(const sql::Engine& engine, std::shared_ptr<ObjectStore> archive)
      : ArchivedStore(*WithArchive(engine, std::move(archive))) {}
  explicit ArchivedStore(const sql::Engine& engine)
      : engine(engine), store(engine), upkeep(engine) {}

  sql::Engine engine;
  Store store;
  Upkeep upkeep;
};

inline ArchiveOptions ArchiveAt(absl::Time now) {
  ArchiveOptions options;
  options.now = [now] { return now; };
  options.older_than = kOld;
  return options;
}

inline ArchiveResult Archive(const Upkeep& upkeep,
                             const ArchiveOptions& options = ArchiveAt(kNow + kOld)) {
  const absl::StatusOr<ArchiveResult> archived = upkeep.archiving.Archive(options);
  EXPECT_TRUE(archived.ok()) << archived.status();
  return archived.ok() ? *archived : ArchiveResult();
}

inline CompactionOptions CompactAt(absl::Time now) {
  CompactionOptions options;
  options.now = [now] { return now; };
  return options;
}

inline CompactionResult Compact(const Upkeep& upkeep, absl::Time now) {
  const absl::StatusOr<CompactionResult> compacted = upkeep.compaction.Compact(CompactAt(now));
  EXPECT_TRUE(compacted.ok()) << compacted.status();
  return compacted.ok() ? *compacted : CompactionResult();
}

// Deletes a run, and the blobs that are unreferenced then.
inline void DeleteRun(const ArchivedStore& on, int64_t run_id, absl::Time now) {
  EXPECT_OK(on.store.removal.DeleteRun("sqlite", run_id, kOperator, now));
  CollectOptions options;
  for (const absl::Time time : {now, now + kDay}) {
    options.now = [time] { return time; };
    EXPECT_OK(on.upkeep.garbage.Collect(options, kOperator));
  }
}

}  // namespace gprofhub::store
