#include "ci/upload/connection/channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <netdb.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/http/percent_coding.h"
#include "base/network/network.h"

namespace gprofhub::ci {

absl::Status StatusOfCall(const grpc::Status& status) {
  // Abseil's codes are gRPC's.
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  std::string message = status.error_message();
  if (message.empty()) message = absl::StatusCodeToString(code);
  return absl::Status(code, message);
}

namespace {

base::ServerAddress AddressOf(const std::string& server) {
  return base::ParseServerAddress(server).value_or(base::ServerAddress{server, false});
}

std::optional<base::Proxy> ProxyOf(const base::ServerAddress& address) {
  return base::ProxyFor(
      absl::StrCat(address.is_encrypted ? "grpcs://" : "grpc://", address.target));
}

// gRPC's arguments for its proxy mappers
// (https://github.com/grpc/grpc/blob/v1.51.1/src/core/lib/transport/http_connect_handshaker.h).
constexpr char kConnectServer[] = "grpc.http_connect_server";
constexpr char kConnectHeaders[] = "grpc.http_connect_headers";

constexpr absl::string_view kHttp = "http://";

// Tunnels the channel through the proxy. Returns the proxy's address, which takes the place of the
// server's. gRPC's own choice of a proxy includes loopback, and takes no_proxy for suffixes only.
std::string TunnelThrough(const base::Proxy& proxy, const std::string& target,
                          grpc::ChannelArguments& arguments) {
  const absl::string_view authority = absl::StripPrefix(proxy.url, kHttp);
  arguments.SetString(kConnectServer, target);
  arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, target);
  const size_t at = authority.rfind('@');
  if (at == absl::string_view::npos) return std::string(authority);
  arguments.SetString(
      kConnectHeaders,
      absl::StrCat("Proxy-Authorization:Basic ",
                   absl::Base64Escape(base::PercentDecoded(authority.substr(0, at)))));
  return std::string(authority.substr(at + 1));
}

}  // namespace

std::shared_ptr<grpc::Channel> ConnectTo(const std::string& server, const ClientTls& tls) {
  // gRPC would wait up to two minutes before it reconnects to a server that was unreachable;
  // retries are controlled here.
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  // Reports and profiles of large programs exceed gRPC's 4 MiB.
  arguments.SetMaxReceiveMessageSize(256 << 20);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  const base::ServerAddress address = AddressOf(server);
  const std::optional<base::Proxy> proxy = ProxyOf(address);
  const bool tunnels = proxy.has_value() && absl::StartsWith(proxy->url, kHttp);
  return grpc::CreateCustomChannel(
      tunnels ? TunnelThrough(*proxy, address.target, arguments) : address.target,
      address.is_encrypted ? grpc::SslCredentials({tls.authorities, tls.key, tls.certificate})
                           : grpc::InsecureChannelCredentials(),
      arguments);
}

bool SendsInTheClear(const std::string& server) {
  const base::ServerAddress address = AddressOf(server);
  return !address.is_encrypted && !base::IsLoopbackHost(address.host());
}

void PrepareCall(const std::string& token, absl::Duration timeout, grpc::ClientContext& call) {
  if (!token.empty()) call.AddMetadata("authorization", absl::StrCat("Bearer ", token));
  call.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(timeout));
}

namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* connection) const { SSL_free(connection); }
  void operator()(addrinfo* found) const { freeaddrinfo(found); }
};
using Bio = std::unique_ptr<BIO, Free>;
using Context = std::unique_ptr<SSL_CTX, Free>;
using Connection = std::unique_ptr<SSL, Free>;

// A connected socket with the timeout `patience` for each read and write; -1: not connected.
class Socket {
 public:
  Socket(const std::string& host, const std::string& port, absl::Duration patience) {
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return;
    const std::unique_ptr<addrinfo, Free> owner(found);
    const timeval limit = absl::ToTimeval(patience);
    for (; found != nullptr && fd_ < 0; found = found->ai_next) {
      fd_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (fd_ < 0) continue;
      setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
      setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
      if (connect(fd_, found->ai_addr, found->ai_addrlen) == 0) break;
      close(fd_);
      fd_ = -1;
    }
  }
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

// OpenSSL writes to sockets that the peer may have closed. No SIGPIPE of this thread ends the
// process until destruction.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec at_once = {};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &at_once) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Null: `tls` contains unusable data.
Context MakeContext(const ClientTls& tls) {
  Context context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return nullptr;
  constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context.get(), kHttp2, sizeof(kHttp2));
  if (tls.authorities.empty()) {
    const char* const named = std::getenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH");
    if (named != nullptr) {
      SSL_CTX_load_verify_file(context.get(), named);
    } else {
      SSL_CTX_set_default_verify_paths(context.get());
    }
  }
  const Bio authorities = Reader(tls.authorities);
  for (;;) {
    const std::unique_ptr<X509, Free> one(
        PEM_read_bio_X509(authorities.get(), nullptr, nullptr, nullptr));
    if (one == nullptr) break;
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), one.get());
  }
  if (tls.certificate.empty()) return context;
  const Bio certificate_text = Reader(tls.certificate);
  const Bio key_text = Reader(tls.key);
  const std::unique_ptr<X509, Free> certificate(
      PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr));
  const std::unique_ptr<EVP_PKEY, Free> key(
      PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, const_cast<char*>("")));
  if (certificate == nullptr || key == nullptr ||
      SSL_CTX_use_certificate(context.get(), certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1) {
    return nullptr;
  }
  return context;
}

// The reason code of OpenSSL's last error, 0 if there was none. Above SSL_AD_REASON_OFFSET it is an
// alert that the peer sent.
int TakeReason() {
  const int reason = ERR_GET_REASON(ERR_peek_last_error());
  ERR_clear_error();
  return reason;
}

bool IsAlert(int reason) { return reason > SSL_AD_REASON_OFFSET; }

bool IsAboutOwnCertificate(int reason) {
  switch (reason - SSL_AD_REASON_OFFSET) {
    case SSL3_AD_NO_CERTIFICATE:
    case SSL_AD_HANDSHAKE_FAILURE:
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_CERTIFICATE_REQUIRED:
      return true;
    default:
      return false;
  }
}

std::string OwnCertificateRefused(const std::string& server, const ClientTls& tls, int reason) {
  if (tls.certificate.empty()) {
    return absl::StrCat(server,
                        " requires a client certificate: pass --client-cert and --client-key, or "
                        "set GPROFHUB_CLIENT_CERT and GPROFHUB_CLIENT_KEY");
  }
  return absl::StrCat(
      server, " rejects the client certificate of --client-cert",
      IsAlert(reason)
          ? absl::StrCat(" (", SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET), ")")
          : "");
}

std::string ExplainUnencrypted(const std::string& server, const Socket& socket) {
  const Context context = MakeContext({});
  const Connection connection(context == nullptr ? nullptr : SSL_new(context.get()));
  if (connection == nullptr || SSL_set_fd(connection.get(), socket.fd()) != 1) return "";
  const bool done = SSL_connect(connection.get()) == 1;
  if (!done && !IsAlert(TakeReason())) return "";
  return absl::StrCat(server, " uses TLS: put https:// in front of the address");
}

std::string ExplainEncrypted(const std::string& server, const std::string& host,
                             const Socket& socket, const ClientTls& tls) {
  const Context context = MakeContext(tls);
  if (context == nullptr) {
    TakeReason();
    return "--client-key does not match --client-cert, or one of them is not a PEM file";
  }
  const Connection connection(SSL_new(context.get()));
  if (connection == nullptr || SSL_set_fd(connection.get(), socket.fd()) != 1) return "";
  SSL_set_verify(connection.get(), SSL_VERIFY_PEER, nullptr);
  SSL_set_tlsext_host_name(connection.get(), host.c_str());
  X509_VERIFY_PARAM* const rules = SSL_get0_param(connection.get());
  if (X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) != 1) {
    SSL_set1_host(connection.get(), host.c_str());
  }
  bool asked = false;  // the server requested a client certificate
  SSL_set_cert_cb(
      connection.get(),
      [](SSL*, void* asked) {
        *static_cast<bool*>(asked) = true;
        return 1;
      },
      &asked);
  ERR_clear_error();
  if (SSL_connect(connection.get()) == 1) {
    // TLS 1.3: the server checks the client's certificate after the client has finished its
    // handshake. gRPC then closes the connection, possibly without an alert.
    char byte = 0;
    const int got = SSL_read(connection.get(), &byte, 1);
    const bool waits = got <= 0 && SSL_get_error(connection.get(), got) == SSL_ERROR_WANT_READ;
    const int alert = TakeReason();
    if (!asked || got > 0 || waits) return "";
    return OwnCertificateRefused(server, tls, alert);
  }
  const int reason = TakeReason();
  const long verified = SSL_get_verify_result(connection.get());
  if (verified != X509_V_OK) {
    return absl::StrCat("the certificate of ", server, " is not trusted (",
                        X509_verify_cert_error_string(verified),
                        "): pass its CA with --ca-file or GPROFHUB_CA_FILE, and use a host name of "
                        "the certificate in the address");
  }
  if (IsAlert(reason)) {
    return IsAboutOwnCertificate(reason) ? OwnCertificateRefused(server, tls, reason) : "";
  }
  if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST ||
      reason == SSL_R_PACKET_LENGTH_TOO_LONG || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return absl::StrCat(server, " does not use TLS: leave out https:// of the address");
  }
  return "";
}

constexpr absl::string_view kHttpStatus = "Received http2 header with status: ";

// How messages of gRPC itself begin (v1.51), as opposed to those of a server.
constexpr absl::string_view kOwnMessages[] = {
    "failed to connect to all addresses",
    "connections to all backends failing",
    "DNS resolution failed",
    "empty address list",
    "Trying to connect an http1.x server",
    "Failed parsing HTTP/2",
    "Socket closed",
    "Connection reset by peer",
    "Broken pipe",
    "recvmsg",
    "sendmsg",
    "Endpoint closing",
    "Transport closed",
    "Stream removed",
    "GOAWAY received",
    "keepalive",
    "Received RST_STREAM",
    "Ssl handshake failed",
    "Missing :authority",
    kHttpStatus,
};

// The first that a message contains says what happened.
constexpr std::pair<absl::string_view, absl::string_view> kReasons[] = {
    {"Connection refused", "connection refused"},
    {"DNS resolution failed", "unknown host"},
    {"empty address list", "unknown host"},
    {"http1.x server", "an HTTP/1 server answers there, not gRPC"},
    {"Failed parsing HTTP/2", "what answers there is not gRPC"},
    {"andshake failed", "the TLS handshake failed"},
    {"No route to host", "no route to the host"},
    {"unreachable", "the network is unreachable"},
    {"imed out", "the connection timed out"},
    {"imeout", "the connection timed out"},
    {"Permission denied", "the system does not permit the connection"},
    {"reset", "the connection was closed"},
    {"losed", "the connection was closed"},
    {"losing", "the connection was closed"},
    {"Broken pipe", "the connection was closed"},
    {"Stream removed", "the connection was closed"},
    {"GOAWAY", "the connection was closed"},
    {"RST_STREAM", "the connection was closed"},
};

bool IsOwnMessage(absl::string_view message) {
  return std::any_of(
      std::begin(kOwnMessages), std::end(kOwnMessages),
      [message](absl::string_view beginning) { return absl::StartsWith(message, beginning); });
}

}  // namespace

std::string PlainReason(absl::string_view message) {
  if (!IsOwnMessage(message)) return std::string(message);
  if (absl::ConsumePrefix(&message, kHttpStatus)) return absl::StrCat("HTTP status ", message);
  for (const auto& [part, reason] : kReasons) {
    if (absl::StrContains(message, part)) return std::string(reason);
  }
  return "no connection";
}

std::optional<absl::Status> ExplainNoAnswer(const std::string& server, const absl::Status& said,
                                            absl::Duration timeout,
                                            const std::function<std::string()>& why) {
  if (absl::IsDeadlineExceeded(said)) {
    return absl::DeadlineExceededError(
        absl::StrCat(server, " did not answer within ", absl::FormatDuration(timeout),
                     "; check that a gprofhub server listens there"));
  }
  if (said.ok() || !IsOwnMessage(said.message())) return std::nullopt;
  const std::string reason = PlainReason(said.message());
  const bool is_http = absl::StartsWith(said.message(), kHttpStatus);
  if (is_http && (absl::IsUnauthenticated(said) || absl::IsPermissionDenied(said))) {
    return absl::Status(said.code(),
                        absl::StrCat(server, " refused the request: ", reason,
                                     " of a proxy or another web server; name the --listen "
                                     "address of a gprofhub server with --server or "
                                     "GPROFHUB_SERVER, or log in at the proxy"));
  }
  if (is_http && absl::IsUnimplemented(said)) {
    return absl::UnimplementedError(
        absl::StrCat(server, " is not the address of a gprofhub server: ", reason,
                     "; name its --listen address with --server or GPROFHUB_SERVER"));
  }
  std::string explained = is_http ? "" : why();
  if (explained.empty()) {
    explained = absl::StrCat("no gprofhub server answers at ", server, ": ", reason,
                             "; start one with `gprofhub serve`, or name another with --server or "
                             "GPROFHUB_SERVER");
  }
  return absl::Status(said.code(), explained);
}

std::string ExplainNoConnection(const std::string& server, const ClientTls& tls,
                                absl::Duration patience) {
  const base::ServerAddress address = AddressOf(server);
  const size_t colon = address.target.rfind(':');
  if (colon == std::string::npos) return "";
  if (const std::optional<base::Proxy> proxy = ProxyOf(address); proxy.has_value()) {
    return absl::StartsWith(proxy->url, kHttp)
               ? absl::StrCat("no response from ", server, " through the proxy ", proxy->Display(),
                              ": check the proxy, or add the server's host to no_proxy")
               : absl::StrCat("no response from ", server, ", and the proxy ", proxy->Display(),
                              " is not an HTTP proxy: name one of the form http://HOST:PORT in "
                              "grpc_proxy, or add the server's host to no_proxy");
  }
  absl::string_view host = absl::string_view(address.target).substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  const Socket socket(std::string(host), address.target.substr(colon + 1), patience);
  if (socket.fd() < 0) return "";
  const WithoutSigpipe until_disconnected;
  return address.is_encrypted ? ExplainEncrypted(server, std::string(host), socket, tls)
                              : ExplainUnencrypted(server, socket);
}

}  // namespace gprofhub::ci
