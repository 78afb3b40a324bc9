// The way to a server.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <memory>
#include <string>

#include "absl/time/time.h"

namespace gprofhub::ci {

// "host:port" without encryption, or "https://host[:port]" through TLS with the
// system's root certificates.
std::shared_ptr<grpc::Channel> ConnectTo(const std::string& server);

// Whether others on the way to `server` can read what is sent: it is neither
// encrypted nor on this machine.
bool SendsInTheClear(const std::string& server);

// Sets a call's deadline, `timeout` from now, and its bearer token; an empty one is not sent.
void PrepareCall(const std::string& token, absl::Duration timeout, grpc::ClientContext& call);

}  // namespace gprofhub::ci
