// gRPC does not report the end of a connection. So the gate keeps a duplicate of each connection's
// descriptor, and waits by epoll for its end only: EPOLLHUP comes when both directions are shut
// down, which gRPC does before it closes its own, and the kernel does on a reset.
#include "server/listen/connection_gate.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/network/network.h"
#include "base/status_macros.h"

namespace gprofhub::server {

namespace {

// For the store, its blobs, clients of databases and forges, logs.
constexpr uint64_t kOtherDescriptors = 200;
constexpr uint64_t kMostConnections = 4096;
constexpr int kPauseMilliseconds = 100;

std::string PeerOf(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  const void* const bytes =
      address.ss_family == AF_INET
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(address).sin_addr)
          : &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  const bool is_ip = address.ss_family == AF_INET || address.ss_family == AF_INET6;
  if (!is_ip || inet_ntop(address.ss_family, bytes, text.data(), text.size()) == nullptr) {
    return "other";
  }
  return base::ClientAt(text.data());
}

bool WatchFor(int epoll_fd, int fd, uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.fd = fd;
  return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

uint64_t ConnectionsFor(uint64_t descriptors) {
  if (descriptors <= kOtherDescriptors + 2) return 1;
  return std::min(kMostConnections, (descriptors - kOtherDescriptors) / 2);
}

uint64_t RaiseDescriptorLimit() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = 2 * kMostConnections + kOtherDescriptors;
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  const rlim_t before = std::exchange(limit.rlim_cur, std::min(limit.rlim_max, wanted));
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

absl::StatusOr<std::unique_ptr<ConnectionGate>> ConnectionGate::Open(std::vector<int> listen_fds,
                                                                     uint64_t connections,
                                                                     Take take) {
  const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  const int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::unique_ptr<ConnectionGate> gate(
      new ConnectionGate(std::move(listen_fds), epoll_fd, stop_fd, connections, std::move(take)));
  bool is_watching = epoll_fd >= 0 && stop_fd >= 0 && WatchFor(epoll_fd, stop_fd, EPOLLIN);
  for (const int fd : gate->listen_fds_) {
    is_watching = is_watching && WatchFor(epoll_fd, fd, EPOLLIN);
  }
  if (!is_watching) {
    return absl::UnavailableError(absl::StrCat("cannot wait for connections: ", strerror(errno)));
  }
  gate->thread_ = std::thread([gate = gate.get()] { gate->Run(); });
  return gate;
}

ConnectionGate::ConnectionGate(std::vector<int> listen_fds, int epoll_fd, int stop_fd,
                               uint64_t connections, Take take)
    : listen_fds_(std::move(listen_fds)),
      epoll_fd_(epoll_fd),
      stop_fd_(stop_fd),
      take_(std::move(take)),
      // One peer gets a third of it, and at least one connection.
      places_(std::max<uint64_t>(connections, 3), 2) {}

ConnectionGate::~ConnectionGate() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    // An eventfd that counts 1 takes another 1.
    if (write(stop_fd_, &one, sizeof(one)) != sizeof(one)) std::abort();
    thread_.join();
  }
  for (const auto& [fd, peer] : watched_) close(fd);
  for (const int fd : listen_fds_) close(fd);
  for (const int fd : {epoll_fd_, stop_fd_}) {
    if (fd >= 0) close(fd);
  }
}

bool ConnectionGate::IsListening(int fd) const {
  return std::find(listen_fds_.begin(), listen_fds_.end(), fd) != listen_fds_.end();
}

void ConnectionGate::Run() {
  std::array<epoll_event, 64> events;
  bool accepting = true;
  for (;;) {
    const int count =
        epoll_wait(epoll_fd_, events.data(), events.size(), accepting ? -1 : kPauseMilliseconds);
    bool asked = !accepting && count == 0;  // the pause is over
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == stop_fd_) return;
      if (IsListening(fd)) {
        asked = true;
      } else if ((events[i].events & (EPOLLHUP | EPOLLERR)) != 0) {
        Forget(fd);
      }
    }
    if (!asked) continue;
    const bool had_descriptors = AcceptAll();
    if (had_descriptors == accepting) continue;
    // When descriptors run out, connections wait in the kernel's queue.
    accepting = had_descriptors;
    for (const int fd : listen_fds_) {
      if (accepting) {
        WatchFor(epoll_fd_, fd, EPOLLIN);
      } else {
        epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
      }
    }
  }
}

bool ConnectionGate::AcceptAll() {
  return std::all_of(listen_fds_.begin(), listen_fds_.end(),
                     [this](int fd) { return AcceptAllFrom(fd); });
}

bool ConnectionGate::AcceptAllFrom(int listen_fd) {
  for (;;) {
    sockaddr_storage address = {};
    socklen_t size = sizeof(address);
    const int fd = accept4(listen_fd, reinterpret_cast<sockaddr*>(&address), &size,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      Admit(fd, PeerOf(address));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      return false;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return true;
    }
    // After any other error, the connection is gone, and the next one is accepted.
  }
}

void ConnectionGate::Admit(int fd, const std::string& peer) {
  ++counts_->accepted;
  if (!places_.Take(peer, 1)) {
    ++counts_->refused;
    close(fd);
    return;
  }
  const int watched = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (watched < 0 || !WatchFor(epoll_fd_, watched, 0)) {
    ++counts_->refused;
    if (watched >= 0) close(watched);
    places_.Give(peer, 1);
    close(fd);
    return;
  }
  watched_[watched] = peer;
  ++counts_->open;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  take_(fd);
}

void ConnectionGate::Forget(int watched_fd) {
  const auto found = watched_.find(watched_fd);
  if (found == watched_.end()) return;
  places_.Give(found->second, 1);
  watched_.erase(found);
  --counts_->open;
  close(watched_fd);
}

namespace {

constexpr std::chrono::seconds kPatience(5);
constexpr int kLookMilliseconds = 5;

}  // namespace

absl::Status ProbeAccepts(const ListenAddress& address, const ConnectionCounts& gate) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  if (getaddrinfo(address.host.c_str(), absl::StrCat(address.port).c_str(), &hints, &list) != 0) {
    return absl::OkStatus();  // it was known when the listener began; names come and go
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found(list, &freeaddrinfo);
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::OkStatus();
  const uint64_t before = gate.accepted;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  // The kernel completes connections on its own; only the count shows that the gate accepted it.
  absl::Status status;
  if (connect(fd, found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS) {
    status = absl::UnavailableError(
        absl::StrCat(address.ToString(), ": this process cannot connect to its own address"));
  }
  while (status.ok() && gate.accepted == before) {
    if (std::chrono::steady_clock::now() > until) {
      status = absl::DeadlineExceededError(
          absl::StrCat("a connection to ", address.ToString(), " was not accepted"));
    }
    poll(nullptr, 0, kLookMilliseconds);
  }
  close(fd);
  return status;
}

namespace {

constexpr uint64_t kMaxFileBytes = 1 << 20;

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

absl::Status Bad(const std::string& path, absl::string_view problem) {
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", problem));
}

// In the place of OpenSSL's own, which would ask on the terminal.
int NoPassword(char*, int, int, void*) { return -1; }

Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// The first certificate of the file; null: the file has none. All others must be readable, too.
absl::StatusOr<Certificate> ReadCertificates(const std::string& path, const std::string& text) {
  const Bio bio = Reader(text);
  Certificate first;
  for (int number = 1;; ++number) {
    Certificate next(PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr));
    if (next == nullptr) {
      const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
      ERR_clear_error();
      if (at_end && first != nullptr) return first;
      return Bad(path, at_end ? "not a certificate in PEM format"
                              : absl::StrCat("certificate number ", number, " is damaged"));
    }
    if (first == nullptr) first = std::move(next);
  }
}

absl::StatusOr<Key> ReadKey(const std::string& path, const std::string& text) {
  const Bio bio = Reader(text);
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  if (key != nullptr) return key;
  const int reason = ERR_GET_REASON(ERR_peek_last_error());
  if (reason == PEM_R_BAD_PASSWORD_READ || reason == PEM_R_PROBLEMS_GETTING_PASSWORD) {
    return Bad(
        path,
        "the key has a password; use a key without one, in a file that only the server can read");
  }
  return Bad(path, "not a private key in PEM format");
}

absl::Time TimeOf(const ASN1_TIME* time) {
  std::tm parts = {};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return absl::InfinitePast();
  return absl::FromTM(parts, absl::UTCTimeZone());
}

std::string Shown(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

}  // namespace

absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files, absl::Time now) {
  if (files.certificate.empty() || files.key.empty()) {
    return absl::InvalidArgumentError("TLS requires both a certificate and its key");
  }
  TlsTexts texts;
  for (const auto& [path, text] :
       {std::pair(&files.certificate, &texts.certificate), std::pair(&files.key, &texts.key),
        std::pair(&files.client_authorities, &texts.client_authorities)}) {
    if (path->empty()) continue;
    ASSIGN_OR_RETURN(std::string read, base::ReadFile(*path, kMaxFileBytes));
    *text = std::move(read);
  }
  ASSIGN_OR_RETURN(const Certificate certificate,
                   ReadCertificates(files.certificate, texts.certificate));
  ASSIGN_OR_RETURN(const Key key, ReadKey(files.key, texts.key));
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return Bad(files.key, absl::StrCat("does not match the certificate ", files.certificate));
  }
  const absl::Time begins = TimeOf(X509_get0_notBefore(certificate.get()));
  texts.expires = TimeOf(X509_get0_notAfter(certificate.get()));
  if (now > texts.expires) {
    return Bad(files.certificate, absl::StrCat("expired at ", Shown(texts.expires)));
  }
  if (now < begins) {
    return Bad(files.certificate, absl::StrCat("not valid before ", Shown(begins)));
  }
  if (!files.client_authorities.empty()) {
    RETURN_IF_ERROR(ReadCertificates(files.client_authorities, texts.client_authorities).status());
  }
  return texts;
}

// Adds gRPC's own TLS to a server, with a callback that supplies the last loaded certificates.
class ServerCertificates::Credentials final : public grpc::ServerCredentials {
 public:
  explicit Credentials(ServerCertificates& from)
      : credentials_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(
                from.files_.client_authorities.empty()
                    ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                    : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY,
                &Credentials::Fetch, &from))) {}
  ~Credentials() override { grpc_server_credentials_release(credentials_); }

  // Authorisation of calls is not part of these credentials.
  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>& processor) override {
    static_cast<void>(processor);
  }

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  static grpc_ssl_certificate_config_reload_status Fetch(
      void* from, grpc_ssl_server_certificate_config** config) {
    auto& self = *static_cast<ServerCertificates*>(from);
    TlsTexts texts;
    {
      absl::MutexLock lock(&self.mutex_);
      if (std::exchange(self.fetched_, true)) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
      texts = self.texts_;
    }
    const grpc_ssl_pem_key_cert_pair pair = {texts.key.c_str(), texts.certificate.c_str()};
    // gRPC 1.51 aborts without authorities. Where client certificates are not requested they are
    // unused, so any will do.
    const std::string& authorities =
        texts.client_authorities.empty() ? texts.certificate : texts.client_authorities;
    *config = grpc_ssl_server_certificate_config_create(authorities.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  grpc_server_credentials* const credentials_;
};

absl::StatusOr<std::unique_ptr<ServerCertificates>> ServerCertificates::Load(
    const TlsFiles& files, std::function<absl::Time()> now) {
  ASSIGN_OR_RETURN(TlsTexts texts, ReadTlsFiles(files, now()));
  return std::unique_ptr<ServerCertificates>(
      new ServerCertificates(files, std::move(now), std::move(texts)));
}

absl::Status ServerCertificates::Reload() {
  ASSIGN_OR_RETURN(TlsTexts texts, ReadTlsFiles(files_, now_()));
  absl::MutexLock lock(&mutex_);
  texts_ = std::move(texts);
  fetched_ = false;
  return absl::OkStatus();
}

absl::Time ServerCertificates::expires() const {
  absl::MutexLock lock(&mutex_);
  return texts_.expires;
}

std::shared_ptr<grpc::ServerCredentials> ServerCertificates::ForServer() {
  return std::make_shared<Credentials>(*this);
}

}  // namespace gprofhub::server
