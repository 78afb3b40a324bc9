#include "cli/serve/reporting.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/serve/process_name.h"
#include "reporter/forge/curl_client.h"

namespace gprofhub {
namespace {

ReportWorkerOptions Options() {
  ReportWorkerOptions options;
  options.name = absl::StrCat(ProcessName(), "/reporter");
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Reporting>> Reporting::Start(const ReportQueue& reports,
                                                            const Reading& reading,
                                                            const Blobs& blobs,
                                                            const GateRecords& gate,
                                                            const ForgeOptions& options) {
  absl::StatusOr<ForgeByProject> forges =
      MakeForges(options, MakeCurlClient({}), {absl::Now, absl::SleepFor});
  if (!forges.ok()) return forges.status();
  return std::unique_ptr<Reporting>(
      new Reporting(reports, reading, blobs, gate, *std::move(forges)));
}

Reporting::Reporting(const ReportQueue& reports, const Reading& reading, const Blobs& blobs,
                     const GateRecords& gate, ForgeByProject forges)
    : worker_(reports, reading, blobs, gate, std::move(forges), Options()),
      thread_([this] { worker_.Run(); }) {}

Reporting::~Reporting() {
  worker_.Stop();
  thread_.join();
}

}  // namespace gprofhub
