// gprofhub.v1.Query: what its methods do, around reporter/queries/ and, for listings and
// orderings, the analyzer.
#pragma once

#include <vector>

#include "base/decoding/budget.h"
#include "cli/serve/texts/read_source.h"
#include "collector/calls/method.h"
#include "store/blobs.h"
#include "store/gate_records.h"
#include "store/reading.h"

namespace gprofhub::cli {

// For a CallServer. Every call is authorised for the project that its request names. A call decodes
// within the project's part of `decoding`, which outlives the methods. `read_source` is null if
// source is unavailable.
std::vector<collector::Method> QueryMethods(const store::Reading& reading,
                                            const store::Blobs& stored,
                                            base::DecodingBudget& decoding,
                                            const store::GateRecords& gate,
                                            const ReadSource& read_source = nullptr);

}  // namespace gprofhub::cli
