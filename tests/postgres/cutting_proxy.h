// Stands between a client and a PostgreSQL server, and loses the end of a transaction.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gprofhub::tests {

class CuttingProxy {
 public:
  enum class Cut {
    kNever,
    kBeforeCommit,  // the server does not get it
    kAfterCommit,   // the server answers it, the client gets no answer
  };

  // Listens on loopback for the server whose Unix socket is in the folder.
  explicit CuttingProxy(const std::string& folder);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  // The URL of PostgresServer::CreateDatabase, through this proxy.
  std::string Through(const std::string& url) const;

  // What happens to the connection of the next commit, once.
  void Set(Cut cut) { cut_ = cut; }
  // How often that happened.
  int cuts() const { return cuts_; }

 private:
  void Accept();
  void Relay(int client);

  const std::string folder_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<Cut> cut_{Cut::kNever};
  std::atomic<int> cuts_{0};
  std::atomic<bool> ending_{false};
  std::mutex mutex_;
  std::vector<std::thread> relays_;  // guarded by mutex_
  std::thread accepting_;
};

}  // namespace gprofhub::tests
