// Timeouts of PostgreSQL, and settings for tests.
#pragma once

#include <functional>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace gprofhub::store::postgres {

struct PostgresOptions {
  // Server-side timeouts: of a statement (statement_timeout), of waiting for another transaction's
  // lock (lock_timeout), and of a connection that leaves a transaction open
  // (idle_in_transaction_session_timeout). The parameter `options` of the URL takes precedence.
  absl::Duration statement = absl::Seconds(30);
  absl::Duration lock = absl::Seconds(10);
  absl::Duration idle_in_transaction = absl::Minutes(1);
  // A server that has not answered a statement by then is considered hung; the connection is
  // closed.
  absl::Duration answer = absl::Seconds(45);
  // Timeout of connecting, in whole seconds; libpq's minimum is 2.
  absl::Duration connect = absl::Seconds(10);
  // How long a transaction waits for a leased connection to be returned.
  absl::Duration pool = absl::Seconds(10);
  int connections = 16;
  // This process's clock, which may differ from the database's.
  std::function<absl::Time()> now = absl::Now;
};

}  // namespace gprofhub::store::postgres
