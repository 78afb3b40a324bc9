// A trend by days or weeks.
//
// Of spans that are summarised (store/records/summaries.h), their days are read. Of the others, and
// of those in which a static function had two files, the runs are: the answer is the same.
#pragma once

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/query_memory.h"
#include "store/reading.h"

namespace gprofhub::reporter {

// As GetTrend (trend.h), for a request whose `by` is no BY_RUN.
absl::StatusOr<v1::GetTrendResponse> GetPeriodTrend(const store::Reading& reading,
                                                    const BlobReader& blobs,
                                                    const v1::GetTrendRequest& request,
                                                    QueryMemory* memory);

}  // namespace gprofhub::reporter
