#include "cli/notify/notifying.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/http/curl_client.h"
#include "base/read_file.h"
#include "cli/notify/channels.h"

namespace gprofhub::cli {
namespace {

// They ask forges, and a forge that hangs holds one of them.
constexpr int kEventWorkers = 4;

reporter::ReportWorkerOptions Named(const std::string& name, const OnEndedReport& on_ended) {
  reporter::ReportWorkerOptions options;
  options.name = name;
  options.on_ended = on_ended;
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Notifying>> Notifying::Start(const NotifyingStore& store,
                                                            const std::string& file,
                                                            const reporter::ForgeByProject& forges,
                                                            const std::string& process,
                                                            const std::function<bool()>& stopping,
                                                            const OnEndedReport& on_ended) {
  const absl::StatusOr<std::string> text = base::ReadFile(file);
  if (!text.ok()) return text.status();
  const absl::StatusOr<reporter::NotifyConfig> config = reporter::ParseNotifyConfig(*text, file);
  if (!config.ok()) return config.status();
  base::CurlOptions options;
  options.timeout = absl::Seconds(30);
  options.max_response_bytes = 64 << 10;
  options.cancelled = stopping;
  absl::StatusOr<reporter::Channels> channels =
      MakeChannels(*config, forges, base::MakeCurlClient(options), absl::Now);
  if (!channels.ok()) return channels.status();
  std::vector<std::string> names;
  for (const reporter::ChannelConfig& channel : config->channels) names.push_back(channel.name);
  if (absl::Status status = store.notifications.DropOthers(names); !status.ok()) return status;
  return std::unique_ptr<Notifying>(
      new Notifying(store, *config, *std::move(channels), forges, process, on_ended));
}

Notifying::Notifying(const NotifyingStore& store, const reporter::NotifyConfig& config,
                     reporter::Channels channels, const reporter::ForgeByProject& forges,
                     const std::string& process, const OnEndedReport& on_ended) {
  for (int i = 0; i < kEventWorkers; ++i) {
    reporter::ReportWorkerOptions options = Named(absl::StrCat(process, "/changes", i), on_ended);
    options.decoding = store.decoding;
    events_.push_back(std::make_unique<reporter::EventWorker>(
        store.reports, store.reading, store.blobs, store.gate, store.notifications, forges, config,
        reporter::OwnersFrom(config), options));
  }
  for (const reporter::ChannelConfig& channel : config.channels) {
    deliveries_.push_back(std::make_unique<reporter::DeliveryWorker>(
        store.notifications, std::move(channels.at(channel.name)), channel,
        Named(absl::StrCat(process, "/messages"), on_ended)));
  }
  for (const auto& events : events_) {
    threads_.emplace_back([worker = events.get()] { worker->Run(); });
  }
  for (const auto& delivery : deliveries_) {
    threads_.emplace_back([worker = delivery.get()] { worker->Run(); });
  }
}

void Notifying::Wake() {
  for (const auto& events : events_) events->Wake();
}

absl::Duration Notifying::BusyFor() const {
  absl::Duration longest = absl::ZeroDuration();
  for (const auto& events : events_) longest = std::max(longest, events->BusyFor());
  for (const auto& delivery : deliveries_) longest = std::max(longest, delivery->BusyFor());
  return longest;
}

Notifying::~Notifying() {
  for (const auto& events : events_) events->Stop();
  for (const auto& delivery : deliveries_) delivery->Stop();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace gprofhub::cli
