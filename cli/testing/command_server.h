// The server that commands talk to, in this process: on loopback, with a store of
// its own and no worker but RunWorker.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/decoding/budget.h"
#include "cli/serve/grpc_server.h"
#include "collector/access/authorizer.h"
#include "collector/collector_service.h"
#include "store/open_store.h"

namespace gprofhub::cli {

class CommandServer {
 public:
  // With an SQLite store in the folder. Fails the running test, and gives null, if
  // it does not start.
  static std::unique_ptr<CommandServer> Start(const std::filesystem::path& folder);

  const store::Store& store() const { return store_; }

  // The words of a command line, and the option that names this server.
  std::vector<std::string> Asked(std::vector<std::string> words) const;

  // Until nothing is left to analyse.
  void RunWorker();

  // From now on whatever is uploaded is analysed before its upload is acknowledged.
  void AnalyseOnArrival();

  void Stop();

 private:
  explicit CommandServer(store::Store store);
  collector::CollectorService::Options ServiceOptions();

  const store::Store store_;
  std::atomic<bool> analyses_on_arrival_ = false;
  collector::Authorizer authorizer_;
  base::DecodingBudget decoding_{uint64_t{768} << 20};
  collector::CollectorService collector_;
  std::unique_ptr<GrpcServer> server_;
};

}  // namespace gprofhub::cli
