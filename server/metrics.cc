// Each combination of labels is a series that lives as long as the process. So labels take values
// from small sets only: names in the code, and channels of the configuration. Nothing that a
// stranger sends becomes one.
#include "server/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gprofhub::server {

namespace {

using prometheus::Histogram;
using Counters = prometheus::Family<prometheus::Counter>;
using Histograms = prometheus::Family<Histogram>;

// In seconds. A small call takes a few milliseconds, an upload up to ten minutes.
const Histogram::BucketBoundaries kCallSeconds = {0.005, 0.02, 0.05, 0.1, 0.15, 0.3,
                                                  1,     3,    10,   30,  60,   300};
const Histogram::BucketBoundaries kStoreSeconds = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10};
const Histogram::BucketBoundaries kAnalysisSeconds = {0.01, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000};

// The library omits metrics without series. Their name and help are exported all the same, for
// authors of alerts.
struct Registry {
  Counters& NewCounters(const char* name, const char* help) {
    names.push_back({name, help, prometheus::MetricType::Counter, {}});
    return prometheus::BuildCounter().Name(name).Help(help).Register(all);
  }
  Histograms& NewHistograms(const char* name, const char* help) {
    names.push_back({name, help, prometheus::MetricType::Histogram, {}});
    return prometheus::BuildHistogram().Name(name).Help(help).Register(all);
  }
  std::vector<prometheus::MetricFamily> Collect() const {
    std::map<std::string, prometheus::MetricFamily> by_name;
    for (const prometheus::MetricFamily& family : names) by_name[family.name] = family;
    for (prometheus::MetricFamily& family : all.Collect()) {
      by_name[family.name] = std::move(family);
    }
    std::vector<prometheus::MetricFamily> families;
    for (auto& [name, family] : by_name) families.push_back(std::move(family));
    return families;
  }

  prometheus::Registry all;
  std::vector<prometheus::MetricFamily> names;
};

// "Collector.Upload" of "/gprofhub.v1.Collector/Upload".
std::string ShortName(absl::string_view method) {
  if (method.empty()) return "unknown";
  const size_t slash = method.rfind('/');
  const absl::string_view service = method.substr(0, slash);
  return absl::StrCat(service.substr(service.rfind('.') + 1), ".", method.substr(slash + 1));
}

std::string CodeName(absl::StatusCode code) { return absl::StatusCodeToString(code); }

}  // namespace

class Metrics::Families {
 public:
  // Counters that alerts watch are there from the start: a rate needs a first value.
  Families() {
    for (const char* reason :
         {"calls", "project_calls", "upload_memory", "decoding_memory", "disk_full", "overloaded",
          "quota_calls", "quota_bytes", "quota_uploads", "quota_stored", "too_large", "stalled",
          "token", "permission", "unknown_method"}) {
      refusals_.Add({{"reason", reason}});
    }
    for (const char* outcome : {"done", "failed", "again", "lost"}) {
      analyses_.Add({{"outcome", outcome}});
    }
    for (const char* outcome :
         {"posted", "silent", "superseded", "looked", "waiting", "none", "again", "failed"}) {
      reports_.Add({{"outcome", outcome}});
    }
    analysis_time_.Add({}, kAnalysisSeconds);
    CountFreed({});
  }

  void CountCall(const collector::EndedCall& call) {
    const std::string method = ShortName(call.method);
    calls_.Add({{"method", method}, {"code", CodeName(call.code)}}).Increment();
    if (!call.refusal.empty()) {
      refusals_.Add({{"reason", std::string(call.refusal)}}).Increment();
    }
    if (call.method.empty()) return;
    call_time_.Add({{"method", method}}, kCallSeconds).Observe(absl::ToDoubleSeconds(call.took));
    received_.Add({{"method", method}}).Increment(static_cast<double>(call.received_bytes));
    sent_.Add({{"method", method}}).Increment(static_cast<double>(call.sent_bytes));
  }

  void CountStoreCall(const store::StoreCall& call) {
    const std::string part(call.part);
    const std::string operation(call.operation);
    store_time_.Add({{"part", part}, {"operation", operation}}, kStoreSeconds)
        .Observe(absl::ToDoubleSeconds(call.took));
    // Lookups of missing objects are not errors of the store.
    switch (call.code) {
      case absl::StatusCode::kUnavailable:
      case absl::StatusCode::kResourceExhausted:
      case absl::StatusCode::kInternal:
      case absl::StatusCode::kDataLoss:
      case absl::StatusCode::kDeadlineExceeded:
        store_errors_.Add({{"part", part}, {"operation", operation}, {"code", CodeName(call.code)}})
            .Increment();
        break;
      default:
        break;
    }
  }

  void CountAnalysis(const analyzer::EndedAnalysis& analysis) {
    analyses_.Add({{"outcome", std::string(analysis.outcome)}}).Increment();
    analysis_time_.Add({}, kAnalysisSeconds).Observe(absl::ToDoubleSeconds(analysis.took));
  }

  void CountReport(const reporter::EndedReport& report) {
    if (report.channel.empty()) {
      reports_.Add({{"outcome", std::string(report.outcome)}}).Increment();
    } else {
      messages_
          .Add({{"channel", std::string(report.channel)}, {"outcome", std::string(report.outcome)}})
          .Increment();
    }
  }

  void CountFreed(const FreedByHousekeeping& freed) {
    for (const auto& [what, count] :
         {std::pair("runs", freed.runs), std::pair("profiles", freed.profiles),
          std::pair("blobs", freed.blobs), std::pair("transfers", freed.transfers)}) {
      freed_.Add({{"what", what}}).Increment(static_cast<double>(count));
    }
    freed_bytes_.Add({}).Increment(static_cast<double>(freed.bytes));
  }

  void CountWebhook(int code) { webhooks_.Add({{"code", absl::StrCat(code)}}).Increment(); }

  std::string Text(const Sampler& sampler) const {
    std::vector<prometheus::MetricFamily> families = registry_.Collect();
    for (prometheus::MetricFamily& family : Sampled(sampler)) families.push_back(std::move(family));
    return prometheus::TextSerializer().Serialize(families);
  }

 private:
  static std::vector<prometheus::MetricFamily> Sampled(const Sampler& sampler) {
    std::vector<Sample> samples;
    sampler(samples);
    std::map<std::string, prometheus::MetricFamily> by_name;
    for (const Sample& sample : samples) {
      const bool counts = sample.kind == Sample::Kind::kCounter;
      prometheus::MetricFamily& family = by_name[sample.name];
      family.name = sample.name;
      family.help = sample.help;
      family.type = counts ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
      prometheus::ClientMetric& metric = family.metric.emplace_back();
      for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
      (counts ? metric.counter.value : metric.gauge.value) = sample.value;
    }
    std::vector<prometheus::MetricFamily> families;
    for (auto& [name, family] : by_name) families.push_back(std::move(family));
    return families;
  }

  Registry registry_;
  Counters& calls_ =
      registry_.NewCounters("gprofhub_calls_total", "Completed calls, by method and gRPC status");
  Histograms& call_time_ =
      registry_.NewHistograms("gprofhub_call_duration_seconds", "Duration of calls");
  Counters& received_ =
      registry_.NewCounters("gprofhub_received_bytes_total", "Bytes of received messages");
  Counters& sent_ = registry_.NewCounters("gprofhub_sent_bytes_total", "Bytes of sent messages");
  Counters& refusals_ =
      registry_.NewCounters("gprofhub_refusals_total", "Rejected calls, by reason");
  Histograms& store_time_ =
      registry_.NewHistograms("gprofhub_store_duration_seconds", "Duration of store operations");
  Counters& store_errors_ = registry_.NewCounters(
      "gprofhub_store_errors_total", "Store operations that failed because of the store");
  Counters& analyses_ =
      registry_.NewCounters("gprofhub_analyses_total", "Attempts at analyses, by outcome");
  Histograms& analysis_time_ =
      registry_.NewHistograms("gprofhub_analysis_duration_seconds", "Duration of analyses");
  Counters& reports_ =
      registry_.NewCounters("gprofhub_reports_total", "Attempts at reports, by outcome");
  Counters& messages_ = registry_.NewCounters("gprofhub_messages_total",
                                              "Attempts at messages to channels, by outcome");
  Counters& freed_ = registry_.NewCounters("gprofhub_housekeeping_freed_total",
                                           "Items removed by this process's housekeeping, by kind");
  Counters& freed_bytes_ = registry_.NewCounters("gprofhub_housekeeping_freed_bytes_total",
                                                 "Bytes freed by this process's housekeeping");
  Counters& webhooks_ = registry_.NewCounters("gprofhub_forge_webhooks_total",
                                              "Webhooks of forges, by HTTP status of the response");
};

Metrics::Metrics() : families_(std::make_shared<Families>()) {}
Metrics::~Metrics() = default;

collector::OnEndedCall Metrics::OnCall() const {
  return [families = families_](const collector::EndedCall& call) { families->CountCall(call); };
}

store::OnStoreCall Metrics::OnStoreCall() const {
  return [families = families_](const store::StoreCall& call) { families->CountStoreCall(call); };
}

std::function<void(const analyzer::EndedAnalysis&)> Metrics::OnAnalysis() const {
  return [families = families_](const analyzer::EndedAnalysis& analysis) {
    families->CountAnalysis(analysis);
  };
}

std::function<void(const reporter::EndedReport&)> Metrics::OnReport() const {
  return [families = families_](const reporter::EndedReport& report) {
    families->CountReport(report);
  };
}

std::function<void(int code)> Metrics::OnWebhook() const {
  return [families = families_](int code) { families->CountWebhook(code); };
}

std::function<void(const FreedByHousekeeping&)> Metrics::OnHousekeeping() const {
  return [families = families_](const FreedByHousekeeping& freed) { families->CountFreed(freed); };
}

std::string Metrics::Text(const Sampler& sampler) const { return families_->Text(sampler); }

namespace {

Disk DiskOf(const std::string& folder) {
  struct statvfs about = {};
  if (folder.empty() || statvfs(folder.c_str(), &about) != 0) return {};
  const uint64_t block = about.f_frsize;
  return {about.f_blocks * block, about.f_bavail * block};
}

}  // namespace

void UploadRoom::Hear(const store::StoreCall& call) {
  if (call.part != "ingest" || call.operation == "read") return;
  absl::MutexLock lock(&mutex_);
  if (call.code == absl::StatusCode::kResourceExhausted) {
    no_room_ = now_();
  } else if (call.code == absl::StatusCode::kOk && call.operation == "write") {
    no_room_ = absl::InfinitePast();
  }
}

absl::Time UploadRoom::no_room() const {
  absl::MutexLock lock(&mutex_);
  return no_room_;
}

StoreWatch::StoreWatch(store::Condition condition, const UploadRoom& room, const Options& options)
    : condition_(std::move(condition)), room_(room), options_(options) {
  absl::MutexLock lock(&mutex_);
  view_.status = absl::UnavailableError("the store has not been queried yet");
}

void StoreWatch::Ask() {
  const absl::Time begun = options_.now();
  bool queues_due = false;
  {
    absl::MutexLock lock(&mutex_);
    view_.asked = begun;
    queues_due = begun - view_.queues_read >= options_.queues_every;
  }
  absl::Status status = condition_.Check();
  if (status.ok()) status = LookAfterCopies(begun);
  const Disk disk = DiskOf(condition_.folder());
  {
    absl::MutexLock lock(&mutex_);
    view_.asked = absl::InfiniteFuture();
    view_.status = status;
    view_.disk = disk;
  }
  if (status.ok() && queues_due) ReadQueues(begun);
}

absl::Status StoreWatch::LookAfterCopies(absl::Time now) {
  if (options_.copies == CopyRole::kNone) return absl::OkStatus();
  if (options_.copies == CopyRole::kIsTold) {
    return condition_.Beat(now, options_.tell_copies_every);
  }
  ASSIGN_OR_RETURN(const absl::Duration age, condition_.ReadBeatAge(now));
  absl::MutexLock lock(&mutex_);
  view_.as_of = now - age;
  return absl::OkStatus();
}

// Counting long queues takes time. That does not mean that the store is unavailable.
void StoreWatch::ReadQueues(absl::Time now) {
  absl::StatusOr<std::vector<store::QueueCondition>> queues = condition_.ReadQueues(now);
  const absl::StatusOr<store::HeldTransfers> transfers =
      options_.read_transfers ? options_.read_transfers() : store::HeldTransfers();
  const absl::StatusOr<absl::Time> backup = condition_.ReadLastBackup();
  if (!queues.ok() || !transfers.ok() || !backup.ok()) return;  // the next check reports the reason
  absl::MutexLock lock(&mutex_);
  for (const store::QueueCondition& queue : *queues) {
    const std::string kind(queue.kind);
    int64_t& oldest = oldest_[kind];
    absl::Time& since = view_.same_oldest_since[kind];
    if (queue.oldest_id == 0 || queue.oldest_id != oldest) since = now;
    oldest = queue.oldest_id;
  }
  view_.queues = *std::move(queues);
  view_.transfers = *transfers;
  view_.last_backup = *backup;
  view_.queues_read = now;
}

StoreView StoreWatch::view() const {
  StoreView view;
  {
    absl::MutexLock lock(&mutex_);
    view = view_;
  }
  view.no_room = room_.no_room();
  return view;
}

absl::Time StoreWatch::as_of() const {
  absl::MutexLock lock(&mutex_);
  return view_.as_of;
}

store::sql::Connections StoreWatch::connections() const { return condition_.connections(); }

namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

void AddGauge(std::vector<Sample>& samples, std::string name, std::string help, Labels labels,
              double value) {
  samples.push_back(
      {Sample::Kind::kGauge, std::move(name), std::move(help), std::move(labels), value});
}

void AddCounter(std::vector<Sample>& samples, std::string name, std::string help, Labels labels,
                double value) {
  samples.push_back(
      {Sample::Kind::kCounter, std::move(name), std::move(help), std::move(labels), value});
}

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double SecondsSince(absl::Time then, absl::Time now) {
  return then > now ? 0 : absl::ToDoubleSeconds(now - then);
}

double Number(uint64_t value) { return static_cast<double>(value); }

void SampleQueue(const store::QueueCondition& queue, absl::Time now, std::vector<Sample>& samples) {
  const std::string kind(queue.kind);
  for (const auto& [state, jobs] :
       {std::pair("waiting", queue.waiting), std::pair("running", queue.running),
        std::pair("later", queue.later), std::pair("failed", queue.failed)}) {
    AddGauge(samples, "gprofhub_queue_jobs", "Jobs in a queue, by kind and state",
             {{"kind", kind}, {"state", state}}, Number(jobs));
  }
  AddGauge(samples, "gprofhub_queue_oldest_seconds", "Age of the oldest waiting job",
           {{"kind", kind}}, SecondsSince(queue.oldest, now));
  for (const store::ProjectQueue& project : queue.projects) {
    AddGauge(samples, "gprofhub_queue_project_jobs",
             "Oldest waiting jobs, by project; at most 20 projects",
             {{"kind", kind}, {"project", project.project}}, Number(project.waiting));
    AddGauge(samples, "gprofhub_queue_project_oldest_seconds",
             "Age of a project's oldest waiting job",
             {{"kind", kind}, {"project", project.project}}, SecondsSince(project.oldest, now));
  }
}

}  // namespace

void SampleProcess(absl::Time started, std::vector<Sample>& samples) {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  rlimit files = {};
  getrlimit(RLIMIT_NOFILE, &files);
  // proc(5): size and resident set, in pages.
  uint64_t size = 0;
  uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  std::error_code error;
  const std::filesystem::directory_iterator open("/proc/self/fd", error);
  const auto descriptors = error ? 0 : std::distance(begin(open), end(open));
  AddCounter(samples, "process_cpu_seconds_total", "CPU time, in seconds", {},
             SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime));
  AddGauge(samples, "process_resident_memory_bytes", "Resident memory", {},
           Number(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  AddGauge(samples, "process_open_fds", "Open file descriptors", {},
           static_cast<double>(descriptors));
  AddGauge(samples, "process_max_fds", "Limit on open file descriptors", {},
           Number(files.rlim_cur));
  AddGauge(samples, "process_start_time_seconds", "Start of the process, Unix time", {},
           absl::ToDoubleSeconds(started - absl::UnixEpoch()));
}

void SampleStore(const StoreWatch& store, absl::Time now, std::vector<Sample>& samples) {
  const StoreView view = store.view();
  const store::sql::Connections connections = store.connections();
  for (const auto& [state, count] :
       {std::pair("used", connections.used), std::pair("idle", connections.idle)}) {
    AddGauge(samples, "gprofhub_store_connections", "Connections to the database, by state",
             {{"state", state}}, Number(count));
  }
  AddGauge(samples, "gprofhub_store_waiting", "Database operations that wait for a connection", {},
           Number(connections.waiting));
  if (view.disk.size > 0) {
    AddGauge(samples, "gprofhub_disk_free_bytes",
             "Free space on the file system of the data directory", {}, Number(view.disk.free));
    AddGauge(samples, "gprofhub_disk_size_bytes", "Size of the file system of the data directory",
             {}, Number(view.disk.size));
  }
  for (const store::QueueCondition& queue : view.queues) SampleQueue(queue, now, samples);
  AddGauge(samples, "gprofhub_last_backup_time_seconds",
           "Start of the last successful backup, Unix time; 0: never", {},
           view.last_backup == absl::InfinitePast()
               ? 0.0
               : absl::ToDoubleSeconds(view.last_backup - absl::UnixEpoch()));
  if (view.as_of != absl::InfinitePast()) {
    AddGauge(samples, "gprofhub_copy_time_seconds",
             "On a replica: Unix time up to which the database is at least current", {},
             absl::ToDoubleSeconds(view.as_of - absl::UnixEpoch()));
  }
  AddGauge(samples, "gprofhub_transfer_blobs", "Files uploaded by Bazel and not yet used", {},
           Number(view.transfers.blobs));
  AddGauge(samples, "gprofhub_transfer_bytes", "Quota bytes taken by files uploaded by Bazel", {},
           Number(view.transfers.bytes));
}

void SampleDecoding(const base::MemoryBudget& decoding, std::vector<Sample>& samples) {
  AddGauge(samples, "gprofhub_decoding_bytes", "Memory in use or reserved for decoding", {},
           Number(decoding.used()));
}

void SampleConnections(const ConnectionCounts& connections, uint64_t open_calls,
                       std::vector<Sample>& samples) {
  AddCounter(samples, "gprofhub_connections_accepted_total",
             "Incoming connections, including rejected ones", {}, Number(connections.accepted));
  AddCounter(samples, "gprofhub_connections_refused_total",
             "Connections rejected because of the connection limit", {},
             Number(connections.refused));
  AddGauge(samples, "gprofhub_connections_open", "Open connections", {}, Number(connections.open));
  AddGauge(samples, "gprofhub_calls_open", "Calls in progress", {}, Number(open_calls));
}

void SampleCache(const collector::NotTaken& not_taken, std::vector<Sample>& samples) {
  for (const auto& [reason, count] : {std::pair("action", not_taken.of_actions.load()),
                                      std::pair("too_large", not_taken.too_large.load()),
                                      std::pair("no_room", not_taken.no_room.load()),
                                      std::pair("quota", not_taken.quota.load())}) {
    AddCounter(samples, "gprofhub_transfers_not_taken_total",
               "Files of Bazel that were rejected, by reason", {{"reason", reason}}, Number(count));
  }
}

}  // namespace gprofhub::server
