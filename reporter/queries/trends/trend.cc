#include "reporter/queries/trends/trend.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "reporter/history/trend.h"
#include "reporter/queries/trends/period_trend.h"
#include "reporter/queries/trends/run_sums.h"
#include "reporter/queries/trends/trend_function.h"
#include "store/records/history.h"
#include "store/records/records.h"

namespace gprofhub::reporter {
namespace {

constexpr uint32_t kDefaultTrendRuns = 100;
constexpr uint32_t kMostTrendRuns = 10000;

}  // namespace

absl::StatusOr<v1::GetTrendResponse> GetTrend(const store::Reading& reading,
                                              const BlobReader& blobs,
                                              const v1::GetTrendRequest& request,
                                              QueryMemory* memory) {
  if (request.by() != v1::BY_RUN) return GetPeriodTrend(reading, blobs, request, memory);
  if (request.limit() > kMostTrendRuns) {
    return absl::InvalidArgumentError(absl::StrCat("limit: at most ", kMostTrendRuns));
  }
  store::RunFilter filter;
  filter.project = request.project();
  filter.branch = request.branch();
  filter.configuration = request.configuration();
  filter.counted_only = true;
  filter.limit = request.limit() == 0 ? kDefaultTrendRuns : request.limit();
  const absl::StatusOr<std::vector<store::RunHead>> runs = reading.ListRunHeads(filter);
  if (!runs.ok()) return runs.status();
  const SummedRuns summed = {request.project(), request.target(), *runs};

  // A linkage name, as in links of pages, identifies the series: no profile needs to be read,
  // unless the function is static.
  const SeriesIdentity named = NamedFunction(request);
  const absl::StatusOr<std::vector<FunctionAtRun>> of_name =
      SumsOf(reading, blobs.decoding(), summed, named);
  if (!of_name.ok()) return of_name.status();
  if (IsInNewestRuns(*of_name)) return BuildTrend(named, *runs, *of_name);

  absl::StatusOr<SeriesIdentity> function = FindFunction(reading, blobs, *runs, request, memory);
  if (!function.ok()) return function.status();
  absl::Status status = AddOldestHashes(reading, blobs, *runs, request, *function, memory);
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<FunctionAtRun>> sums =
      SumsOf(reading, blobs.decoding(), summed, *function);
  if (!sums.ok()) return sums.status();
  return BuildTrend(*function, *runs, *sums);
}

}  // namespace gprofhub::reporter
