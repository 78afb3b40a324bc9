#pragma once

#include "absl/strings/string_view.h"
#include "base/table_layout.h"

namespace gprofhub::profile {

// Of a symbol bundle or a result, as protobuf writes them; empty if it is no message. What is not
// known of the message, and numbers that are not in the fewest bytes, are left as they are.
base::TableLayout DescribeMessage(base::ContentKind kind, absl::string_view content);

}  // namespace gprofhub::profile
