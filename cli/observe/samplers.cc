#include "cli/observe/samplers.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

namespace gprofhub::cli {
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
  AddGauge(samples, "gprofhub_queue_oldest_seconds",
           "How long the job that waits longest has waited", {{"kind", kind}},
           SecondsSince(queue.oldest, now));
  for (const store::ProjectQueue& project : queue.projects) {
    AddGauge(samples, "gprofhub_queue_project_jobs",
             "Of the jobs that wait longest: how many a project has; at most 20 projects",
             {{"kind", kind}, {"project", project.project}}, Number(project.waiting));
    AddGauge(samples, "gprofhub_queue_project_oldest_seconds",
             "How long a project's job that waits longest has waited",
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
  AddCounter(samples, "process_cpu_seconds_total", "Processor time, in seconds", {},
             SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime));
  AddGauge(samples, "process_resident_memory_bytes", "Resident memory", {},
           Number(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  AddGauge(samples, "process_open_fds", "Descriptors in use", {}, static_cast<double>(descriptors));
  AddGauge(samples, "process_max_fds", "Descriptors that there can be", {}, Number(files.rlim_cur));
  AddGauge(samples, "process_start_time_seconds", "When it started, Unix time", {},
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
  AddGauge(samples, "gprofhub_store_waiting", "Uses of the database that wait for a connection", {},
           Number(connections.waiting));
  if (view.disk.size > 0) {
    AddGauge(samples, "gprofhub_disk_free_bytes", "Free on the file system of the data directory",
             {}, Number(view.disk.free));
    AddGauge(samples, "gprofhub_disk_size_bytes", "Size of the file system of the data directory",
             {}, Number(view.disk.size));
  }
  for (const store::QueueCondition& queue : view.queues) SampleQueue(queue, now, samples);
  AddGauge(samples, "gprofhub_last_backup_time_seconds",
           "When the last good backup was begun, Unix time; 0: never", {},
           view.last_backup == absl::InfinitePast()
               ? 0.0
               : absl::ToDoubleSeconds(view.last_backup - absl::UnixEpoch()));
  if (view.as_of != absl::InfinitePast()) {
    AddGauge(samples, "gprofhub_copy_time_seconds",
             "Of a copy of a database: what it has is at least of that time, Unix time", {},
             absl::ToDoubleSeconds(view.as_of - absl::UnixEpoch()));
  }
  AddGauge(samples, "gprofhub_transfer_blobs",
           "Files that Bazel handed over and nobody has taken yet", {},
           Number(view.transfers.blobs));
  AddGauge(samples, "gprofhub_transfer_bytes", "What they take of the projects' rooms", {},
           Number(view.transfers.bytes));
}

void SampleDecoding(const base::DecodingBudget& decoding, std::vector<Sample>& samples) {
  AddGauge(samples, "gprofhub_decoding_bytes", "Memory that is in use for decoding, or kept for it",
           {}, Number(decoding.used()));
}

void SampleConnections(const ConnectionCounts& connections, uint64_t open_calls,
                       std::vector<Sample>& samples) {
  AddCounter(samples, "gprofhub_connections_accepted_total",
             "Connections that came, refused ones among them", {}, Number(connections.accepted));
  AddCounter(samples, "gprofhub_connections_refused_total",
             "Connections that were closed at once, because there were too many", {},
             Number(connections.refused));
  AddGauge(samples, "gprofhub_connections_open", "Connections that are open", {},
           Number(connections.open));
  AddGauge(samples, "gprofhub_calls_open", "Calls under way", {}, Number(open_calls));
}

void SampleCache(const collector::NotTaken& not_taken, std::vector<Sample>& samples) {
  for (const auto& [reason, count] : {std::pair("action", not_taken.of_actions.load()),
                                      std::pair("too_large", not_taken.too_large.load()),
                                      std::pair("no_room", not_taken.no_room.load()),
                                      std::pair("quota", not_taken.quota.load())}) {
    AddCounter(samples, "gprofhub_transfers_not_taken_total",
               "Files that Bazel would have handed over and that were not taken, by reason",
               {{"reason", reason}}, Number(count));
  }
}

}  // namespace gprofhub::cli
