#include "cli/listen/hook_listener.h"

#include <httplib.h>
#include <spdlog/spdlog.h>

#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/ascii.h"
#include "absl/synchronization/mutex.h"
#include "base/sha256.h"
#include "cli/listen/http_peers.h"
#include "reporter/forge/hooks/replay_memory.h"

namespace gprofhub::cli {
namespace {

// Size limit of request line and headers, in addition to the body.
constexpr size_t kMaxHeaderBytes = 64 << 10;

// 0, or how a request is refused before its body is read.
int RefusalOf(const httplib::Request& request, size_t max_body_bytes) {
  if (request.path != "/") return 404;
  if (request.method != "POST") return 405;
  // Packed bodies may grow without bound.
  if (request.has_header("Content-Encoding")) return 415;
  if (request.has_header("Transfer-Encoding") || !request.has_header("Content-Length")) return 411;
  return request.get_header_value<uint64_t>("Content-Length") > max_body_bytes ? 413 : 0;
}

int AnswerTo(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 204;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kInvalidArgument:
      return 400;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kAlreadyExists:
      return 409;
    default:
      return 503;
  }
}

}  // namespace

class HookListener::Impl {
 public:
  Impl(HookListenerOptions options, OnComment on_comment)
      : options_(std::move(options)),
        on_comment_(std::move(on_comment)),
        secret_(options_.secret),
        memory_(options_.remember, options_.remember_for) {}

  absl::Status Listen() {
    HttpPeers::Options bounds;
    bounds.peers = options_.peers;
    bounds.patience = options_.patience;
    bounds.max_bytes = kMaxHeaderBytes + options_.max_body_bytes;
    absl::StatusOr<std::unique_ptr<HttpPeers>> peers = HttpPeers::Start(
        options_.listen, bounds, [this](httplib::Server& server) { AddRoutes(server); });
    if (!peers.ok()) return peers.status();
    peers_ = *std::move(peers);
    return absl::OkStatus();
  }

  const ListenAddress& address() const { return peers_->address(); }

  void SetSecret(std::string secret) {
    absl::MutexLock lock(&mutex_);
    secret_ = std::move(secret);
  }

 private:
  void AddRoutes(httplib::Server& server) {
    server.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          const int refusal = RefusalOf(request, options_.max_body_bytes);
          if (refusal == 0) return httplib::Server::HandlerResponse::Unhandled;
          response.status = refusal;
          options_.on_answered(refusal);
          return httplib::Server::HandlerResponse::Handled;
        });
    server.Post("/", [this](const httplib::Request& request, httplib::Response& response) {
      response.status = AnswerTo(Take(request));
      options_.on_answered(response.status);
    });
  }

  std::string Secret() const {
    absl::MutexLock lock(&mutex_);
    return secret_;
  }

  absl::Status Take(const httplib::Request& from) {
    reporter::HookRequest request;
    for (const auto& [name, value] : from.headers) {
      request.headers[absl::AsciiStrToLower(name)] = value;
    }
    request.body = from.body;
    const absl::StatusOr<std::optional<reporter::HookComment>> comment =
        reporter::ReadHook(request, Secret());
    if (!comment.ok()) {
      spdlog::warn("webhook: {}", std::string(comment.status().message()));
      return comment.status();
    }
    if (!comment->has_value()) return absl::OkStatus();
    // The delivery's own number is in a header, which no signature covers.
    const std::string key = base::Sha256Hex(request.body);
    const absl::Time now = options_.now();
    if (memory_.Knows(key, now)) return absl::AlreadyExistsError("it came before");
    const absl::Status told = on_comment_(**comment);
    if (told.ok()) memory_.Remember(key, now);
    return told;
  }

  const HookListenerOptions options_;
  const OnComment on_comment_;
  mutable absl::Mutex mutex_;
  std::string secret_ ABSL_GUARDED_BY(mutex_);
  reporter::ReplayMemory memory_;
  std::unique_ptr<HttpPeers> peers_;  // last: its handlers use the above
};

HookListener::HookListener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HookListener::~HookListener() = default;

const ListenAddress& HookListener::address() const { return impl_->address(); }

void HookListener::SetSecret(std::string secret) { impl_->SetSecret(std::move(secret)); }

absl::StatusOr<std::unique_ptr<HookListener>> HookListener::Start(HookListenerOptions options,
                                                                  OnComment on_comment) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(on_comment));
  if (absl::Status status = impl->Listen(); !status.ok()) return status;
  return std::unique_ptr<HookListener>(new HookListener(std::move(impl)));
}

}  // namespace gprofhub::cli
