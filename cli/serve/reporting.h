// The reporter of one process: a thread that writes to forges.
#pragma once

#include <memory>
#include <thread>

#include "absl/status/statusor.h"
#include "cli/serve/forges.h"
#include "reporter/worker/report_worker.h"
#include "store/store.h"

namespace gprofhub {

class Reporting {
 public:
  // Reports from now on to destruction. `store` outlives it. Errors are
  // MakeForges's.
  static absl::StatusOr<std::unique_ptr<Reporting>> Start(Store& store,
                                                          const ForgeOptions& options);
  // Stops, after the report under way.
  ~Reporting();
  Reporting(const Reporting&) = delete;
  Reporting& operator=(const Reporting&) = delete;

 private:
  Reporting(Store& store, ForgeByProject forges);

  ReportWorker worker_;
  std::thread thread_;
};

}  // namespace gprofhub
