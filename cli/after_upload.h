// The steps of `gprofhub upload` after sending the runs: wait, report, check.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "cli/command/command.h"
#include "reporter/gate/policy.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

struct AfterUploadOptions {
  bool wait = false;
  uint32_t wait_seconds = 600;  // for all of it
  bool report = false;
  bool check = false;
  std::string policy_file;
  std::string format = "text";  // of what goes to stdout

  bool any() const { return wait || report || check; }
  // Whether the report or the check uses stdout, so that the summary goes to stderr.
  bool prints() const { return report || check; }
};

// Adds --wait, --wait-timeout, --report, --check, --policy and --format.
void AddAfterUploadOptions(CLI::App& command, AfterUploadOptions& options);

// Throws CLI::ValidationError if --format fits none of the outputs.
void CheckFormat(const AfterUploadOptions& options);

// Waits until the runs are analysed, prints their reports or checks to stdout (with both, the
// checks to stderr), and returns an ExitCode: that of the check, kExitUnavailable after a timeout,
// kExitIncomplete where a target's analysis failed.
int RunAfterUpload(const ServerOptions& server, const std::set<std::string>& run_ids,
                   const reporter::Policy& policy, const AfterUploadOptions& options);

}  // namespace gprofhub::cli
