#include "reporter/notify/config.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/civil_time.h"
#include "base/http/http.h"
#include "base/network/network.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "reporter/gate/policy.h"
#include "reporter/notify/channels.h"

namespace gprofhub::reporter {

namespace {

bool IsHostCharacter(char c) { return absl::ascii_isalnum(c) || c == '-' || c == '.'; }

bool IsHost(absl::string_view host) {
  return !host.empty() && host.size() <= 253 && host.front() != '-' && host.front() != '.' &&
         std::all_of(host.begin(), host.end(), IsHostCharacter);
}

// "HOST[:PORT]" after the scheme; empty for another URL.
absl::string_view AuthorityOf(absl::string_view url) {
  if (!absl::ConsumePrefix(&url, "smtp://") && !absl::ConsumePrefix(&url, "smtps://")) return "";
  absl::ConsumeSuffix(&url, "/");
  return url;
}

absl::string_view HostOf(absl::string_view authority) {
  const bool bracketed = absl::StartsWith(authority, "[");
  return authority.substr(0, bracketed ? authority.find(']') + 1 : authority.find(':'));
}

}  // namespace

bool IsMailAddress(absl::string_view text) {
  const size_t at = text.find('@');
  if (text.size() > 254 || at == 0 || at == absl::string_view::npos || at > 64) return false;
  const absl::string_view local = text.substr(0, at);
  return IsHost(text.substr(at + 1)) && std::all_of(local.begin(), local.end(), [](char c) {
           return absl::ascii_isalnum(c) || absl::StrContains("!#$%&'*+-/=?^_`{|}~.", c);
         });
}

absl::Status CheckSmtpUrl(absl::string_view url) {
  const absl::string_view authority = AuthorityOf(url);
  const absl::string_view host = HostOf(authority);
  absl::string_view rest = authority.substr(host.size());
  uint32_t port = 0;
  // SimpleAtoi accepts blanks around the number.
  const bool port_good =
      rest.empty() || (absl::ConsumePrefix(&rest, ":") &&
                       std::all_of(rest.begin(), rest.end(), absl::ascii_isdigit) &&
                       absl::SimpleAtoi(rest, &port) && port > 0 && port < 65536);
  if ((IsHost(host) || host == "[::1]") && port_good) return absl::OkStatus();
  return absl::InvalidArgumentError("the URL is not of the form smtp://HOST:PORT");
}

bool IsLoopbackSmtp(absl::string_view url) {
  const absl::string_view host = HostOf(AuthorityOf(url));
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

namespace {

struct Pending {
  absl::string_view text;
};

// libcurl's read callback: returns up to size * count bytes.
size_t GiveText(char* buffer, size_t size, size_t count, void* user) {
  Pending& pending = *static_cast<Pending*>(user);
  const size_t given = std::min(size * count, pending.text.size());
  std::memcpy(buffer, pending.text.data(), given);
  pending.text.remove_prefix(given);
  return given;
}

size_t DropAnswer(char*, size_t size, size_t count, void*) { return size * count; }

absl::Status ToStatus(CURL* curl, CURLcode code) {
  if (code == CURLE_OK) return absl::OkStatus();
  long reply = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply);
  const std::string why = absl::StrCat("mail: ", curl_easy_strerror(code),
                                       reply == 0 ? "" : absl::StrCat(" (", reply, ")"));
  if (code == CURLE_LOGIN_DENIED || code == CURLE_USE_SSL_FAILED) {
    return absl::FailedPreconditionError(why);
  }
  // 5xx: permanent failure (RFC 5321, 4.2.1). 4xx: temporary.
  if (reply >= 500 && reply < 600) return absl::InvalidArgumentError(why);
  return absl::UnavailableError(why);
}

absl::Status Send(const SmtpOptions& options, const std::string& from,
                  const std::vector<std::string>& to, const std::string& text) {
  RETURN_IF_ERROR(CheckSmtpUrl(options.url));
  const std::unique_ptr<CURL, void (*)(CURL*)> owner(curl_easy_init(), curl_easy_cleanup);
  if (owner == nullptr) return absl::ResourceExhaustedError("libcurl gives no handle");
  CURL* const curl = owner.get();
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> recipients(nullptr, curl_slist_free_all);
  for (const std::string& address : to) {
    if (!IsMailAddress(address)) return absl::InvalidArgumentError("mail: not an address");
    curl_slist* const longer =
        curl_slist_append(recipients.get(), absl::StrCat("<", address, ">").c_str());
    if (longer == nullptr) return absl::ResourceExhaustedError("libcurl is out of memory");
    (void)recipients.release();
    recipients.reset(longer);
  }
  if (!IsMailAddress(from)) return absl::InvalidArgumentError("mail: not an address");
  Pending pending{text};
  // On loopback, self-signed certificates are common.
  const bool encrypt = !IsLoopbackSmtp(options.url);
  curl_easy_setopt(curl, CURLOPT_URL, options.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  const std::optional<base::Proxy> proxy = base::ProxyFor(options.url);
  curl_easy_setopt(curl, CURLOPT_PROXY, proxy.has_value() ? proxy->url.c_str() : "");
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "");
  curl_easy_setopt(curl, CURLOPT_USE_SSL,
                   static_cast<long>(encrypt ? CURLUSESSL_ALL : CURLUSESSL_NONE));
  curl_easy_setopt(curl, CURLOPT_MAIL_FROM, absl::StrCat("<", from, ">").c_str());
  curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients.get());
  if (!options.user.empty()) {
    curl_easy_setopt(curl, CURLOPT_USERNAME, options.user.c_str());
    curl_easy_setopt(curl, CURLOPT_PASSWORD, options.password.c_str());
  }
  const std::string authorities =
      options.ca_file.empty() ? base::SystemAuthorities() : options.ca_file;
  if (!authorities.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, authorities.c_str());
  curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(curl, CURLOPT_READFUNCTION, &GiveText);
  curl_easy_setopt(curl, CURLOPT_READDATA, &pending);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &DropAnswer);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(absl::ToInt64Milliseconds(options.timeout)));
  const absl::Status sent = ToStatus(curl, curl_easy_perform(curl));
  return proxy.has_value()
             ? base::WithContext(sent, absl::StrCat("through the proxy ", proxy->Display()))
             : sent;
}

}  // namespace

MailSender MakeSmtpSender(const SmtpOptions& options) {
  // libcurl requires this once per process, before its first handle.
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return [options](const std::string& from, const std::vector<std::string>& to,
                   const std::string& text) { return Send(options, from, to, text); };
}

namespace {

absl::TimeZone Zone(absl::Duration utc_offset) {
  return absl::FixedTimeZone(static_cast<int>(absl::ToInt64Seconds(utc_offset)));
}

bool IsWeekend(absl::CivilDay day) {
  const absl::Weekday weekday = absl::GetWeekday(day);
  return weekday == absl::Weekday::saturday || weekday == absl::Weekday::sunday;
}

// The end of the quiet hours that contain `now`, or `now`.
absl::CivilMinute EndOfQuiet(const QuietHours& quiet, absl::CivilMinute now) {
  const absl::CivilDay day(now);
  if (quiet.weekends && IsWeekend(day))
    return absl::CivilMinute(absl::NextWeekday(day, absl::Weekday::monday));
  const int minute = now.hour() * 60 + now.minute();
  if (quiet.from < quiet.to) {
    return minute >= quiet.from && minute < quiet.to ? absl::CivilMinute(day) + quiet.to : now;
  }
  if (quiet.from == quiet.to) return now;
  if (minute >= quiet.from) return absl::CivilMinute(day + 1) + quiet.to;
  return minute < quiet.to ? absl::CivilMinute(day) + quiet.to : now;
}

}  // namespace

absl::Time NextAllowed(const QuietHours& quiet, absl::Duration utc_offset, absl::Time now) {
  const absl::TimeZone zone = Zone(utc_offset);
  const absl::CivilMinute start = absl::ToCivilMinute(now, zone);
  absl::CivilMinute end = start;
  // Quiet nights and weekends may be adjacent, in either order.
  for (int i = 0; i < 3; ++i) end = EndOfQuiet(quiet, end);
  return end == start ? now : absl::FromCivil(end, zone);
}

absl::Time LastDigest(const DigestHour& digest, absl::Duration utc_offset, absl::Time now) {
  const absl::TimeZone zone = Zone(utc_offset);
  const absl::CivilDay today = absl::ToCivilDay(now, zone);
  const absl::CivilDay day = absl::PrevWeekday(today + 1, digest.day);
  const absl::CivilHour due = absl::CivilHour(day) + digest.hour;
  const absl::Time at = absl::FromCivil(due, zone);
  return at <= now ? at : absl::FromCivil(absl::CivilHour(day - 7) + digest.hour, zone);
}

namespace {

using Json = nlohmann::json;

constexpr size_t kMaxFileBytes = 1 << 20;
constexpr size_t kMostChannels = 50;

struct KindWord {
  const char* name;
  ChannelKind value;
  std::set<std::string> fields;  // in addition to those of all kinds
};
const std::vector<KindWord>& Kinds() {
  static const auto* const kinds = new std::vector<KindWord>{
      {"webhook", ChannelKind::kWebhook, {"url", "secret_file"}},
      {"slack", ChannelKind::kSlack, {"url_file"}},
      {"mattermost", ChannelKind::kMattermost, {"url_file"}},
      {"matrix", ChannelKind::kMatrix, {"url", "room", "token_file"}},
      {"email", ChannelKind::kEmail, {"url", "user", "password_file", "from", "to"}},
      {"issue", ChannelKind::kIssue, {}}};
  return *kinds;
}

constexpr const char* kDays[] = {"monday", "tuesday",  "wednesday", "thursday",
                                 "friday", "saturday", "sunday"};
constexpr absl::Weekday kWeekdays[] = {absl::Weekday::monday,    absl::Weekday::tuesday,
                                       absl::Weekday::wednesday, absl::Weekday::thursday,
                                       absl::Weekday::friday,    absl::Weekday::saturday,
                                       absl::Weekday::sunday};

// "HH:MM" as minutes.
std::optional<int> ParseClock(absl::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  for (const size_t digit : {0, 1, 3, 4}) {
    if (!absl::ascii_isdigit(text[digit])) return std::nullopt;
  }
  const auto two = [text](size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  if (two(0) > 23 || two(3) > 59) return std::nullopt;
  return two(0) * 60 + two(3);
}

class Parser {
 public:
  explicit Parser(absl::string_view file) : reader_(file) {}

  absl::StatusOr<NotifyConfig> Parse(const Json& json) {
    NotifyConfig config;
    if (reader_.Object(json, "",
                       {"version", "branches", "utc_offset", "max_age_days", "channels", "routes",
                        "owners"})) {
      if (reader_.Number(json, "", "version", 1e9, 0) != 1) reader_.Fail("version", "must be 1");
      if (json.contains("branches")) config.branches = reader_.Texts(json, "", "branches");
      config.max_age = absl::Hours(24) * reader_.Number(json, "", "max_age_days", 365, 14);
      offset_ = Offset(json, "");
      ReadChannels(json, config);
      ReadRoutes(json, config);
      ReadOwners(json, config);
    }
    if (!reader_.status().ok()) return reader_.status();
    return config;
  }

 private:
  absl::Duration Offset(const Json& json, const std::string& path) {
    if (!json.contains("utc_offset")) return offset_;
    const std::string text = reader_.TextField(json, path, "utc_offset");
    const absl::string_view digits = text.empty() ? "" : absl::string_view(text).substr(1);
    const std::optional<int> minutes = ParseClock(digits);
    if (text.empty() || !absl::StrContains("+-", text[0]) || !minutes.has_value() ||
        *minutes > 14 * 60) {
      reader_.Fail(path + "utc_offset", "must be like \"+01:00\" or \"-08:00\"");
      return {};
    }
    return absl::Minutes(text[0] == '-' ? -*minutes : *minutes);
  }

  std::string Optional(const Json& json, const std::string& path, const char* field) {
    return json.contains(field) ? reader_.TextField(json, path, field) : "";
  }

  int Clock(const Json& json, const std::string& path, const char* field) {
    const std::optional<int> minutes = ParseClock(reader_.TextField(json, path, field));
    if (!minutes.has_value()) reader_.Fail(path + field, "must be a time like \"20:00\"");
    return minutes.value_or(0);
  }

  void ReadHours(const Json& json, const std::string& path, ChannelConfig& channel) {
    if (json.contains("quiet_hours")) {
      const std::string at = path + "quiet_hours";
      const Json& quiet = json.at("quiet_hours");
      if (!reader_.Object(quiet, at, {"from", "to", "weekends"})) return;
      QuietHours hours;
      hours.weekends = reader_.Boolean(quiet, at + ".", "weekends", false);
      if (quiet.contains("from") || quiet.contains("to") || !hours.weekends) {
        hours.from = Clock(quiet, at + ".", "from");
        hours.to = Clock(quiet, at + ".", "to");
        if (hours.from == hours.to) reader_.Fail(at + ".to", "must not be the same as from");
      }
      channel.quiet = hours;
    }
    if (json.contains("digest")) {
      const std::string at = path + "digest";
      const Json& digest = json.at("digest");
      if (!reader_.Object(digest, at, {"day", "hour"})) return;
      const std::string day = reader_.TextField(digest, at + ".", "day");
      const auto found = std::find(std::begin(kDays), std::end(kDays), day);
      if (found == std::end(kDays)) {
        reader_.Fail(at + ".day", absl::StrCat("must be one of ", absl::StrJoin(kDays, ", ")));
        return;
      }
      channel.digest =
          DigestHour{kWeekdays[found - std::begin(kDays)],
                     static_cast<int>(reader_.Number(digest, at + ".", "hour", 23, 8))};
    }
    channel.events = reader_.Boolean(json, path, "events", true);
    if (!channel.events && !channel.digest.has_value()) {
      reader_.Fail(path + "events", "without events the channel needs a digest");
    }
  }

  void CheckUrl(const std::string& url, const std::string& path) {
    if (const absl::Status status = base::CheckHttpUrl(url); !status.ok()) {
      reader_.Fail(path, "must be an https URL; http is for this machine only");
    }
  }

  void ReadMail(const Json& json, const std::string& path, ChannelConfig& channel) {
    if (!CheckSmtpUrl(channel.url).ok()) {
      reader_.Fail(path + "url", "must be like \"smtp://HOST:587\" or \"smtps://HOST\"");
    }
    channel.user = Optional(json, path, "user");
    channel.password_file = Optional(json, path, "password_file");
    if (channel.user.empty() != channel.password_file.empty()) {
      reader_.Fail(path + "password_file", "goes with user: give both or none");
    }
    channel.from = reader_.TextField(json, path, "from");
    if (!IsMailAddress(channel.from)) reader_.Fail(path + "from", "must be like \"name@host\"");
    channel.to = reader_.Texts(json, path, "to");
    if (channel.to.empty() || channel.to.size() > 100) {
      reader_.Fail(path + "to", "must have 1 to 100 addresses");
    }
    for (size_t i = 0; i < channel.to.size(); ++i) {
      if (!IsMailAddress(channel.to[i])) {
        reader_.Fail(absl::StrCat(path, "to[", i, "]"), "must be like \"name@host\"");
      }
    }
  }

  ChannelConfig ReadChannel(const Json& json, const std::string& at) {
    ChannelConfig channel;
    const std::string path = at + ".";
    if (!json.is_object()) {
      reader_.Fail(at, "must be an object {…}");
      return channel;
    }
    const std::string kind = reader_.TextField(json, path, "kind");
    const auto found = std::find_if(Kinds().begin(), Kinds().end(),
                                    [&kind](const KindWord& word) { return kind == word.name; });
    if (found == Kinds().end()) {
      std::vector<std::string> names;
      for (const KindWord& word : Kinds()) names.push_back(word.name);
      reader_.Fail(path + "kind", absl::StrCat("must be one of ", absl::StrJoin(names, ", ")));
      return channel;
    }
    std::set<std::string> fields = {"name",   "kind",   "quiet_hours",
                                    "digest", "events", "utc_offset"};
    fields.insert(found->fields.begin(), found->fields.end());
    if (!reader_.Object(json, at, fields)) return channel;
    channel.kind = found->value;
    channel.name = reader_.TextField(json, path, "name");
    channel.utc_offset = Offset(json, path);
    for (const auto& [field, value] :
         {std::pair("url", &channel.url), std::pair("url_file", &channel.url_file),
          std::pair("secret_file", &channel.secret_file),
          std::pair("token_file", &channel.token_file), std::pair("room", &channel.room)}) {
      if (found->fields.contains(field)) *value = reader_.TextField(json, path, field);
    }
    if (channel.kind == ChannelKind::kWebhook || channel.kind == ChannelKind::kMatrix) {
      CheckUrl(channel.url, path + "url");
    }
    if (channel.kind == ChannelKind::kEmail) ReadMail(json, path, channel);
    ReadHours(json, path, channel);
    return channel;
  }

  void ReadChannels(const Json& json, NotifyConfig& config) {
    const Json* const list = reader_.List(json, "", "channels");
    if (list == nullptr || list->empty()) reader_.Fail("channels", "there must be one at least");
    // Each channel has a thread.
    if (list != nullptr && list->size() > kMostChannels) {
      reader_.Fail("channels", absl::StrCat("there may be ", kMostChannels, " at most"));
    }
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const std::string at = absl::StrCat("channels[", i, "]");
      config.channels.push_back(ReadChannel((*list)[i], at));
      if (!names_.insert(config.channels.back().name).second) {
        reader_.Fail(at + ".name", "is there twice");
      }
    }
  }

  void ReadRoutes(const Json& json, NotifyConfig& config) {
    const Json* const list = reader_.List(json, "", "routes");
    if (list == nullptr || list->empty()) reader_.Fail("routes", "there must be one at least");
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const Json& entry = (*list)[i];
      const std::string at = absl::StrCat("routes[", i, "]"), path = at + ".";
      if (!reader_.Object(entry, at,
                          {"channels", "projects", "targets", "functions", "files", "owners",
                           "verdicts", "min_cpu_percent", "min_calls_percent"})) {
        return;
      }
      RouteConfig route;
      route.channels = reader_.Texts(entry, path, "channels");
      if (route.channels.empty()) reader_.Fail(path + "channels", "must name a channel");
      for (size_t j = 0; j < route.channels.size(); ++j) {
        if (names_.contains(route.channels[j])) continue;
        reader_.Fail(absl::StrCat(path, "channels[", j, "]"), "is no channel's name");
      }
      route.projects = reader_.Texts(entry, path, "projects");
      route.targets = reader_.Texts(entry, path, "targets");
      route.functions = reader_.Texts(entry, path, "functions");
      route.files = reader_.Texts(entry, path, "files");
      route.owners = reader_.Texts(entry, path, "owners");
      route.verdicts = reader_.Words<v1::Finding::Verdict>(entry, path, "verdicts", kVerdictWords,
                                                           {v1::Finding::REGRESSED});
      route.min_cpu_percent = reader_.Number(entry, path, "min_cpu_percent", 100, 1);
      if (entry.contains("min_calls_percent")) {
        route.min_calls_percent = reader_.Number(entry, path, "min_calls_percent", 100, 1);
      }
      config.routes.push_back(route);
    }
  }

  void ReadOwners(const Json& json, NotifyConfig& config) {
    const Json* const list = reader_.List(json, "", "owners");
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const std::string at = absl::StrCat("owners[", i, "]"), path = at + ".";
      if (!reader_.Object((*list)[i], at, {"files", "owners"})) return;
      config.owners.push_back(
          {reader_.Texts((*list)[i], path, "files"), reader_.Texts((*list)[i], path, "owners")});
      if (config.owners.back().files.empty()) reader_.Fail(path + "files", "must not be empty");
      if (config.owners.back().owners.size() > 20) reader_.Fail(path + "owners", "at most 20");
    }
  }

  JsonReader reader_;
  absl::Duration offset_;
  std::set<std::string> names_;
};

}  // namespace

absl::StatusOr<NotifyConfig> ParseNotifyConfig(absl::string_view text, absl::string_view file) {
  if (text.size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": is larger than 1 MB"));
  }
  ASSIGN_OR_RETURN(const Json json, ParseStrictly(text, file));
  return Parser(file).Parse(json);
}

}  // namespace gprofhub::reporter
