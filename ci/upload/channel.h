// Addresses of servers and channels to them.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <memory>
#include <string>

#include "absl/time/time.h"

namespace gprofhub::ci {

struct ServerAddress {
  std::string target;  // gRPC's form of the address
  bool is_encrypted = false;
};

// Address as users write it: "host:port" without encryption, or "https://host[:port]" for TLS, with
// port 443 by default. A trailing slash is dropped.
ServerAddress ParseServerAddress(const std::string& server);

// Certificates of a client: trusted authorities and its own. PEM; empty: none.
struct ClientTls {
  std::string authorities;  // trusted authorities of the server's certificate; empty: the system's
  std::string certificate;  // the client's own
  std::string key;          // its key

  bool empty() const { return authorities.empty() && certificate.empty() && key.empty(); }
};

// A server behind TLS must have a certificate for its host name, issued by an authority in `tls`,
// else by one that the system trusts or that GRPC_DEFAULT_SSL_ROOTS_FILE_PATH names
// (https://github.com/grpc/grpc/blob/v1.51.1/doc/environment_variables.md).
std::shared_ptr<grpc::Channel> ConnectTo(const std::string& server, const ClientTls& tls = {});

// Whether requests to `server` can be read on the network: neither encrypted nor to this machine.
bool SendsInTheClear(const std::string& server);

// Sets a call's deadline, `timeout` from now, and its bearer token; an empty token is not sent.
void PrepareCall(const std::string& token, absl::Duration timeout, grpc::ClientContext& call);

}  // namespace gprofhub::ci
