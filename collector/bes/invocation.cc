#include "collector/bes/invocation.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/delimited_message_util.h>

#include "absl/strings/str_cat.h"
#include "collector/calls/overloaded.h"
#include "proto/invocation.pb.h"

namespace gprofhub::collector {
namespace {

using build_events::BuildEvent;

constexpr absl::Duration kComeBack = absl::Seconds(30);

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
  if (!kept_.Take(record_.project, records.size())) {
    return Overloaded("the events of invocations under way take all the memory that there is",
                      kComeBack, "EVENT_MEMORY");
  }
  kept_bytes_ = records.size();
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(records.data()),
                                               static_cast<int>(records.size()));
  while (static_cast<size_t>(input.CurrentPosition()) < records.size()) {
    v1::InvocationRecord record;
    if (!google::protobuf::util::ParseDelimitedFromCodedStream(&record, &input, nullptr)) {
      return absl::DataLossError(absl::StrCat("what is kept of invocation ", record_.invocation_id,
                                              " cannot be read at offset ",
                                              input.CurrentPosition()));
    }
    if (record.has_event()) state_.Take(std::move(*record.mutable_event()), now);
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
    earlier->fail(absl::AbortedError("another stream of this invocation has taken its place"));
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
  return absl::AbortedError("another stream of this invocation has taken its place");
}

absl::Status Invocation::Keep(BuildEvent event) {
  v1::InvocationRecord record;
  *record.mutable_event() = event;
  const std::string bytes = DelimitedRecord(record);
  if (bytes.size() > limits_.kept_bytes - kept_bytes_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the events of this invocation that matter here have more than ",
                     limits_.kept_bytes, " bytes: test fewer targets at once"));
  }
  if (!kept_.Take(record_.project, bytes.size())) {
    return Overloaded("the events of invocations under way take all the memory that there is",
                      kComeBack, "EVENT_MEMORY");
  }
  kept_bytes_ += bytes.size();
  pending_bytes_ += bytes;
  pending_.push_back(std::move(event));
  return absl::OkStatus();
}

absl::Status Invocation::Receive(int64_t stream, int64_t sequence,
                                 std::optional<BuildEvent> event) {
  {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &Invocation::HasRoom));
    if (absl::Status status = CheckStream(stream); !status.ok()) return status;
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
        return absl::FailedPreconditionError("the invocation has ended: it takes no more events");
      }
      if (event.has_value()) {
        if (absl::Status status = Keep(*std::move(event)); !status.ok()) return status;
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

std::vector<ReadyAttempt> Invocation::TakeReady() {
  absl::MutexLock lock(&mutex_);
  std::vector<ReadyAttempt> ready;
  for (const size_t index : state_.TakeReady()) {
    ReadyAttempt one;
    one.index = index;
    one.attempt = state_.Attempt(index);
    one.run = state_.RunOf(one.attempt);
    one.may_wait = !state_.ended();
    one.wants_log = state_.WantsLogOf(index, one.attempt);
    ready.push_back(std::move(one));
  }
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
