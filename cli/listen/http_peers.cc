#include "cli/listen/http_peers.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <deque>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "cli/listen/peer_stream.h"

namespace gprofhub::cli {
namespace {

struct Place {
  explicit Place(int peer) : fd(peer) {}
  const int fd;
  // Whether the server waits for the peer, or else the peer for the server.
  std::atomic<bool> server_waits = true;
};

// httplib's parser and routes, without its sockets.
class Parser final : public httplib::Server {
 public:
  void Serve(PeerStream& stream) {
    bool closed = false;
    process_request(stream, /*close_connection=*/true, closed, [&](httplib::Request& request) {
      request.progress = [&stream](uint64_t, uint64_t) { return !stream.PeerHasLeft(); };
      const std::string accepted = request.get_header_value("Accept-Encoding");
      request.headers.erase("Accept-Encoding");
      request.headers.erase(kAcceptedEncodings);
      request.headers.emplace(kAcceptedEncodings, accepted);
    });
  }
};

}  // namespace

bool PeerHasLeft(const httplib::Request& request) { return !request.progress(0, 0); }

class HttpPeers::Impl {
 public:
  Impl(const Options& options, const Routes& routes, std::vector<int> fds, int wake,
       ListenAddress address)
      : options_(options), address_(std::move(address)), fds_(std::move(fds)), wake_(wake) {
    routes(parser_);
    for (size_t i = 0; i < options_.peers; ++i) threads_.emplace_back([this] { ServePeers(); });
    threads_.emplace_back([this] { AcceptPeers(); });
  }

  ~Impl() {
    {
      absl::MutexLock lock(&mutex_);
      stopping_ = true;
      for (const Place& place : active_) shutdown(place.fd, SHUT_RDWR);
    }
    const uint64_t one = 1;
    (void)!write(wake_, &one, sizeof(one));
    for (std::thread& thread : threads_) thread.join();
    for (const int peer : waiting_) close(peer);
    for (const int fd : fds_) close(fd);
    close(wake_);
  }

  const ListenAddress& address() const { return address_; }

 private:
  // Lets the peer go that the server has waited for longest, if there is one.
  void MakeRoom() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto first = std::find_if(active_.begin(), active_.end(),
                                    [](const Place& place) { return place.server_waits.load(); });
    if (first != active_.end()) shutdown(first->fd, SHUT_RDWR);
  }

  void AcceptPeers() {
    std::vector<pollfd> ready;
    for (const int fd : fds_) ready.push_back({fd, POLLIN, 0});
    ready.push_back({wake_, POLLIN, 0});
    while (true) {
      for (pollfd& one : ready) one.revents = 0;
      if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return;
      if (ready.back().revents != 0) return;
      for (const pollfd& one : ready) {
        if (one.revents != 0) AcceptFrom(one.fd);
      }
    }
  }

  void AcceptFrom(int fd) {
    const int peer = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
    const bool no_more_files = peer < 0 && (errno == EMFILE || errno == ENFILE);
    if (peer < 0 && !no_more_files) return;
    absl::MutexLock lock(&mutex_);
    if (peer >= 0) waiting_.push_back(peer);
    // All slots are taken, or descriptors have run out: the oldest connections are closed.
    const bool full = active_.size() == options_.peers || no_more_files;
    if (full) MakeRoom();
    const auto has_room = [this] {
      mutex_.AssertReaderHeld();
      return stopping_ || waiting_.size() < options_.peers;
    };
    mutex_.Await(absl::Condition(&has_room));
  }

  void ServePeers() {
    while (true) {
      std::list<Place>::iterator place;
      {
        absl::MutexLock lock(&mutex_);
        const auto has_work = [this] {
          mutex_.AssertReaderHeld();
          return stopping_ || !waiting_.empty();
        };
        mutex_.Await(absl::Condition(&has_work));
        if (stopping_) return;
        place = active_.emplace(active_.end(), waiting_.front());
        waiting_.pop_front();
        // Others wait for a place.
        if (active_.size() == options_.peers && !waiting_.empty()) MakeRoom();
      }
      PeerStream stream(place->fd, options_.patience, options_.max_bytes, place->server_waits);
      parser_.Serve(stream);
      absl::MutexLock lock(&mutex_);
      shutdown(place->fd, SHUT_RDWR);
      close(place->fd);
      active_.erase(place);
    }
  }

  const Options options_;
  const ListenAddress address_;
  const std::vector<int> fds_;  // that listen
  const int wake_;
  Parser parser_;
  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<int> waiting_ ABSL_GUARDED_BY(mutex_);
  std::list<Place> active_ ABSL_GUARDED_BY(mutex_);  // oldest first
  std::vector<std::thread> threads_;
};

HttpPeers::HttpPeers(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpPeers::~HttpPeers() = default;

const ListenAddress& HttpPeers::address() const { return impl_->address(); }

absl::StatusOr<std::unique_ptr<HttpPeers>> HttpPeers::Start(const ListenAddress& listen,
                                                            const Options& options,
                                                            const Routes& routes) {
  ListenAddress address = listen;
  absl::StatusOr<std::vector<int>> fds = ListenOn(address);
  if (!fds.ok()) return fds.status();
  const int wake = eventfd(0, EFD_CLOEXEC);
  if (wake < 0) {
    for (const int fd : *fds) close(fd);
    return absl::ResourceExhaustedError("there are no more files for this process");
  }
  return std::unique_ptr<HttpPeers>(new HttpPeers(
      std::make_unique<Impl>(options, routes, *std::move(fds), wake, std::move(address))));
}

}  // namespace gprofhub::cli
