#include "collector/bes/event_forwarder.h"

#include <grpcpp/client_context.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "proto/publish_build_event.pb.h"

namespace gprofhub::collector {

namespace {

constexpr char kMethod[] =
    "/google.devtools.build.v1.PublishBuildEvent/PublishBuildToolEventStream";

// Whether the same events may be accepted later.
bool MayBeTakenLater(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::OK:  // it ended without acknowledging all events
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::ABORTED:
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
    case grpc::StatusCode::UNKNOWN:
      return true;
    default:
      return false;
  }
}

}  // namespace

// All methods except the reactions are called under the relay's lock.
class EventRelay::Attempt final
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit Attempt(std::shared_ptr<EventRelay> relay) : relay_(std::move(relay)) {}

  void Start(grpc::GenericStub& stub, const CallHeaders& headers) {
    for (const auto& [name, value] : headers) call_.AddMetadata(name, value);
    stub.PrepareBidiStreamingCall(&call_, kMethod, {}, this);
    AddHold();  // for writes outside of reactions
    StartRead(&read_);
    StartCall();
  }
  bool may_write() const { return may_write_; }
  void Write(const grpc::ByteBuffer& message) {
    written_ = message;
    StartWrite(&written_);
  }
  void WriteNoMore() {
    if (!std::exchange(may_write_, false)) return;
    StartWritesDone();
    RemoveHold();
  }
  void DropHold() {
    if (std::exchange(may_write_, false)) RemoveHold();
  }
  void Cancel() { call_.TryCancel(); }

  void OnWriteDone(bool ok) override { relay_->Written(ok); }
  void OnReadDone(bool ok) override {
    if (!ok) return relay_->SaysNoMore();
    google::devtools::build::v1::PublishBuildToolEventStreamResponse response;
    const bool good =
        grpc::SerializationTraits<decltype(response)>::Deserialize(&read_, &response).ok();
    relay_->Acknowledged(good ? response.sequence_number() : 0);
    StartRead(&read_);
  }
  void OnDone(const grpc::Status& status) override {
    relay_->Done(status);
    delete this;
  }

 private:
  const std::shared_ptr<EventRelay> relay_;
  grpc::ClientContext call_;
  grpc::ByteBuffer written_;
  grpc::ByteBuffer read_;
  bool may_write_ = true;
};

EventRelay::EventRelay(RelaySurroundings& surroundings, std::string project, std::string name)
    : surroundings_(surroundings),
      project_(std::move(project)),
      name_(std::move(name)),
      moved_(surroundings.now()) {}

EventRelay::~EventRelay() {
  absl::MutexLock lock(&mutex_);
  for (const Held& held : held_) Release(held);
}

void EventRelay::Release(const Held& held) {
  held_bytes_ -= held.bytes;
  surroundings_.held.Give(project_, held.bytes);
}

void EventRelay::Pass(int64_t sequence, absl::string_view request) {
  absl::MutexLock lock(&mutex_);
  if (over_ || sequence <= newest_) return;
  if (request.size() > surroundings_.limits.relay_bytes - held_bytes_ ||
      !surroundings_.held.Take(project_, request.size())) {
    return GiveUp("it accepts events too slowly");
  }
  newest_ = sequence;
  if (held_.empty()) moved_ = surroundings_.now();
  held_bytes_ += request.size();
  const grpc::Slice slice(request.data(), request.size());
  held_.push_back({sequence, grpc::ByteBuffer(&slice, 1), request.size()});
  if (attempt_ == nullptr && surroundings_.now() >= next_attempt_) Begin();
  WriteNext();
}

void EventRelay::Attach() {
  absl::MutexLock lock(&mutex_);
  ++streams_;
  detached_ = absl::InfiniteFuture();
}

void EventRelay::Detach(bool whole) {
  absl::MutexLock lock(&mutex_);
  if (--streams_ == 0) detached_ = surroundings_.now();
  if (!whole) return;
  is_whole_ = true;
  if (held_.empty() && attempt_ == nullptr) End();
  WriteNext();
}

void EventRelay::Begin() {
  // Deletes itself (Attempt::OnDone).
  attempt_ = new Attempt(shared_from_this());
  sent_ = 0;
  writing_ = false;
  attempt_->Start(surroundings_.stub, surroundings_.headers);
}

void EventRelay::WriteNext() {
  if (over_ || attempt_ == nullptr || writing_ || !attempt_->may_write()) return;
  if (sent_ < held_.size()) {
    writing_ = true;
    // Incremented first: the acknowledgement may arrive before the completion of the write.
    attempt_->Write(held_[sent_++].message);
  } else if (is_whole_) {
    attempt_->WriteNoMore();
  }
}

void EventRelay::Written(bool ok) {
  absl::MutexLock lock(&mutex_);
  writing_ = false;
  if (ok) return WriteNext();
  if (attempt_ != nullptr) attempt_->DropHold();
}

void EventRelay::Acknowledged(int64_t sequence) {
  absl::MutexLock lock(&mutex_);
  if (over_) return;
  if (sent_ == 0 || held_.front().sequence > sequence) {
    if (++useless_ > surroundings_.limits.useless_responses) {
      GiveUp("its responses acknowledge nothing");
    }
    return;
  }
  while (sent_ > 0 && !held_.empty() && held_.front().sequence <= sequence) {
    Release(held_.front());
    held_.pop_front();
    --sent_;
    moved_ = surroundings_.now();
  }
}

void EventRelay::SaysNoMore() {
  absl::MutexLock lock(&mutex_);
  if (attempt_ != nullptr) attempt_->DropHold();
}

void EventRelay::Done(const grpc::Status& status) {
  absl::MutexLock lock(&mutex_);
  attempt_ = nullptr;
  writing_ = false;
  if (over_) return;
  if (is_whole_ && held_.empty()) return End();
  if (!MayBeTakenLater(status.error_code())) {
    return GiveUp(absl::StrCat("it responded: ", base::Printable(status.error_message())));
  }
  next_attempt_ = surroundings_.now() + surroundings_.limits.try_again_in;
}

bool EventRelay::Look(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const absl::Duration patience = surroundings_.limits.patience;
  if (!over_ && !held_.empty() && now - moved_ > patience) GiveUp("it does not acknowledge events");
  if (!over_ && !is_whole_ && now - detached_ > patience) GiveUp("the client has disconnected");
  if (!over_ && is_whole_ && !held_.empty() && now - detached_ > surroundings_.limits.after_end) {
    GiveUp("it acknowledges events too slowly");
  }
  // It has acknowledged all events but does not end its stream.
  if (!over_ && is_whole_ && now - std::max(detached_, moved_) > patience) End();
  if (!over_ && attempt_ == nullptr && !held_.empty() && now >= next_attempt_) {
    Begin();
    WriteNext();
  }
  return !over_ || attempt_ != nullptr;
}

void EventRelay::Cut() {
  absl::MutexLock lock(&mutex_);
  if (!over_) End();
}

bool EventRelay::WasGivenUp() const {
  absl::MutexLock lock(&mutex_);
  return given_up_;
}

void EventRelay::GiveUp(const std::string& why) {
  spdlog::warn("events of {} are no longer forwarded to the other build event service: {}", name_,
               why);
  given_up_ = true;
  End();
}

void EventRelay::End() {
  over_ = true;
  for (const Held& held : held_) Release(held);
  held_.clear();
  sent_ = 0;
  if (attempt_ == nullptr) return;
  attempt_->Cancel();
  attempt_->DropHold();
}

namespace {

constexpr char kLifecycleMethod[] =
    "/google.devtools.build.v1.PublishBuildEvent/PublishLifecycleEvent";
constexpr absl::Duration kWhileEnding = absl::Milliseconds(10);

}  // namespace

struct EventForwarder::LifecycleCall {
  grpc::ClientContext call;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
};

EventForwarder::EventForwarder(std::shared_ptr<grpc::Channel> service, Options options)
    : options_(std::move(options)),
      surroundings_{grpc::GenericStub(std::move(service)), options_.headers, options_.limits,
                    FairShare(options_.limits.all_bytes), options_.now},
      watching_([this] { Watch(); }) {}

EventForwarder::~EventForwarder() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_.Set();
    for (const auto& [key, relay] : relays_) relay->Cut();
    for (LifecycleCall* const one : lifecycle_) one->call.TryCancel();
    mutex_.Await(absl::Condition(
        +[](std::set<LifecycleCall*>* calls) { return calls->empty(); }, &lifecycle_));
  }
  watching_.join();
}

std::shared_ptr<EventRelay> EventForwarder::Begin(const std::string& project,
                                                  const std::string& invocation_id,
                                                  const std::string& build_id) {
  std::shared_ptr<EventRelay> relay;
  {
    absl::MutexLock lock(&mutex_);
    std::shared_ptr<EventRelay>& place = relays_[{project, invocation_id, build_id}];
    if (place == nullptr) {
      place = std::make_shared<EventRelay>(surroundings_, project,
                                           absl::StrCat("invocation ", invocation_id));
    }
    relay = place;
  }
  relay->Attach();
  return relay;
}

void EventForwarder::PassLifecycle(absl::string_view request) {
  LifecycleCall* one = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    if (stopping_.IsSet() || lifecycle_.size() >= options_.lifecycle_calls) return;
    one = new LifecycleCall();
    lifecycle_.insert(one);
  }
  for (const auto& [name, value] : options_.headers) one->call.AddMetadata(name, value);
  one->call.set_deadline(absl::ToChronoTime(absl::Now() + options_.lifecycle_deadline));
  const grpc::Slice slice(request.data(), request.size());
  one->request = grpc::ByteBuffer(&slice, 1);
  surroundings_.stub.UnaryCall(&one->call, kLifecycleMethod, {}, &one->request, &one->response,
                               [this, one](const grpc::Status& status) {
                                 if (!status.ok()) {
                                   spdlog::info("a build lifecycle event was not forwarded: {}",
                                                base::Printable(status.error_message()));
                                 }
                                 absl::MutexLock lock(&mutex_);
                                 lifecycle_.erase(one);
                                 delete one;
                               });
}

bool EventForwarder::LookAtAll() {
  const absl::Time now = options_.now();
  absl::MutexLock lock(&mutex_);
  for (auto one = relays_.begin(); one != relays_.end();) {
    if (one->second->Look(now)) {
      ++one;
      continue;
    }
    given_up_ += one->second->WasGivenUp() ? 1 : 0;
    one = relays_.erase(one);
  }
  return !relays_.empty();
}

void EventForwarder::Watch() {
  while (!stopping_.WaitFor(options_.look_every)) LookAtAll();
  // Cancelled calls end soon.
  while (LookAtAll()) absl::SleepFor(kWhileEnding);
}

}  // namespace gprofhub::collector
