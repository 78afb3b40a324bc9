// A server's file operations, as traced by strace.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::tests {

// The command line of strace for the functions below; it writes to `log`.
std::vector<std::string> StraceCommand(const std::string& log);

struct Acknowledgement {
  // Files with bytes, and folders with names, that were not on the disk when the first answer left.
  std::set<std::string> unsynced;
  int syncs = 0;
  int renames = 0;
  int writes = 0;
};

// Follows the calls until the first message of a response (an HTTP/2 DATA frame) is sent. Only
// files below `directory` count. SQLite's shared memory (`*-shm`) and files in an `incoming` folder
// need not survive. NOT_FOUND if no response was sent. INVALID_ARGUMENT if a line is not strace's.
absl::StatusOr<Acknowledgement> FirstAcknowledgement(absl::string_view log,
                                                     const std::string& directory);

}  // namespace gprofhub::tests
