// Call graph page: one function, its callers above, its callees below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "page/html/html.h"
#include "page/views/shell.h"
#include "page/views/target/target.h"
#include "profile/computed.h"

namespace gprofhub::page {

struct GraphQuery {
  std::optional<uint32_t> function;  // row; nothing: the list of functions
  std::string part;                  // name filter of the list
};
Html CallGraphView(const Context& context, const TargetPlace& place,
                   const profile::ComputedProfile& profile, const GraphQuery& query);

// The tables of callers and callees of the function in this row.
Html CallersAndCallees(const Context& context, const TargetPlace& place,
                       const profile::ComputedProfile& profile, uint32_t function);

}  // namespace gprofhub::page
