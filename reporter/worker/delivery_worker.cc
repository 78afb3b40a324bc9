#include "reporter/worker/delivery_worker.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/log_fields.h"
#include "base/status_macros.h"
#include "reporter/notify/plan.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/gate.h"

namespace gprofhub::reporter {

absl::StatusOr<std::optional<v1::GetChangesResponse>> KeepChangesOf(
    const store::RunRecord& run, const store::ReportQueue& reports, const store::Reading& reading,
    const BlobReader& blobs) {
  store::RunFilter filter = RunsOfHistory({run.project, run.branch, run.configuration});
  filter.by_arrival = true;
  filter.limit = 1;
  ASSIGN_OR_RETURN(const std::vector<store::RunState> newest, reading.ListRunStates(filter));
  if (!newest.empty() && newest.front().run_id > run.id) return std::nullopt;
  v1::GetChangesRequest request;
  request.set_project(run.project);
  request.set_branch(run.branch);
  request.set_configuration(run.configuration);
  ASSIGN_OR_RETURN(FoundChanges found, FindChanges(reading, blobs, request));
  if (found.to_keep.has_value()) {
    RETURN_IF_ERROR(reports.KeepChanges(found.branch, *found.to_keep));
  }
  return std::move(found.response);
}

ChangesKeeper::ChangesKeeper(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
                             ChangesKeeperOptions options)
    : reports_(std::move(reports)),
      reading_(std::move(reading)),
      blobs_(std::move(blobs)),
      options_(std::move(options)) {}

absl::StatusOr<bool> ChangesKeeper::RunOnce(const base::StopToken& stopping) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> taken, reports_.TakeUnkeptRun(options_.now()));
  if (!taken.has_value()) return false;
  const absl::StatusOr<store::RunRecord> run = reading_.ReadRun(*taken);
  if (absl::IsNotFound(run.status())) return true;  // deleted meanwhile
  if (!run.ok()) return run.status();
  const JobBlobs blobs(blobs_, options_.decoding, run->project,
                       [&stopping] { return stopping.IsSet(); });
  const auto changes = KeepChangesOf(*run, reports_, reading_, blobs.reader());
  if (!changes.ok()) {
    spdlog::warn("reporter {}: the changes of {} after run {} are not kept: {}", options_.name,
                 run->branch, run->id, changes.status().ToString());
  } else if (changes->has_value()) {
    spdlog::debug("reporter {}: {} changes of {} are kept", options_.name,
                  (*changes)->events_size(), run->branch);
  }
  return true;
}

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
  ASSIGN_OR_RETURN(const Notification told, DecodeNotification(record.told));
  const bool was_open = told.status == NotificationStatus::kOpen;
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
    ASSIGN_OR_RETURN(Digest digest, DecodeDigest(record.content));
    message.kind = Message::Kind::kDigest;
    message.digest = std::move(digest);
    return message;
  }
  ASSIGN_OR_RETURN(Notification notification, DecodeNotification(record.content));
  ASSIGN_OR_RETURN(const std::optional<Message::Kind> kind, KindOf(record, notification));
  if (!kind.has_value()) return std::nullopt;
  message.kind = *kind;
  message.notification = std::move(notification);
  return message;
}

}  // namespace

DeliveryWorker::DeliveryWorker(store::Notifications notifications, std::unique_ptr<Channel> channel,
                               ChannelConfig config, ReportWorkerOptions options)
    : notifications_(std::move(notifications)),
      channel_(std::move(channel)),
      config_(std::move(config)),
      options_(std::move(options)) {}

absl::Status DeliveryWorker::MakeDigest() {
  if (!config_.digest.has_value()) return absl::OkStatus();
  const absl::Time due = LastDigest(*config_.digest, config_.utc_offset, options_.now());
  if (digest_ == due) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<std::string> projects, notifications_.ListProjects());
  for (const std::string& project : projects) {
    store::NotificationRecord record;
    record.key = base::Sha256Hex(
        absl::StrCat("digest\n", project.size(), ":", project, absl::ToUnixSeconds(due)));
    record.channel = config_.name;
    record.project = project;
    ASSIGN_OR_RETURN(const auto records, notifications_.List(project));
    // An existing digest stays unchanged.
    if (std::any_of(records.begin(), records.end(), [&record](const auto& known) {
          return known.key == record.key && known.channel == record.channel;
        })) {
      continue;
    }
    std::optional<Digest> digest = PlanDigest(project, records, config_, due);
    if (!digest.has_value()) continue;
    record.content = EncodeDigest(*std::move(digest));
    RETURN_IF_ERROR(notifications_.Put({record}, /*deliver=*/true, options_.now()));
  }
  digest_ = due;
  return absl::OkStatus();
}

absl::StatusOr<Outcome> DeliveryWorker::Deliver(const store::NotificationRecord& record) {
  ASSIGN_OR_RETURN(const std::optional<Message> message, MakeMessage(record));
  if (!message.has_value() || (message->kind == Message::Kind::kUpdated &&
                               !channel_->WantsUpdates() && !NamesCulprit(record, *message))) {
    return NothingToTell("");
  }
  if (config_.quiet.has_value()) {
    const absl::Time now = options_.now();
    const absl::Time allowed = NextAllowed(*config_.quiet, config_.utc_offset, now);
    if (allowed > now) return Outcome{Outcome::Kind::kAgain, "", "quiet hours", allowed};
  }
  ASSIGN_OR_RETURN(std::string reference, channel_->Send(*message));
  spdlog::info("reporter {}: told {}: {} of {}", options_.name, record.channel,
               std::string(KindName(message->kind)), record.project);
  return Outcome{Outcome::Kind::kTold, std::move(reference), "", absl::InfinitePast()};
}

absl::StatusOr<bool> DeliveryWorker::RunOnce() {
  RETURN_IF_ERROR(MakeDigest());
  ASSIGN_OR_RETURN(
      const std::optional<store::NotificationRecord> claimed,
      notifications_.Claim(config_.name, options_.name, options_.now(), options_.lease));
  if (!claimed.has_value()) return false;
  const store::NotificationRecord& record = *claimed;
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

namespace {

// With this number of runs, the oldest quarter only serves as a baseline.
constexpr size_t kSettled = kDefaultChangeRuns * 3 / 4;

}  // namespace

EventWorker::EventWorker(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
                         store::GateRecords gate, store::Notifications notifications,
                         ForgeByProject forges, NotifyConfig config, FileOwners owners,
                         ReportWorkerOptions options)
    : reports_(std::move(reports)),
      reading_(std::move(reading)),
      blobs_(std::move(blobs)),
      gate_(std::move(gate)),
      notifications_(std::move(notifications)),
      forges_(std::move(forges)),
      config_(std::move(config)),
      owners_(std::move(owners)),
      options_(std::move(options)) {}

absl::StatusOr<bool> EventWorker::RunOnce(const base::StopToken& stopping) {
  return DoReportJob(reports_, store::ReportKind::kBranch, options_,
                     [&](const store::ReportJob& job) { return Report(job, stopping); });
}

absl::Status EventWorker::DropForeign(const store::RunRecord& run,
                                      v1::GetChangesResponse& changes) {
  const auto forge = forges_.find(run.project);
  if (forge == forges_.end()) return absl::OkStatus();
  google::protobuf::RepeatedPtrField<v1::ChangeEvent> kept;
  for (v1::ChangeEvent& event : *changes.mutable_events()) {
    // Old changes are not reported, so the forge need not be queried.
    const absl::Time came = absl::FromUnixMillis(event.at().unix_ms());
    if (!event.at().commit().empty() && came >= options_.now() - config_.max_age) {
      ASSIGN_OR_RETURN(const bool on_branch,
                       forge->second->CommitIsOnBranch(event.at().commit(), run.branch));
      if (!on_branch) continue;
    }
    *kept.Add() = std::move(event);
  }
  changes.mutable_events()->Swap(&kept);
  return absl::OkStatus();
}

absl::StatusOr<PlanInput> EventWorker::Look(const store::RunRecord& run,
                                            v1::GetChangesResponse changes) {
  PlanInput input;
  input.project = run.project;
  input.now = options_.now();
  input.changes = std::move(changes);
  RETURN_IF_ERROR(AddCulprits(reading_, gate_, run.project, input.changes));
  RETURN_IF_ERROR(DropForeign(run, input.changes));
  store::RunFilter filter = RunsOfHistory({run.project, run.branch, run.configuration});
  filter.limit = kDefaultChangeRuns;
  ASSIGN_OR_RETURN(const std::vector<store::RunHead> runs, reading_.ListRunHeads(filter));
  if (runs.size() == kDefaultChangeRuns) input.looked_at_from = runs[kSettled].ordered;
  ASSIGN_OR_RETURN(std::vector<store::NotificationRecord> told, notifications_.List(run.project));
  input.told = std::move(told);
  ASSIGN_OR_RETURN(std::vector<store::AcknowledgementRecord> acknowledged,
                   gate_.ListAcknowledgements(run.project));
  input.acknowledged = std::move(acknowledged);
  return input;
}

absl::StatusOr<bool> EventWorker::NotifiesOf(const store::RunRecord& run) const {
  if (config_.branches.empty()) {
    ASSIGN_OR_RETURN(const std::string main, reading_.FindMainBranch(run.project));
    return run.branch == main;
  }
  return std::any_of(
      config_.branches.begin(), config_.branches.end(),
      [&run](const std::string& pattern) { return base::GlobMatches(pattern, run.branch); });
}

absl::StatusOr<store::ReportOutcome> EventWorker::Report(const store::ReportJob& job,
                                                         const base::StopToken& stopping) {
  ASSIGN_OR_RETURN(const store::RunRecord run, reading_.ReadRun(job.run_id));
  const JobBlobs blobs(blobs_, options_.decoding, run.project,
                       [&stopping] { return stopping.IsSet(); });
  absl::StatusOr<std::optional<v1::GetChangesResponse>> changes =
      KeepChangesOf(run, reports_, reading_, blobs.reader());
  if (absl::IsNotFound(changes.status())) return ReportDone("no target of the branch is analysed");
  if (!changes.ok()) return changes.status();
  // The newest run's job covers this run, too.
  if (!changes->has_value()) return ReportDone("there is a newer run");
  ASSIGN_OR_RETURN(const bool notifies, NotifiesOf(run));
  if (!notifies) {
    return ReportDone("the branch is not one whose changes are told");
  }
  ASSIGN_OR_RETURN(const PlanInput input, Look(run, **std::move(changes)));
  Plan plan = PlanNotifications(input, config_, owners_);
  for (const auto& [records, deliver] :
       {std::pair(&plan.tell, true), std::pair(&plan.keep, false)}) {
    for (store::NotificationRecord& record : *records) record.request = job.request;
    RETURN_IF_ERROR(notifications_.Put(*records, deliver, options_.now()));
  }
  options_.on_ended({"looked", ""});
  spdlog::info("reporter {}: looked at run {} of {} for changes: {} to tell", options_.name, run.id,
               run.branch, plan.tell.size());
  const int events = input.changes.events_size();
  return ReportDone(absl::StrCat(events, events == 1 ? " change" : " changes", " looked at"));
}

}  // namespace gprofhub::reporter
