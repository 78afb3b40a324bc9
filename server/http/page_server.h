// HTTP server for browsers. Independent of gRPC, with threads of its own: uploads and calls
// continue regardless of its load.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/memory_budget.h"
#include "collector/method.h"
#include "server/http/pages.h"
#include "server/http/visits.h"
#include "server/listen/listen_address.h"

namespace gprofhub::server {

struct PageServerOptions {
  ListenAddress listen;
  VisitOptions visits;
  std::string user_header;  // in which proxies name the user; empty: none
  // Maximum number of connections. A client that waits for a response keeps its connection; of the
  // others a new one replaces the oldest.
  size_t peers = 64;
  // From connection to the end of the answer.
  absl::Duration patience = absl::Seconds(60);
  // Pages made at one time for people, and the same for strangers. One person, or one network of
  // strangers, has at most three quarters of them.
  size_t threads = 4;
  // Memory limit for decoding; outlives the server.
  base::MemoryBudget* decoding = nullptr;
};

class PageServer {
 public:
  // Listens until destruction. Errors are ListenOn's and Visits::Make's.
  static absl::StatusOr<std::unique_ptr<PageServer>> Start(const PageServerOptions& options,
                                                           PageSources sources,
                                                           collector::Access access);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  const ListenAddress& address() const;

 private:
  class Impl;
  explicit PageServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofhub::server
