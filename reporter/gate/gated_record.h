// What a gate's rules caught, as the store keeps it.
#pragma once

#include <string>

#include "store/records/records.h"

namespace gprofhub::reporter {

// The record of one finding of the run: names are made printable and cut to what the store takes.
store::GatedRecord MakeGatedRecord(const store::RunRecord& run, const std::string& rule,
                                   const std::string& target, const std::string& function,
                                   const std::string& function_display);

}  // namespace gprofhub::reporter
