#include "cli/serve/reporting.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/serve/process_name.h"
#include "reporter/forge/http/curl_client.h"

namespace gprofhub::cli {
namespace {

reporter::ReportWorkerOptions Options(const std::string& page_url) {
  reporter::ReportWorkerOptions options;
  options.name = absl::StrCat(ProcessName(), "/reporter");
  options.page_url = page_url;
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Reporting>> Reporting::Start(
    const store::ReportQueue& reports, const store::Reading& reading, const store::Blobs& blobs,
    const store::GateRecords& gate, const ForgeOptions& options, const std::string& page_url) {
  absl::StatusOr<reporter::ForgeByProject> forges =
      MakeForges(options, reporter::MakeCurlClient({}), {absl::Now, absl::SleepFor});
  if (!forges.ok()) return forges.status();
  return std::unique_ptr<Reporting>(
      new Reporting(reports, reading, blobs, gate, *std::move(forges), page_url));
}

Reporting::Reporting(const store::ReportQueue& reports, const store::Reading& reading,
                     const store::Blobs& blobs, const store::GateRecords& gate,
                     reporter::ForgeByProject forges, const std::string& page_url)
    : worker_(reports, reading, blobs, gate, std::move(forges), Options(page_url)),
      thread_([this] { worker_.Run(); }) {}

Reporting::~Reporting() {
  worker_.Stop();
  thread_.join();
}

}  // namespace gprofhub::cli
