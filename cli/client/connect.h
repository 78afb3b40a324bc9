// Connects to the server of the command line.
#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "cli/command/command.h"

namespace gprofhub::cli {

// Warns if a token would be sent unencrypted, or certificates would not be used.
std::shared_ptr<grpc::Channel> Connect(const ServerOptions& options);

// The reason why the connection of a call failed with UNAVAILABLE, as in ci::ExplainNoConnection.
std::string WhyNoAnswer(const ServerOptions& options);

}  // namespace gprofhub::cli
