#include "collector/bes/invocation.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "ci/upload/results/ci_systems.h"
#include "ci/upload/results/detect_run.h"
#include "ci/upload/results/output_names.h"
#include "collector/fair_pool.h"
#include "proto/invocation.pb.h"

namespace gprofhub::collector {

namespace {

constexpr absl::string_view kEnvironmentArgument = "--client_env=";

absl::Status NotHere() {
  return absl::FailedPreconditionError("it is on the machine that ran Bazel");
}

absl::StatusOr<v1::RunInfo> RunOfCi(const ci::Environment& environment) {
  ci::RunSources sources;
  sources.environment = environment;
  sources.git = [](const std::vector<std::string>&) -> absl::StatusOr<std::string> {
    return NotHere();
  };
  sources.read_file = [](const std::string&) -> absl::StatusOr<std::string> { return NotHere(); };
  const std::optional<ci::CiJob> job = ci::ReadCiJob(sources);
  if (!job.has_value() || job->run.commit().empty()) {
    return absl::FailedPreconditionError(
        "unknown commit; pass Bazel --workspace_status_command with gprofhub's bazel/status.sh, or "
        "--build_metadata=GPROFHUB_COMMIT=<full hash>");
  }
  return job->run;
}

}  // namespace

void RunOfEvents::Take(const build_events::BuildEvent& event) {
  switch (event.payload_case()) {
    case build_events::BuildEvent::kStarted:
      invocation_id_ = event.started().uuid();
      started_unix_ms_ = ci::StartedUnixMs(event.started());
      break;
    case build_events::BuildEvent::kBuildMetadata:
      for (const auto& [key, value] : event.build_metadata().metadata()) metadata_[key] = value;
      break;
    case build_events::BuildEvent::kWorkspaceStatus:
      for (const auto& item : event.workspace_status().item()) status_[item.key()] = item.value();
      has_status_ = true;
      break;
    case build_events::BuildEvent::kUnstructuredCommandLine:
      for (absl::string_view argument : event.unstructured_command_line().args()) {
        if (!absl::ConsumePrefix(&argument, kEnvironmentArgument)) {
          absl::StrAppend(&command_line_, command_line_.empty() ? "bazel " : " ", argument);
          continue;
        }
        const std::pair<std::string, std::string> variable =
            absl::StrSplit(argument, absl::MaxSplits('=', 1));
        environment_.insert(variable);
      }
      break;
    default:
      break;
  }
}

std::string RunOfEvents::Said(const std::string& key) const {
  for (const auto* source : {&metadata_, &status_}) {
    const auto found = source->find("GPROFHUB_" + key);
    if (found != source->end()) return found->second;
  }
  return "";
}

absl::StatusOr<v1::RunInfo> RunOfEvents::Run() const {
  v1::RunInfo run;
  if (Said("COMMIT").empty()) {
    if (const std::string reason = Said("NO_COMMIT"); !reason.empty()) {
      return absl::FailedPreconditionError(reason);
    }
    ASSIGN_OR_RETURN(v1::RunInfo of_ci, RunOfCi(environment_));
    run = std::move(of_ci);
  }
  RETURN_IF_ERROR(
      ci::ReadWorkspaceStatus([this](const std::string& key) { return Said(key); }, run));
  if (const std::string logs = Said("TEST_LOGS"); !logs.empty() && !WantsLogs()) {
    return absl::InvalidArgumentError("GPROFHUB_TEST_LOGS: must be failed");
  }
  run.set_run_key(invocation_id_);
  run.set_started_unix_ms(started_unix_ms_);
  return run;
}

namespace {

using build_events::BuildEvent;

// Limit on the notes of one target; readers ignore more.
constexpr size_t kMostNoteBytes = 900;

// Per invocation; only the first failing tests have log lines.
constexpr size_t kMostLogs = 100;

std::string StatusName(build_events::TestStatus status) {
  return build_events::TestStatus_IsValid(status) ? build_events::TestStatus_Name(status)
                                                  : absl::StrCat("STATUS_", status);
}

// Adds an attempt that this build ran.
void AddTimes(const ci::TestAttempt& attempt, store::InvocationTarget& target) {
  if (attempt.cached || attempt.started_unix_ms <= 0) return;
  const absl::Time started = absl::FromUnixMillis(attempt.started_unix_ms);
  const bool is_first = target.started == absl::UnixEpoch() || started < target.started;
  if (is_first) target.started = started;
  target.duration_ms += attempt.duration_ms;
}

}  // namespace

store::InvocationTarget& InvocationState::TargetOf(const std::string& bazel_label) {
  const std::string label = ci::ApparentLabel(bazel_label);
  changed_.insert(label);
  store::InvocationTarget& target = targets_[label];
  target.label = label;
  return target;
}

void InvocationState::Take(BuildEvent event, absl::Time now) {
  switch (event.payload_case()) {
    case BuildEvent::kConfigured:
      TargetOf(event.id().target_configured().label());
      for (const auto& child : event.children()) {
        configurations_.insert(child.target_completed().configuration().id());
      }
      break;
    case BuildEvent::kTestResult: {
      const auto& id = event.id().test_result();
      store::InvocationTarget& target = TargetOf(id.label());
      target.status = StatusName(event.test_result().status());
      target.ended = now;
      ++target.attempts;
      configurations_.insert(id.configuration().id());
      const size_t index = events_.attempts();
      waiting_.insert(index);
      events_.Take(std::move(event));
      AddTimes(events_.Attempt(index), target);
      return;
    }
    case BuildEvent::kTestSummary:
      TargetOf(event.id().test_summary().label()).status =
          StatusName(event.test_summary().overall_status());
      break;
    default:
      run_.Take(event);
      break;
  }
  events_.Take(std::move(event));
}

absl::StatusOr<v1::RunInfo> InvocationState::Run() const {
  absl::StatusOr<v1::RunInfo> run = run_.Run();
  if (run.ok()) run->set_project(project_);
  return run;
}

std::vector<size_t> InvocationState::TakeReady() {
  std::vector<size_t> ready;
  if (!RunIsKnown()) return ready;
  for (const size_t index : waiting_) {
    if (ended() || (events_.HasSymbols(index) && !until_end_.contains(index))) {
      ready.push_back(index);
    }
  }
  for (const size_t index : ready) waiting_.erase(index);
  under_way_ += ready.size();
  return ready;
}

absl::StatusOr<v1::RunInfo> InvocationState::RunOf(const ci::TestAttempt& attempt) const {
  ASSIGN_OR_RETURN(v1::RunInfo run, Run());
  run.set_configuration(attempt.configuration);
  std::set<std::string> mnemonics;
  for (const std::string& id : configurations_) mnemonics.insert(events_.Mnemonic(id));
  if (mnemonics.size() > 1) {
    run.set_run_key(absl::StrCat(run.run_key(), "/", attempt.configuration));
  }
  return run;
}

bool InvocationState::WantsLogOf(size_t index, const ci::TestAttempt& attempt) {
  if (attempt.log.empty() || !run_.WantsLogs()) return false;
  const auto known = log_of_.find(attempt.label);
  if (known != log_of_.end()) {
    if (index < known->second) return false;
    known->second = index;
    return true;
  }
  return log_of_.size() < kMostLogs && log_of_.emplace(attempt.label, index).second;
}

void InvocationState::Done(size_t index, const RecordedAttempt& recorded) {
  --under_way_;
  if (recorded.waits) {
    waiting_.insert(index);
    until_end_.insert(index);
    return;
  }
  store::InvocationTarget& target = TargetOf(events_.Attempt(index).label);
  if (recorded.run_id != 0) ++target.recorded;
  const auto log = log_of_.find(target.label);
  if (log != log_of_.end() && log->second == index) target.log_end = recorded.log_end;
  std::vector<std::string> notes = recorded.notes;
  if (!recorded.status.ok()) notes.emplace_back(recorded.status.message());
  for (const std::string& note : notes) {
    if (target.note.size() + note.size() > kMostNoteBytes) break;
    absl::StrAppend(&target.note, target.note.empty() ? "" : "; ", note);
  }
}

void InvocationState::PutBack(size_t index) {
  --under_way_;
  waiting_.insert(index);
}

std::vector<store::InvocationTarget> InvocationState::TakeChangedTargets() {
  std::vector<store::InvocationTarget> changed;
  for (const std::string& label : changed_) changed.push_back(targets_.at(label));
  changed_.clear();
  return changed;
}

namespace {

using build_events::BuildEvent;

constexpr absl::Duration kComeBackForMemory = absl::Seconds(30);
// Memory that a kept event takes: its own, and what InvocationState makes of it.
uint64_t MemoryOf(const BuildEvent& event) {
  constexpr uint64_t kStateBytes = 512;  // a target, nodes of maps, the heap's overhead
  constexpr uint64_t kLabels = 3;        // copies
  const uint64_t bytes = event.SpaceUsedLong() + kStateBytes;
  switch (event.payload_case()) {
    case BuildEvent::kConfigured:
      return bytes + kLabels * event.id().target_configured().label().size();
    case BuildEvent::kTestResult:
      return bytes + kLabels * event.id().test_result().label().size();
    case BuildEvent::kTestSummary:
      return bytes + kLabels * event.id().test_summary().label().size();
    case BuildEvent::kCompleted:
      return 2 * bytes + kLabels * event.id().target_completed().label().size();
    case BuildEvent::kUnstructuredCommandLine:
    case BuildEvent::kWorkspaceStatus:
    case BuildEvent::kBuildMetadata:
      return 2 * bytes;
    default:
      return bytes;
  }
}

}  // namespace

std::string DelimitedRecord(const google::protobuf::MessageLite& record) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream output(&bytes);
    google::protobuf::util::SerializeDelimitedToZeroCopyStream(record, &output);
  }
  return bytes;
}

Invocation::Invocation(store::InvocationRecord record, AttemptSender sender,
                       const BesLimits& limits, FairShare& kept)
    : record_(std::move(record)),
      sender_(std::move(sender)),
      limits_(limits),
      kept_(kept),
      received_(record_.last_sequence),
      durable_(record_.last_sequence),
      state_(record_.project),
      run_id_(0) {}

absl::Status Invocation::Load(absl::string_view records, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(records.data()),
                                               static_cast<int>(records.size()));
  while (static_cast<size_t>(input.CurrentPosition()) < records.size()) {
    v1::InvocationRecord record;
    if (!google::protobuf::util::ParseDelimitedFromCodedStream(&record, &input, nullptr)) {
      return absl::DataLossError(absl::StrCat("the stored state of invocation ",
                                              record_.invocation_id, " cannot be read at offset ",
                                              input.CurrentPosition()));
    }
    if (!record.has_event()) continue;
    RETURN_IF_ERROR(Hold(record.event()));
    state_.Take(std::move(*record.mutable_event()), now);
  }
  return absl::OkStatus();
}

int64_t Invocation::Attach(EventStreamEnd end) {
  std::optional<EventStreamEnd> earlier;
  int64_t stream = 0;
  absl::Status failed;
  {
    absl::MutexLock lock(&mutex_);
    earlier = std::exchange(end_, end);
    unacknowledged_.clear();
    stream = ++streams_;
    failed = failed_;
  }
  if (earlier.has_value()) {
    earlier->fail(absl::AbortedError("replaced by a newer stream of this invocation"));
  }
  if (!failed.ok()) end.fail(failed);
  return stream;
}

void Invocation::Detach(int64_t stream) {
  absl::MutexLock lock(&mutex_);
  if (stream == streams_) end_.reset();
}

bool Invocation::HasStream() const {
  absl::MutexLock lock(&mutex_);
  return end_.has_value();
}

absl::Status Invocation::CheckStream(int64_t stream) const {
  if (!failed_.ok()) return failed_;
  if (stream == streams_) return absl::OkStatus();
  return absl::AbortedError("replaced by a newer stream of this invocation");
}

absl::Status Invocation::Keep(BuildEvent event) {
  v1::InvocationRecord record;
  *record.mutable_event() = event;
  RETURN_IF_ERROR(Hold(event));
  pending_bytes_ += DelimitedRecord(record);
  pending_.push_back(std::move(event));
  return absl::OkStatus();
}

absl::Status Invocation::Hold(const BuildEvent& event) {
  const uint64_t bytes = MemoryOf(event);
  if (bytes > limits_.kept_bytes - kept_bytes_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the relevant events of this invocation take more than ", limits_.kept_bytes,
                     " bytes of memory; test fewer targets at once"));
  }
  if (!kept_.Take(record_.project, bytes)) {
    return Overloaded("the events of running invocations use all available memory",
                      kComeBackForMemory, "EVENT_MEMORY");
  }
  kept_bytes_ += bytes;
  return absl::OkStatus();
}

bool Invocation::HasReceived(int64_t sequence) const {
  absl::MutexLock lock(&mutex_);
  return sequence <= received_;
}

absl::Status Invocation::Receive(int64_t stream, int64_t sequence,
                                 std::optional<BuildEvent> event) {
  {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &Invocation::HasRoom));
    RETURN_IF_ERROR(CheckStream(stream));
    if (sequence < 1 || sequence > received_ + 1) {
      return absl::InvalidArgumentError(absl::StrCat("sequence_number: is ", sequence,
                                                     "; the next event of this invocation is ",
                                                     received_ + 1));
    }
    if (sequence > limits_.events) {
      return absl::ResourceExhaustedError(
          absl::StrCat("an invocation may have at most ", limits_.events, " events"));
    }
    if (sequence > received_) {
      if (record_.state == store::InvocationState::kEnded && event.has_value()) {
        return absl::FailedPreconditionError("the invocation has ended and accepts no more events");
      }
      if (event.has_value()) {
        RETURN_IF_ERROR(Keep(*std::move(event)));
      }
      received_ = sequence;
      PassOverTheRest();
    }
    unacknowledged_.push_back(sequence);
    if (sequence > durable_) return absl::OkStatus();
  }
  Acknowledge();
  return absl::OkStatus();
}

void Invocation::PassOverTheRest() {
  const bool has_all = record_.state == store::InvocationState::kEnded || state_.ended();
  const bool commits = committing_to_ > durable_;
  if (has_all && !commits && pending_.empty()) durable_ = received_;
}

void Invocation::Acknowledge() {
  absl::MutexLock lock(&mutex_);
  if (acknowledging_) return;
  acknowledging_ = true;
  while (end_.has_value() && !unacknowledged_.empty() && unacknowledged_.front() <= durable_) {
    const int64_t sequence = unacknowledged_.front();
    unacknowledged_.pop_front();
    const std::function<void(int64_t)> acknowledge = end_->acknowledge;
    mutex_.Unlock();
    acknowledge(sequence);
    mutex_.Lock();
  }
  acknowledging_ = false;
}

absl::Status Invocation::AwaitDurable(int64_t stream) {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(this, &Invocation::IsDurable));
  return CheckStream(stream);
}

std::optional<store::InvocationSegment> Invocation::TakeSegment() {
  absl::MutexLock lock(&mutex_);
  if (received_ == durable_ || !failed_.ok()) return std::nullopt;
  store::InvocationSegment segment;
  segment.id = record_.id;
  segment.after = durable_;
  segment.last_sequence = received_;
  segment.records = std::exchange(pending_bytes_, "");
  committing_to_ = received_;
  committing_bytes_ = segment.records.size();
  committing_ = std::exchange(pending_, {});
  for (const BuildEvent& event : committing_) segment.complete |= event.last_message();
  return segment;
}

void Invocation::Committed(absl::Time now) {
  {
    absl::MutexLock lock(&mutex_);
    for (BuildEvent& event : committing_) state_.Take(std::move(event), now);
    committing_.clear();
    committing_bytes_ = 0;
    durable_ = committing_to_;
    PassOverTheRest();
    // AwaitDurable wakes when all acknowledgements are sent (IsDurable).
    if (unacknowledged_.empty() || !end_.has_value()) return;
  }
  Acknowledge();
}

void Invocation::Fail(const absl::Status& status) {
  std::optional<EventStreamEnd> end;
  {
    absl::MutexLock lock(&mutex_);
    if (!failed_.ok()) return;
    failed_ = status;
    end = end_;
  }
  if (end.has_value()) end->fail(status);
}

bool Invocation::HasFailed() const {
  absl::MutexLock lock(&mutex_);
  return !failed_.ok();
}

std::vector<size_t> Invocation::TakeReady() {
  absl::MutexLock lock(&mutex_);
  return state_.TakeReady();
}

ReadyAttempt Invocation::Ready(size_t index) {
  absl::MutexLock lock(&mutex_);
  ReadyAttempt ready;
  ready.attempt = state_.Attempt(index);
  ready.run = state_.RunOf(ready.attempt);
  ready.may_wait = !state_.ended();
  ready.wants_log = state_.WantsLogOf(index, ready.attempt);
  return ready;
}

void Invocation::Done(size_t index, const RecordedAttempt& recorded) {
  absl::MutexLock lock(&mutex_);
  if (run_id_ == 0) run_id_ = recorded.run_id;
  state_.Done(index, recorded);
}

void Invocation::PutBack(size_t index) {
  absl::MutexLock lock(&mutex_);
  state_.PutBack(index);
}

InvocationNews Invocation::TakeNews() {
  absl::MutexLock lock(&mutex_);
  InvocationNews news;
  if (!told_about_ && state_.RunIsKnown()) {
    told_about_ = true;
    news.command_line = state_.command_line();
    const absl::StatusOr<v1::RunInfo> run = state_.Run();
    if (run.ok()) {
      news.about = *run;
    } else {
      news.note = std::string(run.status().message());
    }
  }
  news.targets = state_.TakeChangedTargets();
  if (!told_run_ && run_id_ != 0) {
    told_run_ = true;
    news.run_id = run_id_;
  }
  if (!told_done_ && state_.IsDone()) told_done_ = news.done = true;
  return news;
}

bool Invocation::IsDone() const {
  absl::MutexLock lock(&mutex_);
  return state_.IsDone();
}

bool Invocation::HasEnded() const {
  absl::MutexLock lock(&mutex_);
  return state_.ended();
}

}  // namespace gprofhub::collector
