#include "server/listen/listen_address.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/hash.h"
#include "base/log_fields.h"
#include "base/status_macros.h"
#include "reporter/forge/hook_request.h"

namespace gprofhub::server {

namespace {

constexpr int kTriesForAFreePort = 20;

// One address as the kernel takes it.
struct SocketAddress {
  sockaddr_storage bytes = {};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
  uint16_t port() const {
    return ntohs(bytes.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6&>(bytes).sin6_port
                     : reinterpret_cast<const sockaddr_in&>(bytes).sin_port);
  }
  void SetPort(uint16_t port) {
    (bytes.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(bytes).sin6_port
                                 : reinterpret_cast<sockaddr_in&>(bytes).sin_port) = htons(port);
  }
};

bool IsSame(const SocketAddress& a, const SocketAddress& b) {
  return a.size == b.size && std::memcmp(&a.bytes, &b.bytes, a.size) == 0;
}

// Adds the addresses of a host's name or number, each once.
absl::Status Resolve(const std::string& host, uint16_t port, std::vector<SocketAddress>& all) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), absl::StrCat(port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::NotFoundError(
        absl::StrCat("no address for host \"", host, "\": ", gai_strerror(error)));
  }
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    SocketAddress address;
    address.size = one->ai_addrlen;
    std::memcpy(&address.bytes, one->ai_addr, one->ai_addrlen);
    const bool is_known = std::any_of(
        all.begin(), all.end(), [&](const SocketAddress& known) { return IsSame(known, address); });
    if (!is_known) all.push_back(address);
  }
  freeaddrinfo(found);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SocketAddress>> AddressesOf(const ListenAddress& address) {
  std::vector<SocketAddress> all;
  std::vector<std::string> hosts = {address.host};
  if (absl::EqualsIgnoreCase(address.host, "localhost")) hosts = {"127.0.0.1", "::1"};
  for (const std::string& host : hosts) {
    RETURN_IF_ERROR(Resolve(host, address.port, all));
  }
  return all;
}

bool IsLoopbackAddress(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
  }
  if (address.sa_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
  }
  return false;
}

absl::Status BindError(const ListenAddress& address, int error) {
  const std::string where = address.ToString();
  switch (error) {
    case EADDRINUSE:
      return absl::AlreadyExistsError(
          absl::StrCat(where,
                       " is in use by another process; stop it, or pass another --listen (port 0 "
                       "picks a free one)"));
    case EACCES:
      return absl::FailedPreconditionError(absl::StrCat(
          "not allowed to listen on ", where, ": ports below 1024 are reserved for root"));
    case EADDRNOTAVAIL:
      return absl::NotFoundError(absl::StrCat(where, " is not an address of this machine"));
    default:
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", where, ": ", std::strerror(error)));
  }
}

// A socket that listens, or -1 and errno in `error`.
int TryListen(const SocketAddress& address, int& error) {
  const int fd = socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  error = errno;
  if (fd < 0) return fd;
  // As gRPC does: a port in TIME_WAIT is free.
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, address.get(), address.size) == 0 && listen(fd, SOMAXCONN) == 0) return fd;
  error = errno;
  close(fd);
  return -1;
}

// The machine has no such address: a name's other addresses will do.
bool IsNotOurs(int error) {
  return error == EADDRNOTAVAIL || error == EAFNOSUPPORT || error == EPROTONOSUPPORT;
}

struct Listening {
  std::vector<int> sockets;  // empty after an error
  uint16_t port = 0;         // that they have
  int error = 0;             // of the last address that did not do
};

// Where the addresses have port 0, the first one picks a port for all.
Listening ListenOnAll(std::vector<SocketAddress> addresses) {
  Listening all;
  for (SocketAddress& address : addresses) {
    if (all.port != 0) address.SetPort(all.port);
    const int fd = TryListen(address, all.error);
    if (fd >= 0) {
      all.sockets.push_back(fd);
      SocketAddress bound;
      bound.size = sizeof(bound.bytes);
      if (getsockname(fd, bound.get(), &bound.size) == 0) all.port = bound.port();
    } else if (!IsNotOurs(all.error)) {
      for (const int other : all.sockets) close(other);
      all.sockets.clear();
      return all;
    }
  }
  return all;
}

}  // namespace

std::string ListenAddress::ToString() const {
  if (absl::StrContains(host, ':')) return absl::StrCat("[", host, "]:", port);
  return absl::StrCat(host, ":", port);
}

absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text) {
  const size_t colon = text.rfind(':');
  ListenAddress address;
  uint32_t port = 0;
  if (colon != absl::string_view::npos && absl::SimpleAtoi(text.substr(colon + 1), &port) &&
      port <= 65535) {
    absl::string_view host = text.substr(0, colon);
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    const bool allowed = !host.empty() && host.find_first_of("[]") == absl::string_view::npos;
    if (allowed && bracketed == absl::StrContains(host, ':')) {
      address.host = std::string(host);
      address.port = static_cast<uint16_t>(port);
      return address;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is not HOST:PORT, such as 127.0.0.1:7070 or [::1]:7070"));
}

absl::StatusOr<bool> IsLoopback(const ListenAddress& address) {
  ASSIGN_OR_RETURN(const std::vector<SocketAddress> found, AddressesOf(address));
  return std::all_of(found.begin(), found.end(),
                     [](const SocketAddress& one) { return IsLoopbackAddress(*one.get()); });
}

absl::StatusOr<std::vector<int>> ListenOn(ListenAddress& address) {
  ASSIGN_OR_RETURN(const std::vector<SocketAddress> found, AddressesOf(address));
  Listening all = ListenOnAll(found);
  // A port that the first address picked may be in use at the second.
  for (int i = 1; i < kTriesForAFreePort && address.port == 0 && all.error == EADDRINUSE; ++i) {
    all = ListenOnAll(found);
  }
  if (all.sockets.empty()) return BindError(address, all.error);
  address.port = all.port;
  return std::move(all.sockets);
}

namespace {

// A peer's connection as a stream for httplib, with a deadline and a byte limit.

class PeerStream final : public httplib::Stream {
 public:
  // `fd` stays open as long as the stream lives. After `patience`, by the monotonic clock, or
  // `most` bytes, reads and writes fail. `waits` is true while the stream waits for the peer; it
  // outlives the stream.
  PeerStream(int fd, absl::Duration patience, size_t most, std::atomic<bool>& waits)
      : fd_(fd),
        until_(std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(patience)),
        left_(most),
        waits_(waits) {}

  // Whether the peer has shut down its sending direction, or closed the connection.
  bool PeerHasLeft() const;

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* bytes, size_t size) override;
  ssize_t write(const char* bytes, size_t size) override;
  // As the kernel reports; empty and 0 if it cannot.
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return fd_; }

 private:
  // Waits for poll's `events` until the time is over.
  bool Wait(short events) const;
  bool WaitForPeer(short events) const;

  const int fd_;
  const std::chrono::steady_clock::time_point until_;
  size_t left_;
  std::atomic<bool>& waits_;
  std::array<char, 4096> buffer_ = {};
  size_t begin_ = 0;
  size_t end_ = 0;
};

bool PeerStream::Wait(short events) const {
  waits_ = true;
  const bool is_ready = WaitForPeer(events);
  waits_ = false;
  return is_ready;
}

bool PeerStream::WaitForPeer(short events) const {
  while (true) {
    const absl::Duration left = absl::FromChrono(until_ - std::chrono::steady_clock::now());
    if (left <= absl::ZeroDuration()) return false;
    pollfd ready = {fd_, events, 0};
    const int count = poll(&ready, 1, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1);
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

bool PeerStream::PeerHasLeft() const {
  pollfd ready = {fd_, POLLRDHUP, 0};  // in addition to POLLERR and POLLHUP
  return poll(&ready, 1, 0) > 0;
}

bool PeerStream::is_readable() const { return begin_ < end_ || Wait(POLLIN); }

bool PeerStream::is_writable() const { return Wait(POLLOUT); }

ssize_t PeerStream::read(char* bytes, size_t size) {
  if (begin_ == end_) {
    if (left_ == 0 || !Wait(POLLIN)) return -1;
    const ssize_t got = recv(fd_, buffer_.data(), std::min(buffer_.size(), left_), 0);
    if (got <= 0) return got;
    left_ -= static_cast<size_t>(got);
    begin_ = 0;
    end_ = static_cast<size_t>(got);
  }
  const size_t given = std::min(size, end_ - begin_);
  std::memcpy(bytes, buffer_.data() + begin_, given);
  begin_ += given;
  return static_cast<ssize_t>(given);
}

ssize_t PeerStream::write(const char* bytes, size_t size) {
  // httplib assumes complete writes. A long response waits for a slow reader, but only until the
  // deadline.
  size_t done = 0;
  while (done < size) {
    if (!Wait(POLLOUT)) return -1;
    const ssize_t sent = send(fd_, bytes + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      done += static_cast<size_t>(sent);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return -1;
    }
  }
  return static_cast<ssize_t>(size);
}

void PeerStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  std::array<char, NI_MAXHOST> host = {};
  std::array<char, NI_MAXSERV> service = {};
  if (getpeername(fd_, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host.data(), host.size(),
                  service.data(), service.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return;
  }
  ip = host.data();
  if (!absl::SimpleAtoi(service.data(), &port)) port = 0;
}

void PeerStream::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

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
  ASSIGN_OR_RETURN(std::vector<int> fds, ListenOn(address));
  const int wake = eventfd(0, EFD_CLOEXEC);
  if (wake < 0) {
    for (const int fd : fds) close(fd);
    return absl::ResourceExhaustedError("the limit on open files is reached");
  }
  return std::unique_ptr<HttpPeers>(new HttpPeers(
      std::make_unique<Impl>(options, routes, std::move(fds), wake, std::move(address))));
}

namespace {

// Size limit of request line and headers, in addition to the body.
constexpr size_t kMaxHeaderBytes = 64 << 10;

// 0, or how a request is refused before its body is read.
int RefusalOf(const httplib::Request& request, size_t max_body_bytes) {
  if (request.path != "/") return 404;
  if (request.method != "POST") return 405;
  // Packed bodies may grow without bound. httplib reads multipart bodies in its own way.
  if (request.has_header("Content-Encoding") || request.is_multipart_form_data()) return 415;
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
    case absl::StatusCode::kUnimplemented:
      return 415;
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
    ASSIGN_OR_RETURN(std::unique_ptr<HttpPeers> peers,
                     HttpPeers::Start(options_.listen, bounds,
                                      [this](httplib::Server& server) { AddRoutes(server); }));
    peers_ = std::move(peers);
    return absl::OkStatus();
  }

  const ListenAddress& address() const { return peers_->address(); }

  void SetSecret(std::string secret) {
    absl::MutexLock lock(&mutex_);
    secret_ = std::move(secret);
  }

 private:
  void AddRoutes(httplib::Server& server) {
    server.set_pre_routing_handler([this](const httplib::Request& request,
                                          httplib::Response& response) {
      const int refusal = RefusalOf(request, options_.max_body_bytes);
      if (refusal == 0) return httplib::Server::HandlerResponse::Unhandled;
      response.status = refusal;
      if (request.is_multipart_form_data()) {
        response.set_content("unsupported content type: choose application/json\n", "text/plain");
      }
      options_.on_answered(refusal);
      return httplib::Server::HandlerResponse::Handled;
    });
    // httplib itself refuses forms of more than 8 KiB.
    server.Post("/", [this](const httplib::Request& request, httplib::Response& response,
                            const httplib::ContentReader& read) {
      std::string body;
      read([&body](const char* bytes, size_t size) {
        body.append(bytes, size);
        return true;
      });
      const absl::Status status = Take(request, std::move(body));
      response.status = AnswerTo(status);
      // The forge shows it in the list of deliveries.
      if (!status.ok() && response.status < 500) {
        response.set_content(absl::StrCat(status.message(), "\n"), "text/plain");
      }
      options_.on_answered(response.status);
    });
  }

  std::string Secret() const {
    absl::MutexLock lock(&mutex_);
    return secret_;
  }

  absl::Status Take(const httplib::Request& from, std::string body) {
    reporter::HookRequest request;
    for (const auto& [name, value] : from.headers) {
      request.headers[absl::AsciiStrToLower(name)] = value;
    }
    request.body = std::move(body);
    const absl::StatusOr<std::optional<reporter::HookComment>> comment =
        reporter::ReadHook(request, Secret());
    if (!comment.ok()) {
      if (const auto untold = refused_lines_.Take(options_.now()); untold.has_value()) {
        spdlog::warn("webhook: {}{}", std::string(comment.status().message()),
                     base::LineBudget::Untold(*untold));
      }
      return comment.status();
    }
    if (!comment->has_value()) return absl::OkStatus();
    // The delivery's own number is in a header, which no signature covers.
    const std::string key = base::Sha256Hex(request.body);
    const absl::Time now = options_.now();
    if (memory_.Knows(key, now)) return absl::AlreadyExistsError("delivery was already processed");
    const absl::Status told = on_comment_(**comment);
    if (told.ok()) memory_.Remember(key, now);
    return told;
  }

  const HookListenerOptions options_;
  const OnComment on_comment_;
  mutable absl::Mutex mutex_;
  std::string secret_ ABSL_GUARDED_BY(mutex_);
  reporter::ReplayMemory memory_;
  base::LineBudget refused_lines_{{}};  // of requests that any client can send
  std::unique_ptr<HttpPeers> peers_;    // last: its handlers use the above
};

HookListener::HookListener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HookListener::~HookListener() = default;

const ListenAddress& HookListener::address() const { return impl_->address(); }

void HookListener::SetSecret(std::string secret) { impl_->SetSecret(std::move(secret)); }

absl::StatusOr<std::unique_ptr<HookListener>> HookListener::Start(HookListenerOptions options,
                                                                  OnComment on_comment) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(on_comment));
  RETURN_IF_ERROR(impl->Listen());
  return std::unique_ptr<HookListener>(new HookListener(std::move(impl)));
}

}  // namespace gprofhub::server
