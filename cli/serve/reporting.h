// The reporter of one process: a thread that writes to forges.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "cli/serve/forges.h"
#include "reporter/worker/report_worker.h"
#include "store/blobs.h"
#include "store/gate_records.h"
#include "store/reading.h"
#include "store/report_queue.h"

namespace gprofhub::cli {

class Reporting {
 public:
  // Reports from now on to destruction. `page_url` is
  // ReportWorkerOptions's. Errors are MakeForges's.
  static absl::StatusOr<std::unique_ptr<Reporting>> Start(
      const store::ReportQueue& reports, const store::Reading& reading, const store::Blobs& blobs,
      const store::GateRecords& gate, const ForgeOptions& options, const std::string& page_url);
  // Stops, after the report under way.
  ~Reporting();
  Reporting(const Reporting&) = delete;
  Reporting& operator=(const Reporting&) = delete;

 private:
  Reporting(const store::ReportQueue& reports, const store::Reading& reading,
            const store::Blobs& blobs, const store::GateRecords& gate,
            reporter::ForgeByProject forges, const std::string& page_url);

  reporter::ReportWorker worker_;
  std::thread thread_;
};

}  // namespace gprofhub::cli
