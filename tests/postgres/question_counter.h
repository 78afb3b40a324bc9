// Stands between clients and a PostgreSQL server, and counts how often they ask it.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "tests/relay/relay.h"

namespace gprofhub::tests {

class QuestionCounter {
 public:
  // Listens on loopback for the server whose Unix socket is in the folder.
  explicit QuestionCounter(const std::string& folder);

  // The URL of PostgresServer::CreateDatabase, through this.
  std::string Through(const std::string& url) const;

  // Number of messages after which a client waits for the server: simple queries, and "Sync", the
  // end of one or more of the extended protocol
  // (https://www.postgresql.org/docs/15/protocol-flow.html). Only answered ones are counted.
  int questions() const { return questions_; }

 private:
  Relay::Rule NewRule();

  const std::string folder_;
  std::atomic<int> questions_{0};
  std::unique_ptr<Relay> relay_;  // last: it uses the others
};

}  // namespace gprofhub::tests
