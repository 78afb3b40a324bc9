#include "server/observing.h"

#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "server/listen/listen_address.h"
#include "server/metrics.h"

namespace gprofhub::server {

namespace {

Health Not(std::string why) { return {false, std::move(why)}; }

// Whether the store answers.
Health OfStore(const StoreView& store, const HealthLimits& limits, absl::Time now) {
  if (now - store.asked > limits.silence) {
    return Not(
        absl::StrCat("the store has not answered for ",
                     absl::FormatDuration(absl::Trunc(now - store.asked, absl::Seconds(1)))));
  }
  if (!store.status.ok()) return Not(absl::StrCat("the store: ", store.status.ToString()));
  return {};
}

Health OfRoom(const StoreView& store, const HealthLimits& limits, absl::Time now) {
  if (store.disk.size > 0 && store.disk.free < limits.least_free) {
    return Not(absl::StrCat("the disk has ", store.disk.free >> 20, " MiB left; ",
                            limits.least_free >> 20, " are required"));
  }
  if (now - store.no_room < limits.remember_no_room) {
    return Not("the last upload failed because the store is full");
  }
  return {};
}

Health OfQueue(const StoreView& store, absl::string_view kind, const HealthLimits& limits,
               absl::Time now) {
  for (const store::QueueCondition& queue : store.queues) {
    if (queue.kind != kind || queue.oldest_id == 0) continue;
    const auto since = store.same_oldest_since.find(std::string(kind));
    if (since == store.same_oldest_since.end()) continue;
    if (now - since->second <= limits.stuck || now - queue.oldest <= limits.stuck) continue;
    return Not(absl::StrCat("the queue of kind ", kind, " is stuck: job ", queue.oldest_id,
                            " has waited since ",
                            absl::FormatTime(absl::RFC3339_sec, queue.oldest, absl::UTCTimeZone()),
                            ", with ", queue.waiting, " waiting"));
  }
  return {};
}

Health OfCopy(const StoreView& store, const HealthLimits& limits, absl::Time now) {
  if (limits.stalest == absl::InfiniteDuration() || now - store.as_of <= limits.stalest) return {};
  if (store.as_of == absl::InfinitePast()) {
    return Not("the database is not a replica, or has not received data from a primary server");
  }
  return Not(absl::StrCat("the replica's data is of ",
                          absl::FormatTime(absl::RFC3339_sec, store.as_of, absl::UTCTimeZone()),
                          ", older than ", absl::FormatDuration(limits.stalest)));
}

// The first that is not.
Health All(const std::vector<Health>& all) {
  for (const Health& health : all) {
    if (!health.serving) return health;
  }
  return {};
}

}  // namespace

std::map<std::string, Health> JudgeHealth(const StoreView& store, const ServedRoles& roles,
                                          const HealthLimits& limits, absl::Time now) {
  const Health answers = OfStore(store, limits, now);
  std::map<std::string, Health> health;
  if (roles.collector) health[kCollectorHealth] = All({answers, OfRoom(store, limits, now)});
  if (roles.query) health[kQueryHealth] = All({answers, OfCopy(store, limits, now)});
  std::vector<Health> whole;
  for (const auto& [service, each] : health) whole.push_back(each);
  const bool takes_calls = !whole.empty();
  if (roles.worker) {
    health[kWorkerHealth] = All({answers, OfQueue(store, "analysis", limits, now)});
  }
  if (roles.reporter) {
    health[kReporterHealth] = All({answers, OfQueue(store, "report", limits, now),
                                   OfQueue(store, "notification", limits, now)});
  }
  if (!takes_calls) {
    for (const auto& [service, each] : health) whole.push_back(each);
  }
  health[kWholeHealth] = All(whole);
  return health;
}

namespace {

std::string Of(const ServiceManager::Variable& variable, const char* name) {
  const char* value = variable(name);
  return value == nullptr ? "" : value;
}

}  // namespace

ServiceManager::ServiceManager(const Variable& variable) : socket_(Of(variable, "NOTIFY_SOCKET")) {
  // An absolute path, or a name in the abstract namespace.
  if (!socket_.empty() && socket_[0] != '/' && socket_[0] != '@') socket_.clear();
  int64_t pid = 0;
  const std::string meant = Of(variable, "WATCHDOG_PID");
  if (!meant.empty() && (!absl::SimpleAtoi(meant, &pid) || pid != getpid())) return;
  int64_t micros = 0;
  if (absl::SimpleAtoi(Of(variable, "WATCHDOG_USEC"), &micros) && micros > 0) {
    watchdog_ = absl::Microseconds(micros) / 2;
  }
}

absl::Status ServiceManager::Tell(absl::string_view lines) const {
  if (!is_there()) return absl::OkStatus();
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket_.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError("NOTIFY_SOCKET: too long for a socket address");
  }
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_[0] == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::UnavailableError(std::strerror(errno));
  const ssize_t sent = sendto(fd, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                              reinterpret_cast<const sockaddr*>(&address), size);
  const int error = errno;
  close(fd);
  if (sent == static_cast<ssize_t>(lines.size())) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("NOTIFY_SOCKET: ", std::strerror(error)));
}

namespace {

constexpr char kText[] = "text/plain; charset=utf-8";
constexpr char kMetricsText[] = "text/plain; version=0.0.4; charset=utf-8";
// Scrapers and probes are few.
constexpr size_t kPeers = 8;
constexpr size_t kMaxRequestBytes = 16 << 10;
constexpr absl::Duration kAskStoreEvery = absl::Seconds(2);

std::unique_ptr<base::WorkLoop> Every(absl::Duration time, std::function<void()> work) {
  base::WorkLoop::Waits waits;
  waits.poll = time;
  return std::make_unique<base::WorkLoop>(waits, [work = std::move(work)](const base::StopToken&) {
    work();
    return false;
  });
}

HealthLimits LimitsOf(const ObserveOptions& options) {
  HealthLimits limits;
  limits.least_free = options.least_free_mib << 20;
  if (options.replica) {
    limits.stalest = absl::Seconds(options.max_staleness_seconds);
  }
  return limits;
}

StoreWatch::Options WatchOptionsFor(const store::TransferBlobs& transfers, CopyRole copies) {
  StoreWatch::Options options;
  options.copies = copies;
  options.read_transfers = [transfers] { return transfers.Held(); };
  return options;
}

}  // namespace

void AddObserveOptions(CLI::App& command, ObserveOptions& options) {
  constexpr char kGroup[] = "Monitoring and logs";
  command
      .add_option("--metrics-listen", options.metrics_listen,
                  "Serve /metrics, /livez and /readyz over HTTP at this address; no "
                  "authentication, so use a loopback address or a trusted network (default: off)")
      ->type_name("HOST:PORT")
      ->group(kGroup);
  command
      .add_option("--log-format", options.log_format,
                  "Log format: plain text, or one JSON object per line")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, LogFormat>{{"text", LogFormat::kText}, {"json", LogFormat::kJson}}))
      ->type_name("text|json")
      ->group(kGroup);
  command
      .add_option("--min-free-disk", options.least_free_mib,
                  "Minimum free space on the data directory's disk; with less, the server reports "
                  "that it is not ready for uploads")
      ->type_name("MIB")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 40))
      ->capture_default_str()
      ->group(kGroup);
}

Observing::Observing(const ObserveOptions& options, const ServedRoles& roles, CopyRole copies,
                     const store::Condition& condition, const store::TransferBlobs& transfers,
                     const UploadRoom& room, const Metrics& metrics)
    : listen_(options.metrics_listen),
      roles_(roles),
      copies_(copies),
      metrics_(metrics),
      limits_(LimitsOf(options)),
      started_(absl::Now()),
      manager_([](const char* name) { return std::getenv(name); }),
      store_(condition, room, WatchOptionsFor(transfers, copies)) {}

absl::Status Observing::Start() {
  store_.Ask();
  watching_ = Every(kAskStoreEvery, [this] { store_.Ask(); });
  return listen_.empty() ? absl::OkStatus() : Listen();
}

void Observing::Stop() {
  peers_.reset();
  watching_.reset();
}

void Observing::AddLifeSign(std::string name, std::function<absl::Status()> sign) {
  absl::MutexLock lock(&mutex_);
  signs_.emplace_back(std::move(name), std::move(sign));
}

void Observing::AddSampler(Sampler sampler) {
  absl::MutexLock lock(&mutex_);
  samplers_.push_back(std::move(sampler));
}

absl::Status Observing::Listen() {
  ASSIGN_OR_RETURN(const ListenAddress listen, ParseListenAddress(listen_));
  ASSIGN_OR_RETURN(const bool loopback, IsLoopback(listen));
  if (!loopback) {
    spdlog::warn(
        "{} can be reached from other machines, and its metrics contain the names of projects",
        listen_);
  }
  const auto sample = [this](std::vector<Sample>& samples) {
    {
      absl::MutexLock lock(&mutex_);
      if (phase_ == Phase::kReady) {
        for (const Sampler& sampler : samplers_) sampler(samples);
      }
    }
    SampleProcess(started_, samples);
    SampleStore(store_, absl::Now(), samples);
    for (const auto& [service, one] : health()) {
      samples.push_back({Sample::Kind::kGauge,
                         "gprofhub_serving",
                         "Whether a service is ready (1), by the name that health checks use",
                         {{"service", service.empty() ? "all" : service}},
                         one.serving ? 1.0 : 0.0});
    }
  };
  HttpPeers::Options bounds;
  bounds.peers = kPeers;
  bounds.max_bytes = kMaxRequestBytes;
  const auto routes = [this, sample](httplib::Server& server) {
    server.Get("/metrics", [this, sample](const auto&, httplib::Response& response) {
      response.set_content(metrics_.Text(sample), kMetricsText);
    });
    server.Get("/livez", [this](const auto&, httplib::Response& response) {
      const absl::Status alive = CheckLife();
      response.status = alive.ok() ? 200 : 503;
      response.set_content(
          alive.ok() ? "alive\n" : absl::StrCat(std::string(alive.message()), "\n"), kText);
    });
    server.Get("/readyz", [this](const auto&, httplib::Response& response) {
      const auto [ready, text] = Readiness();
      response.status = ready ? 200 : 503;
      response.set_content(text, kText);
    });
  };
  ASSIGN_OR_RETURN(std::unique_ptr<HttpPeers> peers, HttpPeers::Start(listen, bounds, routes));
  peers_ = std::move(peers);
  spdlog::info("metrics and health on {}", peers_->address().ToString());
  return absl::OkStatus();
}

std::map<std::string, Health> Observing::health() const {
  std::map<std::string, Health> health = JudgeHealth(store_.view(), roles_, limits_, absl::Now());
  const Phase phase = phase_;
  if (phase == Phase::kReady) return health;
  for (auto& [service, one] : health) {
    one = {false, phase == Phase::kStarting ? "the server is starting" : "the server is stopping"};
  }
  return health;
}

std::optional<bool> Observing::IsServing(const std::string& service) const {
  const std::map<std::string, Health> all = health();
  const auto found = all.find(service);
  if (found == all.end()) return std::nullopt;
  return found->second.serving;
}

std::optional<absl::Time> Observing::AsOf() const {
  const absl::Time as_of = store_.as_of();
  if (copies_ != CopyRole::kReadsOne || as_of == absl::InfinitePast()) return std::nullopt;
  return as_of;
}

std::pair<bool, std::string> Observing::Readiness() const {
  const std::map<std::string, Health> all = health();
  const bool ready = all.at(kWholeHealth).serving;
  std::string text = ready ? "ready\n" : "not ready\n";
  for (const auto& [service, one] : all) {
    if (service.empty()) continue;
    absl::StrAppend(&text, service, ": ", one.serving ? "serving" : one.why, "\n");
  }
  return {ready, text};
}

void Observing::Ready() {
  phase_ = Phase::kReady;
  if (absl::Status told = manager_.Tell("READY=1\nSTATUS=Serving\n"); !told.ok()) {
    spdlog::warn("cannot notify systemd that the server is ready: {}", told.ToString());
  }
  if (!manager_.is_there() || !manager_.watchdog().has_value()) return;
  feeding_ = Every(*manager_.watchdog(), [this] { FeedWatchdog(); });
}

absl::Status Observing::CheckLife() const {
  absl::MutexLock lock(&mutex_);  // keeps the data of the liveness probes alive
  if (phase_ != Phase::kReady) return absl::OkStatus();
  for (const auto& [name, sign] : signs_) {
    if (absl::Status status = sign(); !status.ok()) {
      return absl::InternalError(absl::StrCat(name, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

void Observing::FeedWatchdog() {
  const absl::Status alive = CheckLife();
  if (!alive.ok() && was_alive_) {
    spdlog::critical("the server makes no progress: {}; systemd will restart it",
                     std::string(alive.message()));
  }
  was_alive_ = alive.ok();
  if (!alive.ok()) return;
  const std::map<std::string, Health> all = health();
  const Health& whole = all.at(kWholeHealth);
  std::string status = whole.serving ? "Serving" : absl::StrCat("Not ready: ", whole.why);
  std::replace(status.begin(), status.end(), '\n', ' ');
  if (absl::Status told = manager_.Tell(absl::StrCat("WATCHDOG=1\nSTATUS=", status, "\n"));
      !told.ok()) {
    spdlog::warn("cannot notify systemd's watchdog: {}", told.ToString());
  }
}

void Observing::Drain() {
  const bool first = phase_.exchange(Phase::kStopping) != Phase::kStopping;
  feeding_.reset();
  {
    absl::MutexLock lock(&mutex_);
    signs_.clear();
    samplers_.clear();
  }
  if (first) (void)manager_.Tell("STOPPING=1\nSTATUS=Stopping\n");  // it ends in either case
}

}  // namespace gprofhub::server
