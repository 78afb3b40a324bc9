// The server process from start to graceful end.
#pragma once

#include "absl/status/status.h"
#include "cli/serve/serve_options.h"

namespace gprofhub::cli {

// Serves until SIGTERM or SIGINT, and reloads its files at SIGHUP. Prints "listening on HOST:PORT"
// (or "working", without a listening role) to stdout once ready, and notifies systemd; logs go to
// stderr. On a signal running calls may end, running analyses and reports are returned to the
// queue, and OK is returned; if that takes longer than 20 seconds, because something hangs, the
// process exits without it. To be called from the main thread, before other threads exist. Errors:
// every failure of the startup.
absl::Status Serve(const ServeOptions& options);

}  // namespace gprofhub::cli
