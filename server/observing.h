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
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/work_loop.h"
#include "server/listen/listen_address.h"
#include "server/log_lines.h"
#include "server/metrics.h"
#include "server/part.h"
#include "store/condition.h"
#include "store/transfer_blobs.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::server {

// Rules that derive a service's health.

struct HealthLimits {
  // Timeout after which a store counts as unavailable.
  absl::Duration silence = absl::Seconds(10);
  // Bytes on the disk of the store's files below which no upload is taken to be possible.
  uint64_t least_free = uint64_t{256} << 20;
  // A queue is stuck if its oldest job has waited for longer, and has been the oldest one for that
  // time.
  absl::Duration stuck = absl::Minutes(10);
  // An upload that failed for want of space marks the store as full for this time.
  absl::Duration remember_no_room = absl::Minutes(1);
  // Of a copy of a database: what is older is not shown any more.
  absl::Duration stalest = absl::InfiniteDuration();
};

// Roles of this process.
struct ServedRoles {
  bool collector = false;
  bool query = false;
  bool worker = false;
  bool reporter = false;
};

struct Health {
  bool serving = true;
  std::string why;  // reason for not serving, for an operator; may name files and hosts
};

// Names of services in health requests.
inline constexpr char kCollectorHealth[] = "gprofhub.v1.Collector";
inline constexpr char kQueryHealth[] = "gprofhub.v1.Query";
inline constexpr char kWorkerHealth[] = "gprofhub.worker";
inline constexpr char kReporterHealth[] = "gprofhub.reporter";
inline constexpr char kWholeHealth[] = "";

// By service, of those that the process has. The overall health is that of the services that accept
// calls, or, without any, of everything: a stuck queue is not a reason to stop uploads.
std::map<std::string, Health> JudgeHealth(const StoreView& store, const ServedRoles& roles,
                                          const HealthLimits& limits, absl::Time now);

// Notifies systemd of this process' state (sd_notify(3)): ready, stopping, alive. The protocol is
// one datagram of lines to a socket, so its library is not needed.

class ServiceManager {
 public:
  // `variable` is getenv: reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  using Variable = std::function<const char*(const char* name)>;
  explicit ServiceManager(const Variable& variable);

  // Whether there is a receiver.
  bool is_there() const { return !socket_.empty(); }

  // Sends lines such as "READY=1\nSTATUS=…"; does nothing without a receiver. Errors: the datagram
  // cannot be sent.
  absl::Status Tell(absl::string_view lines) const;

  // Interval of "WATCHDOG=1", shortened for safety; nullopt: the watchdog is off.
  std::optional<absl::Duration> watchdog() const { return watchdog_; }

 private:
  std::string socket_;
  std::optional<absl::Duration> watchdog_;
};

struct ObserveOptions {
  LogFormat log_format = LogFormat::kText;
  std::string metrics_listen;  // "HOST:PORT"; empty: nowhere
  uint64_t least_free_mib = HealthLimits().least_free >> 20;
  bool replica = false;                  // the store is a copy of a database
  uint32_t max_staleness_seconds = 300;  // of a copy
};

// Adds the options to `serve`.
void AddObserveOptions(CLI::App& command, ObserveOptions& options);

// Liveness probe of a part of the process: its name, and a check that returns the reason for a
// hang. Called every now and then; takes a few seconds at most.
using LifeSign = std::pair<std::string, std::function<absl::Status()>>;

class Observing final : public ServerPart {
 public:
  // `room` and `metrics` outlive it.
  Observing(const ObserveOptions& options, const ServedRoles& roles, CopyRole copies,
            const store::Condition& condition, const store::TransferBlobs& transfers,
            const UploadRoom& room, const Metrics& metrics);
  ~Observing() override { Stop(); }

  // Watches the store, and serves the metrics port. Errors are HttpPeers::Start's, and
  // INVALID_ARGUMENT for a malformed address.
  absl::Status Start() override;
  // The process accepts calls and jobs from now on. systemd's watchdog is fed as long as all
  // liveness probes succeed.
  void Ready() override;
  // The process is shutting down: it is not ready, and neither liveness probes nor samplers are
  // called any more.
  void Drain() override;
  void Stop() override;

  // To be called before Ready. Both are called between Ready and Drain only; the samplers' output
  // is included in scrapes.
  void AddLifeSign(std::string name, std::function<absl::Status()> sign);
  void AddSampler(Sampler sampler);

  // Whether a service, as named in health_rules.h, is serving; nullopt: this process has no service
  // of that name.
  std::optional<bool> IsServing(const std::string& service) const;

  // If the process reads a replica: a lower bound of the time of its data; nullopt: it does not, or
  // nothing was replicated yet.
  std::optional<absl::Time> AsOf() const;

 private:
  enum class Phase { kStarting, kReady, kStopping };

  absl::Status Listen();
  std::map<std::string, Health> health() const;
  // One line for each service, and what is wrong; whether the whole is serving.
  std::pair<bool, std::string> Readiness() const;
  absl::Status CheckLife() const;
  void FeedWatchdog();

  const std::string listen_;  // empty: nowhere
  const ServedRoles roles_;
  const CopyRole copies_;
  const Metrics& metrics_;
  const HealthLimits limits_;
  const absl::Time started_;
  const ServiceManager manager_;
  StoreWatch store_;
  std::atomic<Phase> phase_ = Phase::kStarting;
  mutable absl::Mutex mutex_;
  // Called in the phase kReady only, under the mutex.
  std::vector<LifeSign> signs_ ABSL_GUARDED_BY(mutex_);
  std::vector<Sampler> samplers_ ABSL_GUARDED_BY(mutex_);
  bool was_alive_ = true;
  std::unique_ptr<base::WorkLoop> watching_;
  std::unique_ptr<base::WorkLoop> feeding_;  // null: no watchdog, or not ready
  std::unique_ptr<HttpPeers> peers_;         // last: its handlers use all of the above
};

}  // namespace gprofhub::server
