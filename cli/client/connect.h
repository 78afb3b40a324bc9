// The way to the server that the command line names.
#pragma once

#include <grpcpp/channel.h>

#include <memory>

#include "cli/command/command.h"

namespace gprofhub::cli {

// Warns if a token would go there unencrypted.
std::shared_ptr<grpc::Channel> Connect(const ServerOptions& options);

}  // namespace gprofhub::cli
