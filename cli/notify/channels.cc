#include "cli/notify/channels.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/http/allowed_url.h"
#include "cli/notify/read_secret.h"
#include "reporter/notify/channels/http_channels.h"
#include "reporter/notify/channels/issue_channel.h"
#include "reporter/notify/channels/mail_channel.h"

namespace gprofhub::cli {
namespace {

constexpr size_t kLeastSecretBytes = 16;

using reporter::Channel;
using reporter::ChannelConfig;
using reporter::ChannelKind;

std::string WithoutSlash(absl::string_view url) {
  while (absl::ConsumeSuffix(&url, "/")) {
  }
  return std::string(url);
}

absl::StatusOr<std::string> ReadSecretUrl(const std::string& path) {
  absl::StatusOr<std::string> url = ReadSecret(path);
  if (!url.ok()) return url.status();
  if (!base::CheckHttpUrl(*url).ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": must hold an https URL; http is for this machine only"));
  }
  return url;
}

absl::StatusOr<std::unique_ptr<Channel>> MakeMail(const ChannelConfig& config,
                                                  const std::function<absl::Time()>& now) {
  reporter::SmtpOptions options;
  options.url = config.url;
  options.user = config.user;
  if (!config.password_file.empty()) {
    absl::StatusOr<std::string> password = ReadSecret(config.password_file);
    if (!password.ok()) return password.status();
    options.password = *std::move(password);
  }
  return reporter::MakeMailChannel(config.from, config.to, reporter::MakeSmtpSender(options), now);
}

absl::StatusOr<std::unique_ptr<Channel>> MakeChannel(const ChannelConfig& config,
                                                     const reporter::ForgeByProject& forges,
                                                     const base::HttpClient& http,
                                                     const std::function<absl::Time()>& now) {
  switch (config.kind) {
    case ChannelKind::kWebhook: {
      absl::StatusOr<std::string> secret = ReadSecret(config.secret_file);
      if (!secret.ok()) return secret.status();
      if (secret->size() < kLeastSecretBytes) {
        return absl::InvalidArgumentError(
            absl::StrCat(config.secret_file, ": must hold ", kLeastSecretBytes, " bytes at least"));
      }
      return reporter::MakeWebhookChannel(config.url, *std::move(secret), http, now);
    }
    case ChannelKind::kSlack:
    case ChannelKind::kMattermost: {
      absl::StatusOr<std::string> url = ReadSecretUrl(config.url_file);
      if (!url.ok()) return url.status();
      return config.kind == ChannelKind::kSlack
                 ? reporter::MakeSlackChannel(*std::move(url), http)
                 : reporter::MakeMattermostChannel(*std::move(url), http);
    }
    case ChannelKind::kMatrix: {
      absl::StatusOr<std::string> token = ReadSecret(config.token_file);
      if (!token.ok()) return token.status();
      // It becomes a header.
      if (!std::all_of(token->begin(), token->end(), absl::ascii_isgraph)) {
        return absl::InvalidArgumentError(
            absl::StrCat(config.token_file, ": must hold one token without blanks"));
      }
      return reporter::MakeMatrixChannel(WithoutSlash(config.url), config.room, *std::move(token),
                                         http);
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
  return absl::InternalError("a kind of channel is not known");
}

}  // namespace

absl::StatusOr<reporter::Channels> MakeChannels(const reporter::NotifyConfig& config,
                                                const reporter::ForgeByProject& forges,
                                                const base::HttpClient& http,
                                                const std::function<absl::Time()>& now) {
  reporter::Channels channels;
  for (const ChannelConfig& one : config.channels) {
    absl::StatusOr<std::unique_ptr<Channel>> channel = MakeChannel(one, forges, http, now);
    if (!channel.ok()) return channel.status();
    channels.emplace(one.name, *std::move(channel));
  }
  return channels;
}

}  // namespace gprofhub::cli
