#include "cli/listen/hook_listener.h"

#include <httplib.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/sha256.h"
#include "cli/listen/peer_stream.h"
#include "reporter/forge/hooks/replay_memory.h"

namespace gprofhub::cli {
namespace {

// What request line and headers may have beside the body.
constexpr size_t kMaxHeaderBytes = 64 << 10;

// httplib's parser and routes, without its sockets.
class Parser final : public httplib::Server {
 public:
  void Serve(httplib::Stream& stream) {
    bool closed = false;
    process_request(stream, /*close_connection=*/true, closed, nullptr);
  }
};

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
  Impl(HookListenerOptions options, OnComment on_comment, int fd, int wake, ListenAddress address)
      : options_(std::move(options)),
        on_comment_(std::move(on_comment)),
        memory_(options_.remember, options_.remember_for),
        address_(std::move(address)),
        fd_(fd),
        wake_(wake) {
    parser_.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          const int refusal = RefusalOf(request, options_.max_body_bytes);
          if (refusal == 0) return httplib::Server::HandlerResponse::Unhandled;
          response.status = refusal;
          return httplib::Server::HandlerResponse::Handled;
        });
    parser_.Post("/", [this](const httplib::Request& request, httplib::Response& response) {
      response.status = AnswerTo(Take(request));
    });
    for (size_t i = 0; i < options_.peers; ++i) threads_.emplace_back([this] { ServePeers(); });
    threads_.emplace_back([this] { AcceptPeers(); });
  }

  ~Impl() {
    {
      absl::MutexLock lock(&mutex_);
      stopping_ = true;
      for (const int peer : active_) shutdown(peer, SHUT_RDWR);
    }
    const uint64_t one = 1;
    (void)!write(wake_, &one, sizeof(one));
    for (std::thread& thread : threads_) thread.join();
    for (const int peer : waiting_) close(peer);
    close(fd_);
    close(wake_);
  }

  const ListenAddress& address() const { return address_; }

 private:
  void AcceptPeers() {
    while (true) {
      pollfd ready[] = {{fd_, POLLIN, 0}, {wake_, POLLIN, 0}};
      if (poll(ready, 2, -1) < 0 && errno != EINTR) return;
      if (ready[1].revents != 0) return;
      const int peer = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      const bool no_more_files = peer < 0 && (errno == EMFILE || errno == ENFILE);
      if (peer < 0 && !no_more_files) continue;
      absl::MutexLock lock(&mutex_);
      if (peer >= 0) waiting_.push_back(peer);
      // All places are taken, or there are no more files: the oldest have to go.
      const bool full = active_.size() == options_.peers || no_more_files;
      if (full && !active_.empty()) shutdown(active_.front(), SHUT_RDWR);
      const auto has_room = [this] {
        mutex_.AssertReaderHeld();
        return stopping_ || waiting_.size() < options_.peers;
      };
      mutex_.Await(absl::Condition(&has_room));
    }
  }

  void ServePeers() {
    while (true) {
      std::list<int>::iterator place;
      {
        absl::MutexLock lock(&mutex_);
        const auto has_work = [this] {
          mutex_.AssertReaderHeld();
          return stopping_ || !waiting_.empty();
        };
        mutex_.Await(absl::Condition(&has_work));
        if (stopping_) return;
        place = active_.insert(active_.end(), waiting_.front());
        waiting_.pop_front();
        // Others wait for a place.
        if (active_.size() == options_.peers && !waiting_.empty()) {
          shutdown(active_.front(), SHUT_RDWR);
        }
      }
      PeerStream stream(*place, absl::Now() + options_.patience,
                        kMaxHeaderBytes + options_.max_body_bytes);
      parser_.Serve(stream);
      absl::MutexLock lock(&mutex_);
      shutdown(*place, SHUT_RDWR);
      close(*place);
      active_.erase(place);
    }
  }

  absl::Status Take(const httplib::Request& from) {
    reporter::HookRequest request;
    for (const auto& [name, value] : from.headers) {
      request.headers[absl::AsciiStrToLower(name)] = value;
    }
    request.body = from.body;
    const absl::StatusOr<std::optional<reporter::HookComment>> comment =
        reporter::ReadHook(request, options_.secret);
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
  reporter::ReplayMemory memory_;
  const ListenAddress address_;
  const int fd_;
  const int wake_;
  Parser parser_;
  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<int> waiting_ ABSL_GUARDED_BY(mutex_);
  std::list<int> active_ ABSL_GUARDED_BY(mutex_);  // oldest first
  std::vector<std::thread> threads_;
};

HookListener::HookListener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HookListener::~HookListener() = default;

const ListenAddress& HookListener::address() const { return impl_->address(); }

absl::StatusOr<std::unique_ptr<HookListener>> HookListener::Start(HookListenerOptions options,
                                                                  OnComment on_comment) {
  ListenAddress address = options.listen;
  const absl::StatusOr<int> fd = ListenOn(address);
  if (!fd.ok()) return fd.status();
  const int wake = eventfd(0, EFD_CLOEXEC);
  if (wake < 0) {
    close(*fd);
    return absl::ResourceExhaustedError("there are no more files for this process");
  }
  return std::unique_ptr<HookListener>(new HookListener(std::make_unique<Impl>(
      std::move(options), std::move(on_comment), *fd, wake, std::move(address))));
}

}  // namespace gprofhub::cli
