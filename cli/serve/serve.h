// The server process from start to graceful end.
#pragma once

#include "absl/status/status.h"
#include "cli/serve/serve_options.h"

namespace gprofhub::cli {

// Serves until SIGTERM or SIGINT, and reads its files again at SIGHUP. Prints "listening on
// HOST:PORT" (or "working", where no role listens) to stdout once ready; systemd is told, too; logs
// go to stderr. On a signal calls under way may end, analyses and reports under way are given back,
// and OK is returned; if that takes longer than 20 seconds, because something hangs, the process
// ends without it. To be called from the main thread, before other threads exist. Errors: whatever
// keeps the server from starting.
absl::Status Serve(const ServeOptions& options);

}  // namespace gprofhub::cli
