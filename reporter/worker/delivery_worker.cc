#include "reporter/worker/delivery_worker.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/logs/log_fields.h"
#include "base/sha256.h"
#include "reporter/notify/plan.h"

namespace gprofhub::reporter {
namespace {

using Outcome = store::NotificationOutcome;

// As in EndedReport, for a successful attempt.
absl::string_view NameOf(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::kTold:
      return "told";
    case Outcome::Kind::kNothingToTell:
      return "nothing";
    case Outcome::Kind::kFailed:
      return "failed";
    case Outcome::Kind::kAgain:
      return "waiting";
  }
  return "";
}

Outcome NothingToTell(absl::string_view note) {
  return {Outcome::Kind::kNothingToTell, "", std::string(note), absl::InfinitePast()};
}

// The next message after the earlier ones; nothing if there is no news.
absl::StatusOr<std::optional<Message::Kind>> KindOf(const store::NotificationRecord& record,
                                                    const Notification& now) {
  const bool open = now.status == NotificationStatus::kOpen;
  if (record.told.empty()) {
    return open ? std::optional(Message::Kind::kOpened) : std::nullopt;
  }
  const absl::StatusOr<Notification> told = DecodeNotification(record.told);
  if (!told.ok()) return told.status();
  const bool was_open = told->status == NotificationStatus::kOpen;
  if (was_open) return open ? Message::Kind::kUpdated : Message::Kind::kClosed;
  return open ? std::optional(Message::Kind::kOpened) : std::nullopt;
}

// Whether the message is the first one with the culprit commit, which all channels receive.
bool NamesCulprit(const store::NotificationRecord& record, const Message& message) {
  const absl::StatusOr<Notification> told = DecodeNotification(record.told);
  return told.ok() && message.notification.event.has_culprit() &&
         message.notification.event.culprit().commit() != told->event.culprit().commit();
}

// The message, or nothing if none is needed.
absl::StatusOr<std::optional<Message>> MakeMessage(const store::NotificationRecord& record) {
  Message message;
  message.key = record.key;
  message.reference = record.reference;
  message.id = base::Sha256Hex(absl::StrCat(record.key, "\n", record.channel, "\n",
                                            record.generation, "\n", record.content))
                   .substr(0, 32);
  if (record.series.empty()) {
    absl::StatusOr<Digest> digest = DecodeDigest(record.content);
    if (!digest.ok()) return digest.status();
    message.kind = Message::Kind::kDigest;
    message.digest = *std::move(digest);
    return message;
  }
  absl::StatusOr<Notification> notification = DecodeNotification(record.content);
  if (!notification.ok()) return notification.status();
  const absl::StatusOr<std::optional<Message::Kind>> kind = KindOf(record, *notification);
  if (!kind.ok()) return kind.status();
  if (!kind->has_value()) return std::nullopt;
  message.kind = **kind;
  message.notification = *std::move(notification);
  return message;
}

}  // namespace

DeliveryWorker::DeliveryWorker(store::Notifications notifications, std::unique_ptr<Channel> channel,
                               ChannelConfig config, ReportWorkerOptions options)
    : notifications_(std::move(notifications)),
      channel_(std::move(channel)),
      config_(std::move(config)),
      options_(std::move(options)),
      loop_({options_.poll, 2 * options_.poll, options_.max_backoff}) {}

void DeliveryWorker::Run() {
  loop_.Run([this] { return RunOnce(); },
            [this](const absl::Status& error, absl::Duration) {
              spdlog::error("reporter {}: {}", options_.name, error.ToString());
            });
}

void DeliveryWorker::Stop() { loop_.Stop(); }

absl::Status DeliveryWorker::MakeDigest() {
  if (!config_.digest.has_value()) return absl::OkStatus();
  const absl::Time due = LastDigest(*config_.digest, config_.utc_offset, options_.now());
  if (digest_ == due) return absl::OkStatus();
  const absl::StatusOr<std::vector<std::string>> projects = notifications_.ListProjects();
  if (!projects.ok()) return projects.status();
  for (const std::string& project : *projects) {
    store::NotificationRecord record;
    record.key = base::Sha256Hex(
        absl::StrCat("digest\n", project.size(), ":", project, absl::ToUnixSeconds(due)));
    record.channel = config_.name;
    record.project = project;
    const auto records = notifications_.List(project);
    if (!records.ok()) return records.status();
    // An existing digest stays unchanged.
    if (std::any_of(records->begin(), records->end(), [&record](const auto& known) {
          return known.key == record.key && known.channel == record.channel;
        })) {
      continue;
    }
    std::optional<Digest> digest = PlanDigest(project, *records, config_, due);
    if (!digest.has_value()) continue;
    record.content = EncodeDigest(*std::move(digest));
    const absl::Status put = notifications_.Put({record}, /*deliver=*/true, options_.now());
    if (!put.ok()) return put;
  }
  digest_ = due;
  return absl::OkStatus();
}

absl::StatusOr<Outcome> DeliveryWorker::Deliver(const store::NotificationRecord& record) {
  const absl::StatusOr<std::optional<Message>> message = MakeMessage(record);
  if (!message.ok()) return message.status();
  if (!message->has_value() || ((*message)->kind == Message::Kind::kUpdated &&
                                !channel_->WantsUpdates() && !NamesCulprit(record, **message))) {
    return NothingToTell("");
  }
  if (config_.quiet.has_value()) {
    const absl::Time now = options_.now();
    const absl::Time allowed = NextAllowed(*config_.quiet, config_.utc_offset, now);
    if (allowed > now) return Outcome{Outcome::Kind::kAgain, "", "quiet hours", allowed};
  }
  absl::StatusOr<std::string> reference = channel_->Send(**message);
  if (!reference.ok()) return reference.status();
  spdlog::info("reporter {}: told {}: {} of {}", options_.name, record.channel,
               std::string(KindName((*message)->kind)), record.project);
  return Outcome{Outcome::Kind::kTold, *std::move(reference), "", absl::InfinitePast()};
}

absl::StatusOr<bool> DeliveryWorker::RunOnce() {
  if (absl::Status status = MakeDigest(); !status.ok()) return status;
  const absl::StatusOr<std::optional<store::NotificationRecord>> claimed =
      notifications_.Claim(config_.name, options_.name, options_.now(), options_.lease);
  if (!claimed.ok()) return claimed.status();
  if (!claimed->has_value()) return false;
  const store::NotificationRecord& record = **claimed;
  const base::LogFields fields{{"request", record.request}, {"channel", record.channel}};
  absl::StatusOr<Outcome> outcome = Deliver(record);
  const absl::Time now = options_.now();
  if (!outcome.ok()) {
    const bool final =
        absl::IsInvalidArgument(outcome.status()) || now - record.changed >= options_.give_up_after;
    const absl::Duration wait = BackoffAfter(options_, record.attempts, outcome.status());
    const std::string why(outcome.status().message());
    spdlog::warn("reporter {}: channel {}: {}; {}", options_.name, record.channel, why,
                 final ? "given up" : absl::StrCat("again in ", absl::FormatDuration(wait)));
    options_.on_ended({final ? "failed" : "again", record.channel});
    outcome = Outcome{final ? Outcome::Kind::kFailed : Outcome::Kind::kAgain, "", why, now + wait};
  } else {
    options_.on_ended({NameOf(outcome->kind), record.channel});
  }
  const absl::Status finished = notifications_.Finish(record, *outcome, now);
  // The lease expired, because the channel was slow: another worker has the message.
  if (absl::IsFailedPrecondition(finished)) return true;
  if (!finished.ok()) return finished;
  return true;
}

}  // namespace gprofhub::reporter
