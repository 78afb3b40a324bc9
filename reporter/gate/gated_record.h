// Store records of gated findings.
#pragma once

#include <string>

#include "store/records/records.h"

namespace gprofhub::reporter {

// The record of one finding of the run: names are made printable and cut to the store's limits.
store::GatedRecord MakeGatedRecord(const store::RunRecord& run, const std::string& rule,
                                   const std::string& target, const std::string& function,
                                   const std::string& function_display);

}  // namespace gprofhub::reporter
