#include "collector/bes/forward/event_forwarder.h"

#include <grpcpp/client_context.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/printable.h"

namespace gprofhub::collector {
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
                                   spdlog::info(
                                       "an event about a build's lifecycle was not passed on: {}",
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
