#include "collector/calls/call_server.h"

#include <grpcpp/support/status.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "collector/calls/grpc_call.h"
#include "collector/calls/overloaded.h"

namespace gprofhub::collector {
namespace {

constexpr int kCutAtOnce = 32;
constexpr absl::Duration kBetweenCuts = absl::Milliseconds(2);
constexpr size_t kShownBytes = 100;  // of a name that any client may have sent
constexpr absl::Duration kComeBack = absl::Seconds(2);

// Reactor that ends a call at once.
class Refusal final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

// "peer ipv4:10.0.0.7" of "ipv4:10.0.0.7:51234".
std::string OwnerOf(absl::string_view peer) {
  return absl::StrCat("peer ", peer.substr(0, peer.rfind(':')));
}

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
  const std::string owner = OwnerOf(context->peer());
  auto place = std::make_unique<Holding>(places_);
  if (!place->Take(owner, 1)) {
    const absl::Status status = Overloaded("too many calls are open", kComeBack, "CALLS");
    options_.on_ended({method->second.name, status.code(), RefusalOf(status), {}, 0, 0});
    TurnedAway(context->peer(), status);
    context->AddTrailingMetadata("grpc-retry-pushback-ms",
                                 absl::StrCat(absl::ToInt64Milliseconds(kComeBack)));
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
  spdlog::warn("{} calls were turned away unread; the last: {}", turned_away_, last_turned_away_);
  turned_away_ = 0;
}

}  // namespace gprofhub::collector
