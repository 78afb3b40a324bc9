// A real PgBouncer before a test's PostgreSQL server, in transaction mode: any transaction of a
// client may go to any connection of the server's, so nothing that belongs to a session lasts.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::tests {

class PgBouncer {
 public:
  // Starts one for all databases of the server, and waits until it listens. It has at most
  // `connections` to the server for each database. Its socket is in the server's directory. The
  // server must outlive it. If PgBouncer is not installed, the error names ./ci/setup --tests.
  static absl::StatusOr<std::unique_ptr<PgBouncer>> Start(const PostgresServer& server,
                                                          int connections);

  PgBouncer(const PgBouncer&) = delete;
  PgBouncer& operator=(const PgBouncer&) = delete;
  ~PgBouncer();

  // Ends it with all its connections; its socket is gone.
  void Kill();
  absl::Status StartAgain();
  // Stops it as it is (SIGSTOP), and resumes it.
  void Pause() const;
  void Resume() const;

  // The URL of a database of the server's (PostgresServer::CreateDatabase), but through the pooler.
  std::string Through(const std::string& url) const;

 private:
  explicit PgBouncer(std::string directory) : directory_(std::move(directory)) {}

  const std::string directory_;  // the server's
  pid_t process_ = -1;
};

}  // namespace gprofhub::tests
