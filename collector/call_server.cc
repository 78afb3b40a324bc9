#include "collector/call_server.h"

#include <grpcpp/support/slice.h>
#include <grpcpp/support/status.h>
#include <spdlog/spdlog.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log_fields.h"
#include "base/text.h"
#include "collector/fair_pool.h"
#include "collector/grpc_call.h"

namespace gprofhub::collector {

namespace {

constexpr absl::Duration kComeBackForACall = absl::Seconds(2);
// Limit on queued messages for a client that does not read.
constexpr size_t kMostUnsent = 50'000;
// Of a message. Shorter ones take little memory once parsed.
constexpr uint64_t kReservedFrom = 64 << 10;
// A stream's end records what it sent: its caller's rights may be this old.
constexpr absl::Duration kRightsAtEnd = absl::Seconds(1);

// Refused for lack of permission; the access layer counts and logs these.
bool IsRefusal(const absl::Status& status) {
  return absl::IsUnauthenticated(status) || absl::IsPermissionDenied(status);
}

// Client errors: nothing for an operator to do.
spdlog::level::level_enum LevelOf(const Method& method, const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kCancelled:
      return method.one_message ? spdlog::level::info : spdlog::level::warn;
    default:
      return spdlog::level::warn;
  }
}

}  // namespace

Call::Call(const CallSurroundings& surroundings, const Method& method,
           grpc::GenericCallbackServerContext& context, const std::string& peer_owner,
           std::unique_ptr<Holding> holding)
    : surroundings_(surroundings),
      method_(method),
      peer_(context.peer()),
      request_(RequestIdOf(context)),
      started_(surroundings.now()),
      deadline_(started_ + method.longest),
      owner_(peer_owner),
      holding_(std::move(holding)),
      context_(&context),
      patience_(method.patience.value_or(surroundings.patience)),
      write_patience_(surroundings.patience) {}

void Call::Start() { Submit(&Call::Admit); }

// The call cannot end while a step waits or runs: the end of the step continues or ends it.
void Call::Submit(void (Call::*step)()) {
  surroundings_.pool.Submit(owner_, [self = shared_from_this(), step] {
    const base::LogFields fields{{"request", self->request_}};
    if (self->IsCancelled()) {
      self->End(absl::CancelledError("the stream was cancelled; nothing was stored"));
    } else {
      ((*self).*step)();
    }
  });
}

bool Call::IsCancelled() {
  absl::MutexLock lock(&mutex_);
  return context_ == nullptr || context_->IsCancelled();
}

void Call::Admit() {
  CallContext context;
  {
    absl::MutexLock lock(&mutex_);
    origin_ = OriginOf(*context_, method_.name);
    context.request_metadata = RequestMetadataOf(*context_);
  }
  if (!method_.for_everybody) {
    absl::StatusOr<Caller> caller = surroundings_.access.authenticate(origin_);
    if (!caller.ok()) {
      if (!IsRefusal(caller.status())) surroundings_.on_turned_away(peer_, caller.status());
      return End(caller.status());
    }
    if (!caller->project.empty()) {
      if (absl::Status status = TakePlaceOfProject(caller->project); !status.ok()) {
        surroundings_.on_turned_away(peer_, status);
        return End(status);
      }
    }
    context.caller = *std::move(caller);
    caller_ = context.caller;
    absl::MutexLock lock(&mutex_);
    if (!method_.one_message) checked_ = surroundings_.now();
  }
  context.request = request_;
  context.owner = owner_;
  if (surroundings_.access.charge != nullptr) context.charge = surroundings_.access.charge;
  context.cancelled = [this] { return IsCancelled(); };
  context.send = [weak = weak_from_this()](std::string message) {
    if (const std::shared_ptr<Call> call = weak.lock()) call->Send(std::move(message));
  };
  context.fail = [weak = weak_from_this()](const absl::Status& status) {
    const std::shared_ptr<Call> call = weak.lock();
    if (call == nullptr) return;
    absl::MutexLock lock(&call->mutex_);
    if (call->phase_ != Phase::kEnding && call->phase_ != Phase::kOver) call->EndSoon(status);
  };
  handler_ = method_.start(std::move(context));
  admitted_ = true;
  ReadNext();
}

// From here on the call counts towards its project, regardless of its peer.
absl::Status Call::TakePlaceOfProject(const std::string& project) {
  owner_ = absl::StrCat("project ", project);
  auto place = std::make_unique<Holding>(surroundings_.open_calls);
  if (!place->Take(owner_, 1)) {
    return Overloaded(absl::StrCat("project ", project, " has too many open calls"),
                      kComeBackForACall, "PROJECT_CALLS");
  }
  holding_ = std::move(place);
  const auto& take_call = surroundings_.access.take_call;
  return take_call == nullptr ? absl::OkStatus() : take_call(project);
}

void Call::Send(std::string message) {
  absl::MutexLock lock(&mutex_);
  if (ending_.has_value() || phase_ == Phase::kEnding || phase_ == Phase::kOver) return;
  if (unsent_.size() >= kMostUnsent) {
    return EndSoon(
        absl::AbortedError("the client does not read the responses; the call was cancelled"));
  }
  unsent_.push_back(std::move(message));
  WriteNext();
}

void Call::ReadNext() {
  absl::MutexLock lock(&mutex_);
  phase_ = Phase::kReading;
  if (ending_.has_value()) {
    phase_ = Phase::kWaiting;
    return FinishIfDue();
  }
  patience_.WaitBegins(surroundings_.now());
  StartRead(&message_);
}

void Call::OnReadDone(bool ok) {
  {
    absl::MutexLock lock(&mutex_);
    if (phase_ != Phase::kReading) return;  // cut meanwhile
    phase_ = Phase::kWorking;
    const uint64_t bytes = ok ? message_.Length() : 0;
    received_bytes_ += bytes;
    patience_.WaitEnds(surroundings_.now(), bytes);
  }
  if (ok) return Submit(&Call::ReceiveMessage);
  if (method_.one_message) return End(absl::InvalidArgumentError("the call has no message"));
  Submit(&Call::Answer);
}

void Call::ReceiveMessage() {
  grpc::Slice bytes;
  absl::Status status;
  if (const grpc::Status dumped = message_.DumpToSingleSlice(&bytes); dumped.ok()) {
    message_.Clear();
    std::optional<base::DecodingCall> parsing;
    if (surroundings_.decoding != nullptr && bytes.size() >= kReservedFrom) {
      parsing.emplace(*surroundings_.decoding, caller_.project.empty() ? owner_ : caller_.project,
                      [this] { return IsCancelled(); });
      status = parsing->Take(kMostParsedBytes);
    }
    if (status.ok()) {
      status = handler_->Receive(
          absl::string_view(reinterpret_cast<const char*>(bytes.begin()), bytes.size()));
    }
  } else {
    status = absl::InternalError(dumped.error_message());
  }
  if (!status.ok()) return End(status);
  if (method_.one_message || !handler_->WantsMore()) return Answer();
  ReadNext();
}

void Call::Recheck() {
  const absl::Status status = surroundings_.access.recheck(caller_);
  // A store that cannot be read now does not end streams.
  if (!IsRefusal(status)) return;
  surroundings_.access.note_refusal(origin_, caller_.actor, status);
  absl::MutexLock lock(&mutex_);
  if (phase_ != Phase::kEnding && phase_ != Phase::kOver) EndSoon(status);
}

void Call::RecheckIfDue(absl::Time now, absl::Duration every) {
  if (surroundings_.access.recheck == nullptr) return;
  {
    absl::MutexLock lock(&mutex_);
    if (phase_ == Phase::kEnding || phase_ == Phase::kOver || now - checked_ < every) return;
    checked_ = now;
  }
  surroundings_.pool.Submit(owner_, [self = shared_from_this()] { self->Recheck(); });
}

absl::Status Call::RecheckAtEnd() {
  if (surroundings_.access.recheck == nullptr) return absl::OkStatus();
  {
    const absl::Time now = surroundings_.now();
    absl::MutexLock lock(&mutex_);
    if (now - checked_ < kRightsAtEnd) return absl::OkStatus();
    checked_ = now;
  }
  return surroundings_.access.recheck(caller_);
}

void Call::Answer() {
  // The client may have left while its last message was handled: nothing is done for it.
  if (IsCancelled()) {
    return End(absl::CancelledError("the client cancelled the call; nothing was stored"));
  }
  if (absl::Status status = RecheckAtEnd(); !status.ok()) return End(status);
  absl::StatusOr<NextMessage> next = handler_->Answer();
  if (!next.ok()) return End(next.status());
  absl::MutexLock lock(&mutex_);
  next_ = *std::move(next);
  phase_ = Phase::kWaiting;
  if (ending_.has_value()) return FinishIfDue();
  WriteNext();
  // No other event reports that the client left before.
  if (IsKeptOpen() && context_->IsCancelled()) {
    EndSoon(absl::CancelledError("the client cancelled the call"));
  }
}

void Call::OnCancel() {
  absl::MutexLock lock(&mutex_);
  if (IsKeptOpen()) EndSoon(absl::CancelledError("the client cancelled the call"));
}

void Call::WriteNext() {
  if (writing_) return;
  std::optional<std::string> message;
  if (!unsent_.empty()) {
    message = std::move(unsent_.front());
    unsent_.pop_front();
  } else if (next_ == nullptr) {
    return;
  } else if (message = next_(); !message.has_value()) {
    return EndSoon(absl::OkStatus());
  }
  const grpc::Slice slice(*message);
  written_ = grpc::ByteBuffer(&slice, 1);
  writing_ = true;
  // A large message takes long over a slow connection.
  PatienceLimits limits = surroundings_.patience;
  limits.first += absl::Seconds(message->size() / limits.bytes_per_second);
  write_patience_ = Patience(limits);
  write_patience_.WaitBegins(surroundings_.now());
  StartWrite(&written_);
}

void Call::OnWriteDone(bool ok) {
  absl::MutexLock lock(&mutex_);
  writing_ = false;
  write_patience_.WaitEnds(surroundings_.now(), written_.Length());
  if (ok) sent_bytes_ += written_.Length();
  if (ending_.has_value()) return FinishIfDue();
  if (ok) return WriteNext();
  EndSoon(absl::CancelledError("the client does not read the response"));
}

bool Call::CutIfStalled(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const bool too_long = now >= deadline_;
  if (writing_) {
    if (phase_ == Phase::kOver || (!too_long && !write_patience_.IsOver(now))) return false;
    // A status would be queued behind the message that the client does not read.
    context_->TryCancel();
    return true;
  }
  const bool is_silent = phase_ == Phase::kReading && patience_.IsOver(now);
  if (!is_silent && !(too_long && (phase_ == Phase::kReading || IsKeptOpen()))) return false;
  EndSoon(absl::AbortedError(
      too_long ? absl::StrCat("the call took longer than ", absl::FormatDuration(method_.longest),
                              " and was cancelled")
               : "the client sends nothing, or too slowly; the call was cancelled"));
  return true;
}

void Call::End(const absl::Status& status) {
  if (admitted_ && IsRefusal(status))
    surroundings_.access.note_refusal(origin_, caller_.actor, status);
  absl::MutexLock lock(&mutex_);
  phase_ = Phase::kWaiting;
  EndSoon(OverloadedIfShort(status));
}

void Call::EndSoon(const absl::Status& status) {
  if (!ending_.has_value()) ending_ = status;
  FinishIfDue();
}

void Call::FinishIfDue() {
  if (writing_ || phase_ == Phase::kWorking) return;
  Finish(*ending_);
}

void Call::Finish(const absl::Status& status) {
  if (phase_ == Phase::kEnding || phase_ == Phase::kOver) return;
  phase_ = Phase::kEnding;
  status_ = status;
  if (admitted_ && !status.ok() && !IsRefusal(status)) LogRefusal(status);
  if (const auto delay = ComeBackIn(status); delay.has_value()) {
    context_->AddTrailingMetadata("grpc-retry-pushback-ms",
                                  absl::StrCat(absl::ToInt64Milliseconds(*delay)));
  }
  if (const auto as_of = surroundings_.as_of ? surroundings_.as_of() : std::nullopt) {
    context_->AddTrailingMetadata("gprofhub-as-of",
                                  absl::FormatTime(absl::RFC3339_sec, *as_of, absl::UTCTimeZone()));
  }
  grpc::ServerGenericBidiReactor::Finish(ToGrpcStatus(status));
}

void Call::LogRefusal(const absl::Status& status) const {
  const std::optional<uint64_t> untold = surroundings_.refused_lines.Take(surroundings_.now());
  if (!untold.has_value()) return;
  const base::LogFields fields{{"request", request_}};
  spdlog::log(LevelOf(method_, status), "{} from {} refused: {}{}", method_.name, peer_,
              status.ToString(), base::LineBudget::Untold(*untold));
}

void Call::OnDone() {
  EndedCall ended;
  std::string refusal;
  {
    absl::MutexLock lock(&mutex_);
    phase_ = Phase::kOver;
    context_ = nullptr;
    unsent_.clear();
    refusal = RefusalOf(status_);
    ended = {method_.name,    status_.code(), refusal, surroundings_.now() - started_,
             received_bytes_, sent_bytes_};
  }
  surroundings_.on_ended(ended);
  surroundings_.on_done(*this);
}

namespace {

constexpr int kCutAtOnce = 32;
constexpr absl::Duration kBetweenCuts = absl::Milliseconds(2);
constexpr size_t kShownBytes = 100;  // of a name that any client may have sent
// Reactor that ends a call at once.
class Refusal final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

CallServer::CallServer(std::vector<Method> methods, Access access, Options options)
    : options_(std::move(options)),
      access_(std::move(access)),
      places_(options_.open_calls),
      pool_(options_.threads, options_.now),
      surroundings_{
          access_,
          places_,
          pool_,
          refused_lines_,
          options_.patience,
          options_.decoding,
          options_.now,
          options_.as_of,
          [this](Call& call) {
            std::shared_ptr<Call> ended;  // destroyed without the lock
            absl::MutexLock lock(&mutex_);
            const auto found = calls_.find(&call);
            ended = std::move(found->second);
            calls_.erase(found);
          },
          [this](absl::string_view peer, const absl::Status& status) { TurnedAway(peer, status); },
          options_.on_ended} {
  for (Method& method : methods) {
    const std::string name = method.name;
    methods_.emplace(name, std::move(method));
  }
  looking_ = std::thread([this] { LookForStalled(); });
}

CallServer::~CallServer() {
  stopping_.Set();
  looking_.join();
  TellOfTurnedAway();
}

grpc::ServerGenericBidiReactor* CallServer::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  const auto method = methods_.find(context->method());
  if (method == methods_.end()) {
    const std::string name = base::Shortened(base::Printable(context->method()), kShownBytes);
    options_.on_ended({"", absl::StatusCode::kUnimplemented, "unknown_method", {}, 0, 0});
    return new Refusal(
        grpc::Status(grpc::StatusCode::UNIMPLEMENTED,
                     absl::StrCat("it does not serve ", name, "; its roles: ", options_.roles)));
  }
  const std::string owner = absl::StrCat("peer ", ClientOfPeer(context->peer()));
  auto place = std::make_unique<Holding>(places_);
  if (!place->Take(owner, 1)) {
    const absl::Status status = Overloaded("too many open calls", kComeBackForACall, "CALLS");
    options_.on_ended({method->second.name, status.code(), RefusalOf(status), {}, 0, 0});
    TurnedAway(context->peer(), status);
    context->AddTrailingMetadata("grpc-retry-pushback-ms",
                                 absl::StrCat(absl::ToInt64Milliseconds(kComeBackForACall)));
    return new Refusal(ToGrpcStatus(status));
  }
  const auto call =
      std::make_shared<Call>(surroundings_, method->second, *context, owner, std::move(place));
  {
    absl::MutexLock lock(&mutex_);
    calls_[call.get()] = call;
  }
  call->Start();
  return call.get();
}

size_t CallServer::open_calls() const {
  absl::MutexLock lock(&mutex_);
  return calls_.size();
}

void CallServer::LookForStalled() {
  while (!stopping_.WaitFor(options_.look_every)) {
    CutStalled();
    TellOfTurnedAway();
  }
}

void CallServer::CutStalled() {
  std::vector<std::shared_ptr<Call>> calls;
  {
    absl::MutexLock lock(&mutex_);
    calls.reserve(calls_.size());
    for (const auto& [key, call] : calls_) calls.push_back(call);
  }
  const absl::Time now = options_.now();
  // Calls that started together stall together. Ending thousands at one moment would delay the
  // other calls.
  int cut = 0;
  for (const std::shared_ptr<Call>& call : calls) {
    call->RecheckIfDue(now, options_.recheck_every);
    if (call->CutIfStalled(now) && ++cut % kCutAtOnce == 0) stopping_.WaitFor(kBetweenCuts);
  }
}

void CallServer::TurnedAway(absl::string_view peer, const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  ++turned_away_;
  last_turned_away_ = absl::StrCat(peer, ": ", status.ToString());
}

// One line covers many rejected calls, which must not fill the disk with log lines.
void CallServer::TellOfTurnedAway() {
  absl::MutexLock lock(&mutex_);
  if (turned_away_ == 0) return;
  spdlog::warn("{} calls were rejected unread; the last: {}", turned_away_, last_turned_away_);
  turned_away_ = 0;
}

}  // namespace gprofhub::collector
