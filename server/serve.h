// The server process from start to graceful end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/access.h"
#include "server/observing.h"
#include "server/other_services.h"
#include "server/page_options.h"
#include "server/reporting.h"
#include "server/services.h"
#include "server/workers.h"

namespace gprofhub::server {

// Command-line options of a server, by subject.
struct ServeOptions {
  // "collector", "worker", "query", "reporter" or "all"; none: all.
  std::vector<std::string> roles;
  StoreOptions store;
  // Blobs older than this are moved to the archive; 0: none are.
  uint32_t archive_after_days = 7;
  ListenOptions listen;
  AccessOptions access;
  WorkerPoolOptions workers;
  LimitOptions limits;
  OtherServiceOptions other_services;
  ReportingOptions reporting;
  PageOptions pages;  // with the role query
  ObserveOptions observe;
};

// Serves until SIGTERM or SIGINT, and reloads its files at SIGHUP. Prints "listening on HOST:PORT"
// (or "working", without a listening role) to stdout once ready, and notifies systemd; logs go to
// stderr. On a signal running calls may end, running analyses and reports are returned to the
// queue, and OK is returned; if that takes longer than 20 seconds, because something hangs, the
// process exits without it. To be called from the main thread, before other threads exist. Errors:
// every failure of the startup.
absl::Status Serve(const ServeOptions& options);

}  // namespace gprofhub::server
