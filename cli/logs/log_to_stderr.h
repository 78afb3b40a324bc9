// Where the server's log goes.
#pragma once

#include "cli/logs/log_lines.h"

namespace gprofhub::cli {

// Lets everything that this process logs go to stderr, in lines of this format; what gRPC
// and libprotobuf log as well, a few lines a minute at most. To be called once, before other
// threads exist.
void LogToStderr(LogFormat format);

}  // namespace gprofhub::cli
