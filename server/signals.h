// The signals of a server: SIGTERM and SIGINT end it, SIGHUP makes it read its files again.
#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/stop_token.h"
#include "collector/quotas.h"

namespace gprofhub::server {

// The program as the process that analyses for a server (analyzer/worker/analysis_child.h).

// The first argument of such a process. Internal, not a command for users.
inline constexpr char kAnalysisProcess[] = "analysis-process";

// Analyses until the server closes the connection. Returns, with an exit code, only if the
// arguments are wrong.
int RunAnalysisProcess(int argc, char** argv);

// The last resort of a process that is to end.

// Ends the process with code 1 and a line of log, unless this is destroyed within `grace`: a
// database, a file system or a channel's program may hang for ever. Acknowledged data is durable.
// Other workers take over running jobs when their leases expire.
class EndWithin {
 public:
  explicit EndWithin(absl::Duration grace);
  ~EndWithin();
  EndWithin(const EndWithin&) = delete;
  EndWithin& operator=(const EndWithin&) = delete;

 private:
  base::StopToken ended_;
  std::thread thread_;
};

// Names this process among all that work on one store.

// "host/pid".
std::string ProcessName();

// Loads the quotas of `gprofhub serve --quotas`.

// Reads the file and sets its quotas. After an error nothing has changed: INVALID_ARGUMENT naming
// the file and the field; ReadFile's errors.
absl::Status SetQuotasOfFile(const std::string& path, collector::Quotas& quotas);

// Reloads a server's files while it serves.

class Reloading {
 public:
  // `reload` changes all or, after an error, nothing.
  void Add(std::string what, std::function<absl::Status()> reload);
  // Reloads everything, and logs the result. A part with an error keeps its old state.
  void Run() const;

 private:
  std::vector<std::pair<std::string, std::function<absl::Status()>>> parts_;
};

// From its construction on these signals are blocked for AwaitEnd, in this thread and in all that
// it creates then.
class ServeSignals {
 public:
  ServeSignals();
  ServeSignals(const ServeSignals&) = delete;
  ServeSignals& operator=(const ServeSignals&) = delete;

  // Returns at the first SIGTERM or SIGINT with its number. A second one then ends the process at
  // once. Calls `on_hangup` at each SIGHUP; one that arrives after this returns has no effect.
  int AwaitEnd(const std::function<void()>& on_hangup) const;

 private:
  sigset_t all_;
};

}  // namespace gprofhub::server
