// Why a server cannot be reached, in words that say what to change. gRPC's own message is
// "connections to all backends failing" where one side speaks TLS and the other does not.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "ci/upload/channel.h"

namespace gprofhub::ci {

// Connects once more, and looks at what the server speaks and at its certificate. Each step has
// `patience`. Empty where nothing is found: nobody listens, or all is as it should be.
std::string ExplainNoConnection(const std::string& server, const ClientTls& tls,
                                absl::Duration patience = absl::Seconds(3));

}  // namespace gprofhub::ci
