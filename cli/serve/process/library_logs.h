// What gRPC and libprotobuf have to say, as lines of this program's log.
#pragma once

namespace gprofhub::cli {

// From now on their errors are logged through spdlog, at most one a second of each. Strangers cause
// some of them, such as a handshake that fails or a text that is not UTF-8, and must not fill the
// disk with that. Of the whole process.
void LogLibraryErrors();

}  // namespace gprofhub::cli
