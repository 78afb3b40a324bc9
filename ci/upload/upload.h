// Uploads test executions: finds each execution's profiles, assigns each to its image, checks that
// they match, and sends them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "ci/upload/collector_client.h"
#include "ci/upload/image_search.h"
#include "ci/upload/results/test_events.h"
#include "proto/collector.pb.h"

namespace gprofhub::ci {

// Thread pool with a bound on the bytes of queued and running work.

class BoundedWork {
 public:
  // `threads`: at least 1. `most_bytes` bounds the memory of queued and running work; a single
  // piece may exceed it.
  BoundedWork(size_t threads, uint64_t most_bytes);
  // Runs all queued work.
  ~BoundedWork();
  BoundedWork(const BoundedWork&) = delete;
  BoundedWork& operator=(const BoundedWork&) = delete;

  // Queues `work`, which holds `bytes`, for a thread. Blocks while all threads are busy and another
  // piece is queued, or while the bytes are used up. With one thread, work runs in this order.
  void Add(uint64_t bytes, std::function<void()> work);

 private:
  struct Piece {
    uint64_t bytes;
    std::function<void()> work;
  };

  void Run();

  const size_t most_pieces_;
  const uint64_t most_bytes_;
  absl::Mutex mutex_;
  std::queue<Piece> waiting_ ABSL_GUARDED_BY(mutex_);
  size_t pieces_ ABSL_GUARDED_BY(mutex_) = 0;  // queued and running
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

// Default identity of a run.

// Sets a run's key and start if they are unset. `run.run_key` becomes a hash
// of the beginnings of the profiles' files, so that the same upload sent twice is one run.
// `run.started_unix_ms` becomes the time of the oldest of these files. NOT_FOUND if a named file is
// absent.
absl::Status CompleteRun(const std::vector<TestAttempt>& attempts, v1::RunInfo& run);

struct UploadPlan {
  // If its configuration is empty, it is taken from each execution; each configuration is a run of
  // its own then.
  v1::RunInfo run;
  std::vector<TestAttempt> attempts;
};

struct UploadSummary {
  std::set<std::string> run_ids;  // the server's numbers
  uint32_t executions = 0;        // sent, including those already present
  uint32_t already_present = 0;
  uint32_t cached = 0;            // of the executions: results from Bazel's cache
  uint32_t found = 0;             // of the cached: only the server has the profile
  uint32_t without_profiles = 0;  // executions without any profile; `skipped` has the skipped ones
  uint32_t profiles = 0;
  uint64_t bytes_sent = 0;           // of blobs the server lacked
  uint64_t bytes_total = 0;          // of all blobs named
  std::set<std::string> images;      // build-ids
  std::vector<std::string> skipped;  // skipped profiles and executions, and why
  // Error that aborted the upload, if any.
  absl::Status status;
};

struct UploadSteps {
  ImageSearch& search;
  ImageBundles& bundles;
  // Sends one execution; nothing is sent if absent (a dry run). Several threads call it at once.
  std::function<absl::StatusOr<UploadOutcome>(const v1::UploadHeader&, const BlobBytes&)> send;
  // Progress callback after each execution: number done, total, and the execution. Not concurrent.
  std::function<void(size_t done, size_t total, const std::string& what)> progress;
  // Number of concurrent uploads. A server syncs its disk once for all that arrive together.
  size_t at_once = 16;
};

// Skips an unusable profile or execution and continues; an error that would affect every further
// execution aborts the upload. Preparation and sending overlap.
UploadSummary UploadAttempts(UploadPlan plan, const UploadSteps& steps);

}  // namespace gprofhub::ci
