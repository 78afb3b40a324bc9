#include "collector/bes/bes_service.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/log_fields.h"
#include "base/memory_budget.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "collector/bes/record_attempt.h"
#include "collector/fair_pool.h"
#include "proto/invocation.pb.h"
#include "store/invocations.h"

namespace gprofhub::collector {

namespace {

// Limit on a log's size: the whole file is held in memory to verify its hash.
constexpr uint64_t kMostLogBytes = 16 << 20;

bool IsInCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string LogEnd(absl::string_view log) {
  constexpr size_t kMost = store::InvocationTarget::kMostLogBytes;
  if (log.size() <= kMost) return std::string(log);
  // The byte before the range shows whether the range starts a line.
  const absl::string_view tail = log.substr(log.size() - kMost - 1);
  const size_t before = tail.find('\n');
  if (before < tail.size() - 1) return std::string(tail.substr(before + 1));
  size_t begin = 1;
  while (begin < tail.size() && IsInCharacter(tail[begin])) ++begin;
  return std::string(tail.substr(begin));
}

std::string ReadLogEnd(const ReadHandedOver& read, const std::string& project,
                       const std::string& uri) {
  const std::optional<HandedOverFile> file = ParseBytestream(uri);
  if (!file.has_value()) {
    return "(The log's address is not that of a remote cache with SHA-256.)";
  }
  if (file->size > kMostLogBytes) {
    return absl::StrCat("(The log has ", file->size, " bytes; at most ", kMostLogBytes,
                        " are read.)");
  }
  const absl::StatusOr<std::string> bytes = read(project, *file);
  if (!bytes.ok()) {
    return absl::StrCat("(The log is not available: ", base::PublicMessageOf(bytes.status()), ")");
  }
  return LogEnd(*bytes);
}

namespace {

// The principal that sends an invocation's events, stored with them: after a restart the rest is
// recorded with the same rights.

v1::InvocationSender ToRecord(const AttemptSender& sender);

// Reads the sender of an invocation's first record. DATA_LOSS if the record is malformed.
absl::StatusOr<AttemptSender> SenderIn(absl::string_view records, absl::string_view project);

int32_t ToNumber(RunFacts::Kind kind) {
  switch (kind) {
    case RunFacts::Kind::kBranch:
      return 0;
    case RunFacts::Kind::kPullRequest:
      return 1;
    case RunFacts::Kind::kUnknown:
      break;
  }
  return 2;
}

RunFacts::Kind ToKind(int32_t number) {
  if (number == 0) return RunFacts::Kind::kBranch;
  return number == 1 ? RunFacts::Kind::kPullRequest : RunFacts::Kind::kUnknown;
}

v1::InvocationSender ToRecord(const AttemptSender& sender) {
  v1::InvocationSender record;
  record.set_actor(sender.caller.actor.name);
  record.set_origin(sender.caller.actor.origin);
  record.set_token_id(sender.caller.actor.token_id);
  record.set_scopes(sender.caller.scopes.Names());
  record.set_anonymous(sender.caller.anonymous);
  record.set_request(sender.request);
  if (sender.caller.run.has_value()) {
    v1::InvocationSender::RunFacts& run = *record.mutable_run();
    run.set_kind(ToNumber(sender.caller.run->kind));
    run.set_branch(sender.caller.run->branch);
    run.set_pull_request(sender.caller.run->pull_request);
    run.set_untrusted(sender.caller.run->untrusted);
  }
  return record;
}

absl::StatusOr<AttemptSender> SenderIn(absl::string_view records, absl::string_view project) {
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(records.data()),
                                               static_cast<int>(records.size()));
  v1::InvocationRecord record;
  if (!google::protobuf::util::ParseDelimitedFromCodedStream(&record, &input, nullptr) ||
      !record.has_sender()) {
    return absl::DataLossError("the stored state of an invocation has no sender");
  }
  const v1::InvocationSender& kept = record.sender();
  absl::StatusOr<Scopes> scopes = Scopes::Parse(kept.scopes());
  if (!scopes.ok()) return absl::DataLossError(scopes.status().message());
  AttemptSender sender;
  sender.request = kept.request();
  sender.caller.anonymous = kept.anonymous();
  sender.caller.project = kept.anonymous() ? "" : std::string(project);
  sender.caller.scopes = *scopes;
  sender.caller.actor = {kept.actor(), kept.origin(), kept.token_id()};
  if (kept.has_run()) {
    RunFacts facts;
    facts.kind = ToKind(kept.run().kind());
    facts.branch = kept.run().branch();
    facts.pull_request = kept.run().pull_request();
    facts.untrusted = kept.run().untrusted();
    sender.caller.run = std::move(facts);
  }
  return sender;
}

constexpr absl::Duration kTryAgainIn = absl::Seconds(5);
constexpr absl::Duration kComeBackForAnInvocation = absl::Seconds(30);
constexpr uint32_t kSilentAtOnce = 20;
constexpr uint32_t kOldAtOnce = 500;
// Missed heartbeats after which another process takes over.
constexpr int kMissedSigns = 3;

absl::Status Stopping() {
  return absl::UnavailableError("the server is stopping; try again later");
}

constexpr absl::string_view kUseNewIds =
    "; remove --invocation_id, or pass a new id for each build";

std::string InUtc(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", time, absl::UTCTimeZone());
}

// Whether the same request may succeed later.
std::optional<absl::Duration> TryAgainIn(const absl::Status& status) {
  if (const auto delay = ComeBackIn(status); delay.has_value()) return delay;
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kAborted:
      return kTryAgainIn;
    default:
      return std::nullopt;
  }
}

}  // namespace

BuildEventService::BuildEventService(store::Invocations invocations, UploadContext& uploads,
                                     ReadHandedOver read, Options options)
    : store_(std::move(invocations)),
      recorder_{uploads, std::move(read)},
      options_(std::move(options)),
      streams_(options_.limits.streams),
      kept_(options_.limits.all_kept_bytes),
      office_{streams_,
              [this](const store::InvocationRecord& wanted, const AttemptSender& sender) {
                return Open(wanted, sender);
              },
              [this](const std::shared_ptr<Invocation>& invocation) { Changed(invocation); },
              options_.forwarder_of, builds_},
      pool_(std::make_unique<FairPool>(options_.recorders)),
      watching_since_(options_.now()),
      writing_([this] { WriteChanges(); }),
      looking_([this] { LookAfterAll(); }) {}

BuildEventService::~BuildEventService() {
  Stop();
  looking_.join();
  pool_.reset();  // its tasks end at once, and change nothing any more
  writing_.join();
}

void BuildEventService::Stop() {
  Invocations all;
  {
    absl::MutexLock lock(&mutex_);
    stopping_.Set();
    for (const auto& [key, invocation] : invocations_) all.push_back(invocation);
  }
  for (const auto& invocation : all) {
    invocation->Fail(Stopping());
  }
}

std::vector<Method> BuildEventService::Methods() {
  Method stream;
  stream.name = "/google.devtools.build.v1.PublishBuildEvent/PublishBuildToolEventStream";
  stream.one_message = false;
  stream.longest = options_.limits.longest;
  PatienceLimits patience;
  patience.first = options_.limits.first;
  patience.most = patience.after_message = options_.limits.silence;
  stream.patience = patience;
  stream.start = [this](const CallContext& context) {
    return std::make_unique<EventStream>(office_, context);
  };
  Method lifecycle;
  lifecycle.name = "/google.devtools.build.v1.PublishBuildEvent/PublishLifecycleEvent";
  lifecycle.start = [this](const CallContext& context) {
    return std::make_unique<LifecycleEvent>(office_, context);
  };
  return {std::move(stream), std::move(lifecycle)};
}

// ---- Invocations in memory ----

std::shared_ptr<Invocation> BuildEventService::Find(const Key& key) {
  absl::MutexLock lock(&mutex_);
  const auto found = invocations_.find(key);
  return found == invocations_.end() || found->second->HasFailed() ? nullptr : found->second;
}

std::shared_ptr<Invocation> BuildEventService::Add(const Key& key,
                                                   std::shared_ptr<Invocation> invocation) {
  absl::MutexLock lock(&mutex_);
  std::shared_ptr<Invocation>& place = invocations_[key];
  // A concurrent stream may have added it first.
  if (place == nullptr || place->HasFailed()) place = std::move(invocation);
  return place;
}

void BuildEventService::Forget(const std::shared_ptr<Invocation>& invocation) {
  absl::MutexLock lock(&mutex_);
  const auto& record = invocation->record();
  const auto found = invocations_.find(Key(record.project, record.invocation_id));
  if (found != invocations_.end() && found->second == invocation) invocations_.erase(found);
}

absl::StatusOr<std::shared_ptr<Invocation>> BuildEventService::Load(
    const store::InvocationRecord& record, absl::Time now) {
  // The rows and their text are in memory together while they are parsed.
  base::DecodingCall memory(recorder_.uploads.decoding(), record.project, /*is_over=*/nullptr);
  if (absl::Status status = memory.Take(2 * record.stored_bytes); !status.ok()) {
    return OverloadedIfShort(status);
  }
  ASSIGN_OR_RETURN(const std::string records, store_.ReadRecords(record.id));
  ASSIGN_OR_RETURN(AttemptSender sender, SenderIn(records, record.project));
  auto invocation = std::make_shared<Invocation>(record, std::move(sender), options_.limits, kept_);
  RETURN_IF_ERROR(invocation->Load(records, now));
  return invocation;
}

// With --bes_upload_mode=fully_async Bazel prints the error at its next command, if there is one.
// Its link leads to the page of the first build, so that page has a note, too; but no other sender
// writes on it.
absl::Status BuildEventService::RefuseOtherBuild(const store::InvocationRecord& used,
                                                 const store::InvocationRecord& wanted) {
  if (used.note.empty() && used.sender == wanted.sender) {
    const absl::Status noted = store_.SetNote(
        used.id, absl::StrCat("the events of another build with this id were refused at ",
                              InUtc(wanted.started), kUseNewIds));
    if (!noted.ok()) spdlog::warn("the refusal was not stored: {}", noted.ToString());
  }
  return absl::FailedPreconditionError(
      absl::StrCat("invocation id ", used.invocation_id, " of project ", used.project,
                   " was already used by another build, ",
                   used.commit.empty() ? "" : absl::StrCat("of commit ", used.commit, ", "),
                   "which began at ", InUtc(used.started), kUseNewIds));
}

absl::StatusOr<std::shared_ptr<Invocation>> BuildEventService::OpenStored(
    const store::InvocationRecord& wanted, const AttemptSender& sender) {
  v1::InvocationRecord first;
  *first.mutable_sender() = ToRecord(sender);
  const absl::StatusOr<store::InvocationRecord> record = store_.Open(
      wanted, DelimitedRecord(first), options_.limits.running_invocations, wanted.started);
  if (absl::IsResourceExhausted(record.status())) {
    return Overloaded(base::PublicMessageOf(record.status()), kComeBackForAnInvocation,
                      "INVOCATIONS");
  }
  if (absl::IsNotFound(record.status())) {
    return absl::InvalidArgumentError("sequence_number: the next event of this invocation is 1");
  }
  if (!record.ok()) return record.status();
  if (!store::IsSameBuild(*record, wanted)) return RefuseOtherBuild(*record, wanted);
  if (record->state == store::InvocationState::kEnded) {
    // Remaining events were acknowledged before, or come too late.
    return std::make_shared<Invocation>(*record, sender, options_.limits, kept_);
  }
  if (record->state == store::InvocationState::kInterrupted) {
    return absl::FailedPreconditionError(
        absl::StrCat("invocation ", wanted.invocation_id, " was interrupted at ",
                     InUtc(record->ended), ": no event came for too long; run the build again"));
  }
  ASSIGN_OR_RETURN(std::shared_ptr<Invocation> loaded, Load(*record, options_.now()));
  spdlog::info("invocation {} of {} {}", wanted.invocation_id, wanted.project,
               record->last_sequence == 0 ? "begins" : "continues");
  std::shared_ptr<Invocation> invocation =
      Add(Key(wanted.project, wanted.invocation_id), std::move(loaded));
  Changed(invocation);
  return invocation;
}

absl::StatusOr<std::shared_ptr<Invocation>> BuildEventService::Open(store::InvocationRecord wanted,
                                                                    const AttemptSender& sender) {
  wanted.sender = sender.caller.actor.name;
  wanted.started = options_.now();
  std::shared_ptr<Invocation> invocation = Find(Key(wanted.project, wanted.invocation_id));
  if (invocation == nullptr || !store::IsSameBuild(invocation->record(), wanted)) {
    ASSIGN_OR_RETURN(invocation, OpenStored(wanted, sender));
  }
  if (!HaveSameRights(invocation->sender(), sender)) {
    return absl::PermissionDeniedError(
        "this invocation was started by a client with other rights; continue it with the same "
        "token");
  }
  return invocation;
}

void BuildEventService::Changed(const std::shared_ptr<Invocation>& invocation) {
  {
    absl::MutexLock lock(&mutex_);
    if (!stopping_.IsSet()) {
      changed_.insert(invocation);
      return;
    }
  }
  invocation->Fail(Stopping());
}

// ---- The thread that writes ----

void BuildEventService::WriteChanges() {
  for (;;) {
    Invocations changed;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &BuildEventService::HasWork));
      if (stopping_.IsSet()) return;
      changed.assign(changed_.begin(), changed_.end());
      changed_.clear();
    }
    Write(changed);
  }
}

void BuildEventService::Write(const Invocations& changed) {
  std::vector<store::InvocationSegment> segments;
  Invocations with_segments;
  for (const auto& invocation : changed) {
    std::optional<store::InvocationSegment> segment = invocation->TakeSegment();
    if (!segment.has_value()) continue;
    segments.push_back(*std::move(segment));
    with_segments.push_back(invocation);
  }
  if (!segments.empty()) {
    const absl::Time now = options_.now();
    const absl::StatusOr<std::vector<absl::Status>> words = store_.Append(segments, now);
    for (size_t i = 0; i < segments.size(); ++i) {
      const absl::Status word = words.ok() ? (*words)[i] : words.status();
      if (word.ok()) {
        with_segments[i]->Committed(now);
        continue;
      }
      spdlog::warn("events of invocation {} were not stored: {}",
                   with_segments[i]->record().invocation_id, word.ToString());
      with_segments[i]->Fail(
          absl::UnavailableError("the events cannot be stored now; send them again later"));
    }
  }
  for (const auto& invocation : changed) {
    if (invocation->HasFailed()) {
      Forget(invocation);
      continue;
    }
    Record(invocation);
    if (absl::Status status = WriteNews(*invocation); !status.ok()) {
      spdlog::warn("the state of invocation {} was not stored: {}",
                   invocation->record().invocation_id, status.ToString());
      // The durable events suffice to resume.
      invocation->Fail(absl::UnavailableError("the state of the invocation cannot be stored now"));
      Forget(invocation);
    } else if (invocation->IsDone() && !invocation->HasStream()) {
      Forget(invocation);
    }
  }
}

absl::Status BuildEventService::WriteNews(Invocation& invocation) {
  const InvocationNews news = invocation.TakeNews();
  const int64_t id = invocation.record().id;
  absl::Status status;
  if (news.about.has_value()) {
    status =
        store_.Describe(id, news.about->commit(), news.about->branch(), news.about->pull_request());
  }
  if (status.ok() && !news.command_line.empty()) {
    status = store_.SetCommandLine(id, news.command_line);
  }
  if (status.ok() && !news.note.empty()) status = store_.SetNote(id, news.note);
  if (status.ok()) status = store_.PutTargets(id, news.targets);
  if (status.ok() && news.run_id != 0) status = store_.SetRun(id, news.run_id);
  if (status.ok() && news.done) {
    status = store_.Finish(id, store::InvocationState::kEnded, options_.now());
    if (status.ok()) options_.on_finished();
    spdlog::info("invocation {} of {} has ended", invocation.record().invocation_id,
                 invocation.record().project);
  }
  return status;
}

// ---- Attempts ----

void BuildEventService::Record(const std::shared_ptr<Invocation>& invocation) {
  for (const size_t index : invocation->TakeReady()) {
    pool_->Submit(invocation->record().project,
                  [this, invocation, index] { RecordOne(invocation, index); });
  }
}

void BuildEventService::RecordOne(const std::shared_ptr<Invocation>& invocation, size_t index) {
  {
    absl::MutexLock lock(&mutex_);
    if (stopping_.IsSet()) return;
  }
  const base::LogFields fields{{"request", invocation->sender().request}};
  const ReadyAttempt ready = invocation->Ready(index);
  RecordedAttempt recorded;
  const absl::Status permitted = options_.recheck(invocation->sender().caller);
  if (!permitted.ok() || !ready.run.ok()) {
    recorded.status = permitted.ok() ? ready.run.status() : permitted;
  } else {
    recorded = RecordAttempt(recorder_, invocation->sender(), *ready.run, ready.attempt,
                             ready.may_wait, options_.now());
  }
  if (ready.wants_log && !recorded.waits && permitted.ok()) {
    recorded.log_end = ReadLogEnd(recorder_.read, invocation->record().project, ready.attempt.log);
  }
  if (const auto delay = TryAgainIn(recorded.status); delay.has_value()) {
    spdlog::warn("retrying {}: {}", ci::Describe(ready.attempt), recorded.status.ToString());
    invocation->PutBack(index);
    absl::MutexLock lock(&mutex_);
    later_.emplace_back(options_.now() + *delay, invocation);
    return;
  }
  if (!recorded.status.ok()) {
    spdlog::info("{} of invocation {} was not recorded: {}", ci::Describe(ready.attempt),
                 invocation->record().invocation_id, recorded.status.ToString());
    recorded.status = absl::Status(recorded.status.code(), base::PublicMessageOf(recorded.status));
  }
  invocation->Done(index, recorded);
  if (recorded.is_new) options_.on_recorded();
  Changed(invocation);
}

// ---- What was left ----

void BuildEventService::LookAfterAll() {
  absl::Time next_signs = options_.now();
  absl::Time last = next_signs;
  while (!stopping_.WaitFor(options_.look_every)) {
    const absl::Time now = options_.now();
    if (now < last || now - last > options_.limits.sign_of_life) {
      // The clock was set, or this process stood still. Heartbeats of other processes that look
      // old may be new, and times from before may be hours away.
      next_signs = watching_since_ = now;
      absl::MutexLock lock(&mutex_);
      for (auto& [due, invocation] : later_) due = now;
    }
    last = now;
    TakeWhatIsDue(now);
    if (now < next_signs) continue;
    next_signs = now + options_.limits.sign_of_life;
    ShowSigns(now);
    LookAfterSilent(now);
  }
}

void BuildEventService::TakeWhatIsDue(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const auto due = std::partition(later_.begin(), later_.end(),
                                  [now](const auto& one) { return one.first > now; });
  for (auto one = due; one != later_.end(); ++one) changed_.insert(one->second);
  later_.erase(due, later_.end());
}

void BuildEventService::ShowSigns(absl::Time now) {
  std::vector<int64_t> alive;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [key, invocation] : invocations_) {
      if (invocation->HasStream() || invocation->HasEnded()) {
        alive.push_back(invocation->record().id);
      }
    }
  }
  absl::Status status = store_.Touch(alive, now);
  if (status.ok()) {
    status = store_.RemoveOld(now - options_.limits.shown_for, kOldAtOnce).status();
  }
  if (!status.ok())
    spdlog::warn("cannot write the heartbeats of invocations: {}", status.ToString());
}

void BuildEventService::LookAfterSilent(absl::Time now) {
  const absl::StatusOr<std::vector<store::InvocationRecord>> silent =
      store_.ListSilent(now - kMissedSigns * options_.limits.sign_of_life,
                        now - options_.limits.interrupted_after, kSilentAtOnce);
  if (!silent.ok()) {
    watching_since_ = now;
    spdlog::warn("cannot list invocations without heartbeats: {}", silent.status().ToString());
    return;
  }
  for (const store::InvocationRecord& record : *silent) {
    if (absl::Status status = GoOnWith(record, now); !status.ok()) {
      spdlog::warn("cannot take over invocation {}: {}", record.invocation_id, status.ToString());
    }
  }
}

absl::Status BuildEventService::GoOnWith(const store::InvocationRecord& silent, absl::Time now) {
  const Key key(silent.project, silent.invocation_id);
  const std::shared_ptr<Invocation> here = Find(key);
  if (here != nullptr && here->HasStream()) return absl::OkStatus();
  // An incomplete one is not loaded: nothing of it can be recorded.
  if (!silent.complete) return Interrupt(silent, now);
  absl::StatusOr<std::shared_ptr<Invocation>> loaded = Load(silent, now);
  if (!loaded.ok()) {
    // It can never be loaded: its records are malformed, or take too much memory.
    const bool for_good =
        absl::IsDataLoss(loaded.status()) ||
        (absl::IsResourceExhausted(loaded.status()) && !ComeBackIn(loaded.status()).has_value());
    return for_good ? Interrupt(silent, now) : loaded.status();
  }
  if (!(*loaded)->HasEnded()) return Interrupt(silent, now);
  ASSIGN_OR_RETURN(const bool taken, store_.TakeOver(silent, now));
  if (taken) Changed(Add(key, *std::move(loaded)));
  return absl::OkStatus();
}

absl::Status BuildEventService::Interrupt(const store::InvocationRecord& silent, absl::Time now) {
  if (now - std::max(silent.touched, watching_since_) < options_.limits.interrupted_after) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const bool taken, store_.TakeOver(silent, now));
  if (!taken) return absl::OkStatus();
  if (const auto here = Find(Key(silent.project, silent.invocation_id)); here != nullptr) {
    here->Fail(absl::AbortedError("the invocation was silent for too long"));
    Forget(here);
  }
  spdlog::info("invocation {} of {} was interrupted", silent.invocation_id, silent.project);
  return store_.Finish(silent.id, store::InvocationState::kInterrupted, now);
}

}  // namespace gprofhub::collector
