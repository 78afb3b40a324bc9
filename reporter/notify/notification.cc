#include "reporter/notify/notification.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {

namespace {

using Json = nlohmann::json;

constexpr size_t kMostNameBytes = 400;
constexpr int kMostTargets = 20;
constexpr size_t kMostDigestBytes = 60 << 10;

// Relative difference up to which levels and shares count as equal.
constexpr double kSameLevel = 0.02;
constexpr double kSameShare = 0.25;

constexpr NotificationStatus kStatuses[] = {
    NotificationStatus::kOpen, NotificationStatus::kRecovered, NotificationStatus::kAcknowledged,
    NotificationStatus::kWithdrawn};

// A commit, or without one, the run.
const std::string& NameOf(const v1::Release& release) {
  return release.commit().empty() ? release.run_id() : release.commit();
}

void Cut(std::string& text) {
  if (text.size() <= kMostNameBytes) return;
  size_t end = kMostNameBytes;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  text = absl::StrCat(text.substr(0, end), "…");
}

bool IsNear(double a, double b, double share) {
  return std::fabs(a - b) <= share * std::max(std::fabs(a), std::fabs(b));
}

// The cause's kind and location only.
Notification WithoutMeasures(Notification notification) {
  v1::Finding what;
  const v1::Finding& cause = notification.event.cause();
  what.set_verdict(cause.verdict());
  what.set_metric(cause.metric());
  what.set_function(cause.function());
  what.set_caller(cause.caller());
  *what.mutable_site() = cause.site();
  what.set_target(cause.target());
  *notification.event.mutable_cause() = what;
  return notification;
}

Json ToJson(const Notification& notification) {
  std::string event;
  // Fails only for invalid UTF-8, which Bounded excludes.
  const bool good = google::protobuf::util::MessageToJsonString(notification.event, &event).ok();
  Json json = {{"project", notification.project},
               {"branch", notification.branch},
               {"configuration", notification.configuration},
               {"status", StatusName(notification.status)},
               {"reason", notification.reason},
               {"owners", notification.owners}};
  json["event"] = good ? Json::parse(event, nullptr, false) : Json::object();
  return json;
}

// Throws the exceptions of `at` and `get`.
absl::StatusOr<Notification> FromJson(const Json& json) {
  Notification notification;
  notification.project = json.at("project").get<std::string>();
  notification.branch = json.at("branch").get<std::string>();
  notification.configuration = json.at("configuration").get<std::string>();
  const std::string status = json.at("status").get<std::string>();
  bool known = false;
  for (const NotificationStatus one : kStatuses) {
    if (StatusName(one) != status) continue;
    notification.status = one;
    known = true;
  }
  if (!known) return absl::InvalidArgumentError("notification: unknown status");
  notification.reason = json.at("reason").get<std::string>();
  notification.owners = json.at("owners").get<std::vector<std::string>>();
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // written by a newer version that shares the store
  if (!google::protobuf::util::JsonStringToMessage(json.at("event").dump(), &notification.event,
                                                   options)
           .ok()) {
    return absl::InvalidArgumentError("notification: the event cannot be read");
  }
  return notification;
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace

absl::string_view StatusName(NotificationStatus status) {
  switch (status) {
    case NotificationStatus::kOpen:
      return "open";
    case NotificationStatus::kRecovered:
      return "recovered";
    case NotificationStatus::kAcknowledged:
      return "acknowledged";
    case NotificationStatus::kWithdrawn:
      return "withdrawn";
  }
  return "open";
}

std::string KeyOf(const Notification& notification) {
  const v1::ChangeEvent& event = notification.event;
  std::string identity;
  for (const std::string* part :
       {&notification.project, &notification.branch, &notification.configuration,
        &NameOf(event.last_before()), &NameOf(event.first_after()), &event.cause().function()}) {
    absl::StrAppend(&identity, part->size(), ":", *part);
  }
  return base::Sha256Hex(identity);
}

std::string SeriesOf(const Notification& notification) {
  return absl::StrCat(notification.branch, "\n", notification.configuration);
}

v1::ChangeEvent Bounded(v1::ChangeEvent event) {
  v1::Finding& cause = *event.mutable_cause();
  cause.clear_follows();
  cause.clear_shift();
  v1::Site& site = *cause.mutable_site();
  for (std::string* name :
       {cause.mutable_function(), cause.mutable_function_display(), cause.mutable_caller(),
        cause.mutable_caller_display(), site.mutable_file(), cause.mutable_target()}) {
    *name = base::ToUtf8(*name);
    Cut(*name);
  }
  if (event.has_culprit()) {
    v1::Culprit& culprit = *event.mutable_culprit();
    for (std::string* text : {culprit.mutable_commit(), culprit.mutable_author(),
                              culprit.mutable_date(), culprit.mutable_subject()}) {
      *text = base::ToUtf8(*text);
      Cut(*text);
    }
  }
  while (event.targets_size() > kMostTargets) event.mutable_targets()->RemoveLast();
  for (std::string& target : *event.mutable_targets()) {
    target = base::ToUtf8(target);
    Cut(target);
  }
  return event;
}

bool SaysTheSame(const Notification& a, const Notification& b) {
  const v1::Finding& x = a.event.cause();
  const v1::Finding& y = b.event.cause();
  return IsNear(x.before(), y.before(), kSameLevel) && IsNear(x.after(), y.after(), kSameLevel) &&
         IsNear(CpuEffect(x), CpuEffect(y), kSameShare) &&
         IsNear(x.share_of_calls(), y.share_of_calls(), kSameShare) &&
         EncodeNotification(WithoutMeasures(a)) == EncodeNotification(WithoutMeasures(b));
}

std::string EncodeNotification(const Notification& notification) {
  return Dump(ToJson(notification));
}

absl::StatusOr<Notification> DecodeNotification(absl::string_view text) {
  try {
    return FromJson(Json::parse(text.begin(), text.end()));
  } catch (const Json::exception&) {
    return absl::InvalidArgumentError("notification: is not of this form");
  }
}

std::string EncodeDigest(Digest digest) {
  Json json = {{"project", digest.project}, {"week", digest.week}};
  Json changes = Json::array();
  size_t bytes = 0;
  for (const Notification& change : digest.changes) {
    Json one = ToJson(change);
    bytes += Dump(one).size() + 1;
    if (bytes > kMostDigestBytes) {
      ++digest.left_out;
    } else {
      changes.push_back(std::move(one));
    }
  }
  json["changes"] = std::move(changes);
  json["left_out"] = digest.left_out;
  return Dump(json);
}

absl::StatusOr<Digest> DecodeDigest(absl::string_view text) {
  try {
    const Json json = Json::parse(text.begin(), text.end());
    Digest digest;
    digest.project = json.at("project").get<std::string>();
    digest.week = json.at("week").get<std::string>();
    digest.left_out = json.at("left_out").get<size_t>();
    for (const Json& one : json.at("changes")) {
      ASSIGN_OR_RETURN(Notification change, FromJson(one));
      digest.changes.push_back(std::move(change));
    }
    return digest;
  } catch (const Json::exception&) {
    return absl::InvalidArgumentError("digest: is not of this form");
  }
}

}  // namespace gprofhub::reporter
