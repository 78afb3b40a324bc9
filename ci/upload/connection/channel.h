// Channels to servers. Addresses are those that base::ParseServerAddress accepts.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::ci {

// Converts a gRPC status to absl::Status.

// The same code and message. An error always has a message: gRPC itself gives none for some, and
// then it is the code's name, such as "UNIMPLEMENTED".
absl::Status StatusOfCall(const grpc::Status& status);

// Certificates of a client: trusted authorities and its own. PEM; empty: none.
struct ClientTls {
  std::string authorities;  // trusted authorities of the server's certificate; empty: the system's
  std::string certificate;  // the client's own
  std::string key;          // its key

  bool empty() const { return authorities.empty() && certificate.empty() && key.empty(); }
};

// Connects directly, or through the HTTP proxy of base::ProxyFor. gRPC supports no other kind of
// proxy: such a proxy is not used.
//
// A server behind TLS must have a certificate for its host name, issued by an authority in `tls`,
// else by one that the system trusts or that GRPC_DEFAULT_SSL_ROOTS_FILE_PATH names
// (https://github.com/grpc/grpc/blob/v1.51.1/doc/environment_variables.md).
std::shared_ptr<grpc::Channel> ConnectTo(const std::string& server, const ClientTls& tls = {});

// Whether requests to `server` can be read on the network: neither encrypted nor to this machine.
bool SendsInTheClear(const std::string& server);

// Sets a call's deadline, `timeout` from now, and its bearer token, which is printable ASCII
// (base::HeaderSecret); an empty token is not sent.
void PrepareCall(const std::string& token, absl::Duration timeout, grpc::ClientContext& call);

// A message of gRPC's own about a connection, in plain words, such as "connection refused"; any
// other message as it is.
std::string PlainReason(absl::string_view message);

// Explains in one sentence a call that no gprofhub server answered: a refused or closed connection,
// an unknown host, a time-out, another protocol, a proxy's HTTP status. `said` is StatusOfCall's.
// `why`, called for a connection that failed, returns ExplainNoConnection's reason. The result has
// the same code, and names the server once, without gRPC's words. nullopt: the server answered
// itself, or the call succeeded.
std::optional<absl::Status> ExplainNoAnswer(const std::string& server, const absl::Status& said,
                                            absl::Duration timeout,
                                            const std::function<std::string()>& why);

// Explains why a server cannot be reached, and what to change. gRPC's own message is "connections
// to all backends failing" if one side speaks TLS and the other does not.

// Connects again and examines the server's protocol and certificate, with the timeout `patience`
// for each step. If a proxy is in use, names it instead. Empty if no cause is found: nothing
// listens there, or the connection works.
std::string ExplainNoConnection(const std::string& server, const ClientTls& tls,
                                absl::Duration patience = absl::Seconds(3));

}  // namespace gprofhub::ci
