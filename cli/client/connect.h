// The way to the server that the command line names.
#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "cli/command/command.h"

namespace gprofhub::cli {

// Warns if a token would go there unencrypted, or certificates would not be used.
std::shared_ptr<grpc::Channel> Connect(const ServerOptions& options);

// What is wrong with the connection where a call came to UNAVAILABLE, as ci::ExplainNoConnection.
std::string WhyNoAnswer(const ServerOptions& options);

}  // namespace gprofhub::cli
