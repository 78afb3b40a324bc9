// A program that runs beside something of ours.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gprofhub::cli {

// From its construction on, SIGTERM, SIGINT and SIGCHLD wait, in this thread and in all that it
// makes then.
class CompanionSignals {
 public:
  CompanionSignals();
  CompanionSignals(const CompanionSignals&) = delete;
  CompanionSignals& operator=(const CompanionSignals&) = delete;

  // Runs words[0], found in PATH, with our input, output and environment, until it ends. Gives its
  // exit code; 128 and the signal's number if one ended it. A SIGTERM is passed on to it, and a
  // SIGINT is not: a terminal sends that to both. NOT_FOUND if it cannot be started.
  absl::StatusOr<int> Run(const std::vector<std::string>& words) const;

  // Returns at the first SIGTERM or SIGINT.
  void AwaitEnd() const;

 private:
  sigset_t signals_;
};

}  // namespace gprofhub::cli
