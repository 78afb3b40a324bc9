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
#include "cli/serve/texts/read_source.h"
#include "collector/access/authorizer.h"
#include "collector/collector_service.h"
#include "store/open_store.h"

namespace gprofhub::cli {

class CommandServer {
 public:
  // With an SQLite store in the folder. Fails the running test, and returns null, if it does not
  // start.
  static std::unique_ptr<CommandServer> Start(const std::filesystem::path& folder);

  const store::Store& store() const { return store_; }

  // The words of a command line, and the option that names this server.
  std::vector<std::string> Asked(std::vector<std::string> words) const;

  // Until nothing is left to analyse.
  void RunWorker();

  // From now on there is source to be had, of this reader.
  void ReadSourceBy(ReadSource read_source);

  // From now on every upload is analysed before it is acknowledged.
  void AnalyseOnArrival();

  void Stop();

 private:
  explicit CommandServer(store::Store store);
  collector::CollectorService::Options ServiceOptions();

  const store::Store store_;
  std::atomic<bool> analyses_on_arrival_ = false;
  collector::Authorizer authorizer_;
  // Set before the first call.
  std::shared_ptr<ReadSource> read_source_ = std::make_shared<ReadSource>();
  base::DecodingBudget decoding_{uint64_t{768} << 20};
  collector::CollectorService collector_;
  std::unique_ptr<GrpcServer> server_;
};

}  // namespace gprofhub::cli
