// gRPC's own messages, as lines of this program's log.
#pragma once

namespace gprofhub::cli {

// From now on gRPC's errors are logged through spdlog, at most one a second. Strangers cause some
// of them, such as a handshake that fails, and must not fill the disk with that. Of the whole
// process.
void LogGrpcErrors();

}  // namespace gprofhub::cli
