// A trend by days or weeks.
//
// Summarised spans (store/records/summaries.h) are read as days. Others, and those in which a
// static function had two files, are read as runs: the result is the same.
#pragma once

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/query_memory.h"
#include "store/reading.h"

namespace gprofhub::reporter {

// Like GetTrend (trend.h), for a request whose `by` is not BY_RUN.
absl::StatusOr<v1::GetTrendResponse> GetPeriodTrend(const store::Reading& reading,
                                                    const BlobReader& blobs,
                                                    const v1::GetTrendRequest& request,
                                                    QueryMemory* memory);

}  // namespace gprofhub::reporter
