// Configures the server's log.
#pragma once

#include "cli/logs/log_lines.h"

namespace gprofhub::cli {

// Sends all logs of this process to stderr, in lines of this format, including those of gRPC and
// libprotobuf, which are limited to a few lines a minute. To be called once, before other threads
// exist.
void LogToStderr(LogFormat format);

}  // namespace gprofhub::cli
