#include "server/notifying.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "base/file.h"
#include "base/http/http.h"
#include "base/network/network.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "reporter/notify/channels.h"

namespace gprofhub::server {

absl::StatusOr<std::string> ReadSecret(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path));
  const absl::string_view secret = absl::StripAsciiWhitespace(text);
  if (secret.empty()) return absl::NotFoundError(absl::StrCat(path, " is empty"));
  return std::string(secret);
}

absl::StatusOr<std::string> ReadHeaderSecret(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string secret, ReadSecret(path));
  return base::HeaderSecret(path, secret);
}

namespace {

constexpr size_t kLeastSecretBytes = 16;

using reporter::Channel;
using reporter::ChannelConfig;
using reporter::ChannelKind;

absl::StatusOr<std::string> ReadSecretUrl(const std::string& path) {
  ASSIGN_OR_RETURN(std::string url, ReadHeaderSecret(path));
  if (!base::CheckHttpUrl(url).ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": must contain an https URL (http only for loopback addresses)"));
  }
  return url;
}

absl::StatusOr<std::unique_ptr<Channel>> MakeMail(const ChannelConfig& config,
                                                  const std::function<absl::Time()>& now) {
  reporter::SmtpOptions options;
  options.url = config.url;
  options.user = config.user;
  if (!config.password_file.empty()) {
    ASSIGN_OR_RETURN(std::string password, ReadSecret(config.password_file));
    options.password = std::move(password);
  }
  return reporter::MakeMailChannel(config.from, config.to, reporter::MakeSmtpSender(options), now);
}

absl::StatusOr<std::unique_ptr<Channel>> MakeChannel(const ChannelConfig& config,
                                                     const reporter::ForgeByProject& forges,
                                                     const base::HttpClient& http,
                                                     const std::function<absl::Time()>& now) {
  switch (config.kind) {
    case ChannelKind::kWebhook: {
      ASSIGN_OR_RETURN(std::string secret, ReadHeaderSecret(config.secret_file));
      if (secret.size() < kLeastSecretBytes) {
        return absl::InvalidArgumentError(absl::StrCat(
            config.secret_file, ": must contain at least ", kLeastSecretBytes, " bytes"));
      }
      return reporter::MakeWebhookChannel(config.url, std::move(secret), http, now);
    }
    case ChannelKind::kSlack:
    case ChannelKind::kMattermost: {
      ASSIGN_OR_RETURN(std::string url, ReadSecretUrl(config.url_file));
      return config.kind == ChannelKind::kSlack
                 ? reporter::MakeSlackChannel(std::move(url), http)
                 : reporter::MakeMattermostChannel(std::move(url), http);
    }
    case ChannelKind::kMatrix: {
      ASSIGN_OR_RETURN(std::string token, ReadHeaderSecret(config.token_file));
      return reporter::MakeMatrixChannel(std::string(base::WithoutTrailingSlashes(config.url)),
                                         config.room, std::move(token), http);
    }
    case ChannelKind::kEmail:
      return MakeMail(config, now);
    case ChannelKind::kIssue:
      if (forges.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("channel \"", config.name, "\": issues need a --forge"));
      }
      return reporter::MakeIssueChannel(forges);
  }
  return absl::InternalError("unknown kind of channel");
}

}  // namespace

absl::StatusOr<reporter::Channels> MakeChannels(const reporter::NotifyConfig& config,
                                                const reporter::ForgeByProject& forges,
                                                const base::HttpClient& http,
                                                const std::function<absl::Time()>& now) {
  reporter::Channels channels;
  for (const ChannelConfig& one : config.channels) {
    ASSIGN_OR_RETURN(std::unique_ptr<Channel> channel, MakeChannel(one, forges, http, now));
    channels.emplace(one.name, std::move(channel));
  }
  return channels;
}

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
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(file));
  ASSIGN_OR_RETURN(const reporter::NotifyConfig config, reporter::ParseNotifyConfig(text, file));
  base::CurlOptions options;
  options.timeout = absl::Seconds(30);
  options.max_response_bytes = 64 << 10;
  options.cancelled = stopping;
  ASSIGN_OR_RETURN(reporter::Channels channels,
                   MakeChannels(config, forges, base::MakeCurlClient(options), absl::Now));
  std::vector<std::string> names;
  for (const reporter::ChannelConfig& channel : config.channels) names.push_back(channel.name);
  RETURN_IF_ERROR(store.notifications.DropOthers(names));
  return std::unique_ptr<Notifying>(
      new Notifying(store, config, std::move(channels), forges, process, on_ended));
}

Notifying::Notifying(const NotifyingStore& store, const reporter::NotifyConfig& config,
                     reporter::Channels channels, const reporter::ForgeByProject& forges,
                     const std::string& process, const OnEndedReport& on_ended) {
  for (int i = 0; i < kEventWorkers; ++i) {
    reporter::ReportWorkerOptions options = Named(absl::StrCat(process, "/changes", i), on_ended);
    options.decoding = store.decoding;
    const auto worker = std::make_shared<reporter::EventWorker>(
        store.reports, store.reading, store.blobs, store.gate, store.notifications, forges, config,
        reporter::OwnersFrom(config), options);
    events_.Add(reporter::StartReporterLoop(
        options.name,
        [worker](const base::StopToken& stopping) { return worker->RunOnce(stopping); }));
  }
  for (const reporter::ChannelConfig& channel : config.channels) {
    const std::string name = absl::StrCat(process, "/messages");
    const auto worker = std::make_shared<reporter::DeliveryWorker>(
        store.notifications, std::move(channels.at(channel.name)), channel, Named(name, on_ended));
    deliveries_.Add(reporter::StartReporterLoop(
        name, [worker](const base::StopToken&) { return worker->RunOnce(); }));
  }
}

void Notifying::Wake() { events_.Wake(); }

absl::Duration Notifying::BusyFor() const {
  return std::max(events_.BusyFor(), deliveries_.BusyFor());
}

// All stop before one is waited for.
Notifying::~Notifying() {
  events_.Stop();
  deliveries_.Stop();
}

}  // namespace gprofhub::server
