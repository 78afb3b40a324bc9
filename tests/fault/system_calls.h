// What a server did to its files, as strace has seen it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::tests {

// What strace must be told for the functions below; it writes to `log`.
std::vector<std::string> StraceCommand(const std::string& log);

struct Acknowledgement {
  // Files with bytes, and folders with names, that were not on the disk when the first answer left.
  std::set<std::string> unsynced;
  int syncs = 0;
  int renames = 0;
  int writes = 0;
};

// Follows the calls until the first message of an answer (an HTTP/2 DATA frame) is sent. Only files
// below `directory` count. SQLite's shared memory (`*-shm`) and what lies in an `incoming` folder
// need not survive. NOT_FOUND if no answer was sent. INVALID_ARGUMENT if a line is not strace's.
absl::StatusOr<Acknowledgement> FirstAcknowledgement(absl::string_view log,
                                                     const std::string& directory);

}  // namespace gprofhub::tests
