#pragma once

#include "absl/strings/string_view.h"
#include "base/table_layout.h"

namespace gprofhub::profile {

// Of a GNU gmon file (profile/gmon/format.h); empty if it is none with the low bytes first, or cut.
base::TableLayout DescribeGmon(absl::string_view content);

}  // namespace gprofhub::profile
