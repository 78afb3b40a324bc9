#include "cli/serve/reporting.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/serve/process_name.h"
#include "reporter/forge/http/curl_client.h"

namespace gprofhub::cli {
namespace {

reporter::ReportWorkerOptions Options() {
  reporter::ReportWorkerOptions options;
  options.name = absl::StrCat(ProcessName(), "/reporter");
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Reporting>> Reporting::Start(const store::ReportQueue& reports,
                                                            const store::Reading& reading,
                                                            const store::Blobs& blobs,
                                                            const store::GateRecords& gate,
                                                            const ForgeOptions& options) {
  absl::StatusOr<reporter::ForgeByProject> forges =
      MakeForges(options, reporter::MakeCurlClient({}), {absl::Now, absl::SleepFor});
  if (!forges.ok()) return forges.status();
  return std::unique_ptr<Reporting>(
      new Reporting(reports, reading, blobs, gate, *std::move(forges)));
}

Reporting::Reporting(const store::ReportQueue& reports, const store::Reading& reading,
                     const store::Blobs& blobs, const store::GateRecords& gate,
                     reporter::ForgeByProject forges)
    : worker_(reports, reading, blobs, gate, std::move(forges), Options()),
      thread_([this] { worker_.Run(); }) {}

Reporting::~Reporting() {
  worker_.Stop();
  thread_.join();
}

}  // namespace gprofhub::cli
