// Stands between a client and a PostgreSQL server, and loses the end of a transaction.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "tests/relay/relay.h"

namespace gprofhub::tests {

class CommitCutter {
 public:
  enum class Cut {
    kNever,
    kBeforeCommit,  // the server does not get it
    kAfterCommit,   // the server answers it, the client gets no answer
  };

  // Listens on loopback for the server whose Unix socket is in the folder.
  explicit CommitCutter(const std::string& folder);

  // The URL of PostgresServer::CreateDatabase, through this.
  std::string Through(const std::string& url) const;

  // The fate of the next commit's connection, once.
  void Set(Cut cut) { cut_ = cut; }
  // How often that happened.
  int cuts() const { return cuts_; }

 private:
  Relay::Rule NewRule();

  const std::string folder_;
  std::atomic<Cut> cut_{Cut::kNever};
  std::atomic<int> cuts_{0};
  std::unique_ptr<Relay> relay_;  // last: it uses the others
};

}  // namespace gprofhub::tests
