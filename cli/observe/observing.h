// Observability of the process: metrics and health over HTTP, health over gRPC, and notifications
// of systemd.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/work_loop.h"
#include "cli/listen/http_peers.h"
#include "cli/logs/log_lines.h"
#include "cli/observe/health_rules.h"
#include "cli/observe/metrics.h"
#include "cli/observe/service_manager.h"
#include "cli/observe/store_watch.h"
#include "store/condition/condition.h"
#include "store/transfers/transfer_blobs.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

struct ObserveOptions {
  LogFormat log_format = LogFormat::kText;
  std::string metrics_listen;  // "HOST:PORT"; empty: nowhere
  uint64_t least_free_mib = HealthLimits().least_free >> 20;
  CopyRole copies = CopyRole::kNone;
  uint32_t max_staleness_seconds = 300;  // of a copy
};

// Adds the options to `serve`.
void AddObserveOptions(CLI::App& command, ObserveOptions& options);

// Liveness probe of a part of the process: its name, and a check that returns the reason for a
// hang. Called every now and then; takes a few seconds at most.
using LifeSign = std::pair<std::string, std::function<absl::Status()>>;

class Observing {
 public:
  // Watches the store, and serves the metrics port, until destruction. `room` and `metrics` outlive
  // it. Errors are HttpPeers::Start's, and INVALID_ARGUMENT for a malformed address.
  static absl::StatusOr<std::unique_ptr<Observing>> Start(
      const ObserveOptions& options, const ServedRoles& roles, const store::Condition& condition,
      const store::TransferBlobs& transfers, const UploadRoom& room, const Metrics& metrics);
  ~Observing();
  Observing(const Observing&) = delete;
  Observing& operator=(const Observing&) = delete;

  // Whether a service, as named in health_rules.h, is serving; nullopt: this process has no service
  // of that name.
  std::optional<bool> IsServing(const std::string& service) const;

  // If the process reads a replica: a lower bound of the time of its data; nullopt: it does not, or
  // nothing was replicated yet.
  std::optional<absl::Time> AsOf() const;

  // The process accepts calls and jobs from now on. systemd's watchdog is fed as long as all
  // liveness probes succeed. Scrapes include the output of `sampler`. The data that both use
  // outlives the call of Stopping.
  void Ready(std::vector<LifeSign> signs, Sampler sampler);

  // The process is shutting down: it is not ready, and neither liveness probes nor the sampler are
  // called any more.
  void Stopping();

 private:
  Observing(const ObserveOptions& options, const ServedRoles& roles,
            const store::Condition& condition, const store::TransferBlobs& transfers,
            const UploadRoom& room);

  enum class Phase { kStarting, kReady, kStopping };

  absl::Status Listen(const std::string& address, const Metrics& metrics);
  std::map<std::string, Health> health() const;
  // One line for each service, and what is wrong; whether the whole is serving.
  std::pair<bool, std::string> Readiness() const;
  absl::Status CheckLife() const;
  void FeedWatchdog();

  const ServedRoles roles_;
  const CopyRole copies_;
  const HealthLimits limits_;
  const absl::Time started_;
  const ServiceManager manager_;
  StoreWatch store_;
  std::atomic<Phase> phase_ = Phase::kStarting;
  mutable absl::Mutex mutex_;
  std::vector<LifeSign> signs_ ABSL_GUARDED_BY(mutex_);  // empty unless ready
  Sampler sampler_ ABSL_GUARDED_BY(mutex_);              // null unless ready
  bool was_alive_ = true;
  std::unique_ptr<base::WorkLoop> feeding_;
  std::thread watching_;
  std::thread feeder_;
  std::unique_ptr<HttpPeers> peers_;  // last: its handlers use all of the above
};

}  // namespace gprofhub::cli
