// A real PostgreSQL 15 server for one test program. It lives in a temporary directory and listens
// on a Unix socket there. At the end both are removed.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gprofhub::tests {

class PostgresServer {
 public:
  // A secret that no message may contain.
  static constexpr char kPassword[] = "s3cret/of@tests";

  // Makes a cluster, starts its server, and waits until it answers. That takes about two seconds,
  // so the tests of a program share one. If PostgreSQL is not installed, the error names
  // ./ci/setup --tests.
  static absl::StatusOr<std::unique_ptr<PostgresServer>> Start();

  // A server that follows this one: a copy of all its databases, which can be read only. It ends
  // before this one does.
  absl::StatusOr<std::unique_ptr<PostgresServer>> StartCopy();

  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  // Creates an empty database and returns its URL, password included.
  absl::StatusOr<std::string> CreateDatabase(const std::string& name,
                                             const std::string& encoding = "UTF8");
  // The URL of a database that there is.
  std::string UrlOf(const std::string& name) const;
  // Runs one statement in a database, as the cluster's owner.
  absl::Status Execute(const std::string& database, const std::string& sql);

  // Stops all its processes as they are (SIGSTOP), and resumes them.
  void Pause() const;
  void Resume() const;

  // Ends all connections and the server; committed data stays.
  absl::Status Stop();
  // Ends it as a crash does: at once, and its files are as they are then. A paused one reads
  // nothing more.
  void Crash();
  // With these variables, "NAME=value", in its environment.
  absl::Status StartAgain(const std::vector<std::string>& environment = {});

  // Folder of its files and its socket; those of the cluster are in data/. The server's user may
  // read it.
  const std::string& directory() const { return directory_; }

 private:
  // An empty folder that the server's user may write to, with a log.
  static absl::StatusOr<std::unique_ptr<PostgresServer>> MakeFolder();

  explicit PostgresServer(std::string directory) : directory_(std::move(directory)) {}

  void SignalAll(int signal, bool and_server = true) const;
  absl::Status MakeCluster();
  // Runs a program of PostgreSQL's to its end, as the server's user.
  absl::Status Run(const std::vector<std::string>& command);
  absl::StatusOr<pid_t> Spawn(const std::vector<std::string>& command,
                              const std::vector<std::string>& environment = {});

  const std::string directory_;
  pid_t server_ = -1;
};

}  // namespace gprofhub::tests
