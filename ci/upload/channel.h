// The way to a server.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <memory>
#include <string>

#include "absl/time/time.h"

namespace gprofhub::ci {

struct ServerAddress {
  std::string target;  // as gRPC takes it
  bool is_encrypted = false;
};

// What people write: "host:port" without encryption, or "https://host[:port]" through TLS, whose
// port is 443 unless given. A slash at its end is left out.
ServerAddress ParseServerAddress(const std::string& server);

// What a client knows and shows of certificates. All PEM; empty texts are none.
struct ClientTls {
  std::string authorities;  // of the server's certificate; none: those that the system trusts
  std::string certificate;  // the client's own
  std::string key;          // its key

  bool empty() const { return authorities.empty() && certificate.empty() && key.empty(); }
};

// A server behind TLS must have a certificate for its host's name, of an authority that `tls` names
// or else the system trusts; or that GRPC_DEFAULT_SSL_ROOTS_FILE_PATH names
// (https://github.com/grpc/grpc/blob/v1.51.1/doc/environment_variables.md).
std::shared_ptr<grpc::Channel> ConnectTo(const std::string& server, const ClientTls& tls = {});

// Whether others on the way to `server` can read what is sent: it is neither
// encrypted nor on this machine.
bool SendsInTheClear(const std::string& server);

// Sets a call's deadline, `timeout` from now, and its bearer token; an empty one is not sent.
void PrepareCall(const std::string& token, absl::Duration timeout, grpc::ClientContext& call);

}  // namespace gprofhub::ci
