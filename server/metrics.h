// Metrics of the process, in Prometheus' format.
//
// The measured components do not depend on this: they get a callback, or their own counters are
// sampled at each scrape. docs/operations.md documents each metric.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "analyzer/worker/worker.h"
#include "base/memory_budget.h"
#include "collector/cache/cache_service.h"
#include "collector/grpc_call.h"
#include "reporter/worker/report_worker.h"
#include "server/listen/connection_gate.h"
#include "store/condition.h"
#include "store/sql/engine.h"
#include "store/transfer_blobs.h"

namespace gprofhub::server {

// A value that is sampled at each scrape.
struct Sample {
  enum class Kind { kGauge, kCounter };
  Kind kind = Kind::kGauge;
  std::string name;  // of the metric, the same kind and help each time
  std::string help;
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};
using Sampler = std::function<void(std::vector<Sample>& samples)>;

// Data removed by a round of housekeeping (server/).
struct FreedByHousekeeping {
  uint64_t runs = 0;       // by the policies of retention
  uint64_t profiles = 0;   // also of runs that stay
  uint64_t blobs = 0;      // unreferenced ones
  uint64_t transfers = 0;  // files uploaded by Bazel
  uint64_t bytes = 0;      // of blobs, files and transfers
};

// Safe to use from several threads.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Callbacks for the measured components; they may outlive the metrics.
  collector::OnEndedCall OnCall() const;
  store::OnStoreCall OnStoreCall() const;
  std::function<void(const analyzer::EndedAnalysis&)> OnAnalysis() const;
  std::function<void(const reporter::EndedReport&)> OnReport() const;
  std::function<void(const FreedByHousekeeping&)> OnHousekeeping() const;
  std::function<void(int code)> OnWebhook() const;  // of a forge, answered so

  // All metrics, with the output of `sampler`, in Prometheus's text format 0.0.4.
  std::string Text(const Sampler& sampler) const;

 private:
  class Families;
  const std::shared_ptr<Families> families_;
};

// Keeps the store's last known condition, so that readers never block.

// The file system of the store's files.
struct Disk {
  uint64_t size = 0;  // bytes; 0: unknown, or not on this machine
  uint64_t free = 0;  // for this user
};

// Last known condition of the store.
struct StoreView {
  absl::Time asked = absl::InfiniteFuture();  // when the question that has no answer yet was put
  absl::Status status;                        // the last answer
  Disk disk;
  std::vector<store::QueueCondition> queues;
  absl::Time queues_read = absl::InfinitePast();
  store::HeldTransfers transfers;                 // as of then
  absl::Time last_backup = absl::InfinitePast();  // as of then
  // For each queue, by kind: since when its oldest job has been the oldest one.
  std::map<std::string, absl::Time> same_oldest_since;
  absl::Time no_room = absl::InfinitePast();  // as UploadRoom has it
  // For a replica: a lower bound of the time of its data.
  absl::Time as_of = absl::InfinitePast();
};

// Role of this process with respect to replicas of its database (docs/team.md).
enum class CopyRole {
  kNone,     // without replicas
  kIsTold,   // writes heartbeats for possible replicas
  kReadsOne  // its database is one
};

// Observes results of the store's calls: writes may fail for want of space where queries do not.
// Safe to use from several threads.
class UploadRoom {
 public:
  explicit UploadRoom(std::function<absl::Time()> now = absl::Now) : now_(std::move(now)) {}

  void Hear(const store::StoreCall& call);
  // When an upload's write last failed for want of space, if none has succeeded since.
  absl::Time no_room() const;

 private:
  const std::function<absl::Time()> now_;
  mutable absl::Mutex mutex_;
  absl::Time no_room_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

class StoreWatch {
 public:
  struct Options {
    absl::Duration queues_every = absl::Seconds(5);
    CopyRole copies = CopyRole::kNone;
    absl::Duration tell_copies_every = absl::Seconds(10);
    // Files uploaded by Bazel that are not yet consumed; null: not read.
    std::function<absl::StatusOr<store::HeldTransfers>()> read_transfers;
    std::function<absl::Time()> now = absl::Now;
  };

  // `room` outlives the watch.
  StoreWatch(store::Condition condition, const UploadRoom& room, const Options& options);

  // Asks once. Blocks as long as the store does not answer.
  void Ask();

  // The last known condition. Does not block.
  StoreView view() const;
  // StoreView::as_of alone.
  absl::Time as_of() const;
  store::sql::Connections connections() const;

 private:
  void ReadQueues(absl::Time now);
  // Writes the heartbeat for replicas, or reads it on a replica.
  absl::Status LookAfterCopies(absl::Time now);

  const store::Condition condition_;
  const UploadRoom& room_;
  const Options options_;
  mutable absl::Mutex mutex_;
  StoreView view_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int64_t> oldest_ ABSL_GUARDED_BY(mutex_);  // ids, by kind
};

// Values that are sampled at each scrape.

// Memory, processor time and descriptors of this process, by the names that Prometheus's own client
// libraries use.
void SampleProcess(absl::Time started, std::vector<Sample>& samples);

// Disk, queues and connections of the store.
void SampleStore(const StoreWatch& store, absl::Time now, std::vector<Sample>& samples);

// The memory for decoding.
void SampleDecoding(const base::MemoryBudget& decoding, std::vector<Sample>& samples);

// Connections to the server's own port, and the calls on them.
void SampleConnections(const ConnectionCounts& connections, uint64_t open_calls,
                       std::vector<Sample>& samples);

// Files of Bazel that were not accepted.
void SampleCache(const collector::NotTaken& not_taken, std::vector<Sample>& samples);

}  // namespace gprofhub::server
