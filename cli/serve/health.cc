#include "cli/serve/health.h"

#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/end_flag.h"
#include "collector/calls/bounded_parse.h"
#include "collector/calls/overloaded.h"

namespace gprofhub::cli {
namespace {

constexpr absl::Duration kLongestWatch = absl::Hours(1);
constexpr absl::Duration kComeBack = absl::Seconds(30);

std::string MessageOf(v1::HealthCheckResponse::ServingStatus status) {
  v1::HealthCheckResponse response;
  response.set_status(status);
  return response.SerializeAsString();
}

absl::Status Stopping() {
  return absl::UnavailableError("the server stops: watch it again in a moment");
}

class Checker final : public collector::CallHandler {
 public:
  explicit Checker(const IsServing& is_serving) : is_serving_(is_serving) {}

  absl::Status Receive(absl::string_view bytes) override {
    return collector::ParseBounded(bytes, request_);
  }
  absl::StatusOr<collector::NextMessage> Answer() override {
    const std::optional<bool> serving = is_serving_(request_.service());
    if (!serving.has_value()) return absl::NotFoundError("service: is none of this process");
    return collector::OneMessage(MessageOf(*serving ? v1::HealthCheckResponse::SERVING
                                                    : v1::HealthCheckResponse::NOT_SERVING));
  }

 private:
  const IsServing& is_serving_;
  v1::HealthCheckRequest request_;
};

}  // namespace

class HealthService::Watcher final : public collector::CallHandler {
 public:
  Watcher(HealthService& service, collector::CallContext context)
      : service_(service), context_(std::move(context)), place_(service.places_) {}
  ~Watcher() override { service_.Remove(*this); }

  absl::Status Receive(absl::string_view bytes) override {
    return collector::ParseBounded(bytes, request_);
  }
  absl::StatusOr<collector::NextMessage> Answer() override {
    if (!place_.Take(context_.owner, 1)) {
      return collector::Overloaded("too many streams watch this server's health: ask Check",
                                   kComeBack, "WATCHERS");
    }
    absl::Status status =
        service_.Add(*this, {request_.service(), context_.send, context_.fail, {}});
    if (!status.ok()) return status;
    return nullptr;
  }

 private:
  HealthService& service_;
  const collector::CallContext context_;
  collector::Holding place_;
  v1::HealthCheckRequest request_;
};

HealthService::HealthService(IsServing is_serving, const Options& options)
    : is_serving_(std::move(is_serving)),
      look_every_(options.look_every),
      places_(options.watchers),
      telling_([this] { TellOfChanges(); }) {}

HealthService::~HealthService() {
  Stop();
  telling_.join();
}

void HealthService::Stop() {
  std::map<const Watcher*, Watched> watchers;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    watchers.swap(watchers_);
    changed_.notify_all();
  }
  for (const auto& [watcher, watched] : watchers) watched.fail(Stopping());
}

std::vector<collector::Method> HealthService::Methods() {
  collector::Method check;
  check.name = "/grpc.health.v1.Health/Check";
  check.for_everybody = true;
  check.start = [this](const collector::CallContext&) {
    return std::make_unique<Checker>(is_serving_);
  };
  collector::Method watch;
  watch.name = "/grpc.health.v1.Health/Watch";
  watch.for_everybody = true;
  watch.longest = kLongestWatch;
  watch.start = [this](collector::CallContext context) {
    return std::make_unique<Watcher>(*this, std::move(context));
  };
  return {std::move(check), std::move(watch)};
}

HealthService::Status HealthService::StatusOf(const std::string& service) const {
  const std::optional<bool> serving = is_serving_(service);
  if (!serving.has_value()) return v1::HealthCheckResponse::SERVICE_UNKNOWN;
  return *serving ? v1::HealthCheckResponse::SERVING : v1::HealthCheckResponse::NOT_SERVING;
}

absl::Status HealthService::Add(const Watcher& watcher, Watched watched) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stopping_) return Stopping();
  watchers_[&watcher] = std::move(watched);
  has_new_ = true;
  changed_.notify_all();
  return absl::OkStatus();
}

void HealthService::Remove(const Watcher& watcher) {
  const std::lock_guard<std::mutex> lock(mutex_);
  watchers_.erase(&watcher);
}

void HealthService::TellOfChanges() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    std::vector<std::pair<std::function<void(std::string message)>, Status>> news;
    for (auto& [watcher, watched] : watchers_) {
      const Status status = StatusOf(watched.service);
      if (watched.sent == status) continue;
      watched.sent = status;
      news.emplace_back(watched.send, status);
    }
    has_new_ = false;
    // A call that ends meanwhile takes the lock.
    lock.unlock();
    for (const auto& [send, status] : news) send(MessageOf(status));
    news.clear();
    lock.lock();
    base::WaitFor(changed_, lock, look_every_, [this] { return stopping_ || has_new_; });
  }
}

}  // namespace gprofhub::cli
