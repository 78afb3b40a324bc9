// Explains why a server cannot be reached, and what to change. gRPC's own message is "connections
// to all backends failing" if one side speaks TLS and the other does not.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "ci/upload/channel.h"

namespace gprofhub::ci {

// Connects again and examines the server's protocol and certificate, with the timeout `patience`
// for each step. Empty if no cause is found: nothing listens there, or the connection works.
std::string ExplainNoConnection(const std::string& server, const ClientTls& tls,
                                absl::Duration patience = absl::Seconds(3));

}  // namespace gprofhub::ci
