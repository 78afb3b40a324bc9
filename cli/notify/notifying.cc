#include "cli/notify/notifying.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/read_file.h"
#include "cli/notify/channels.h"
#include "reporter/forge/http/curl_client.h"

namespace gprofhub::cli {
namespace {

reporter::ReportWorkerOptions Named(const std::string& name) {
  reporter::ReportWorkerOptions options;
  options.name = name;
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Notifying>> Notifying::Start(const NotifyingStore& store,
                                                            const std::string& file,
                                                            const reporter::ForgeByProject& forges,
                                                            const std::string& process) {
  const absl::StatusOr<std::string> text = base::ReadFile(file);
  if (!text.ok()) return text.status();
  const absl::StatusOr<reporter::NotifyConfig> config = reporter::ParseNotifyConfig(*text, file);
  if (!config.ok()) return config.status();
  reporter::CurlOptions options;
  options.timeout = absl::Seconds(30);
  options.max_response_bytes = 64 << 10;
  absl::StatusOr<reporter::Channels> channels =
      MakeChannels(*config, forges, reporter::MakeCurlClient(options), absl::Now);
  if (!channels.ok()) return channels.status();
  return std::unique_ptr<Notifying>(
      new Notifying(store, *config, *std::move(channels), forges, process));
}

Notifying::Notifying(const NotifyingStore& store, const reporter::NotifyConfig& config,
                     reporter::Channels channels, const reporter::ForgeByProject& forges,
                     const std::string& process)
    : events_(store.reports, store.reading, store.blobs, store.gate, store.notifications, forges,
              config, reporter::OwnersFrom(config), Named(absl::StrCat(process, "/changes"))),
      delivery_(store.notifications, std::move(channels), config,
                Named(absl::StrCat(process, "/messages"))),
      event_thread_([this] { events_.Run(); }),
      delivery_thread_([this] { delivery_.Run(); }) {}

Notifying::~Notifying() {
  events_.Stop();
  delivery_.Stop();
  event_thread_.join();
  delivery_thread_.join();
}

}  // namespace gprofhub::cli
