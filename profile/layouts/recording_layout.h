#pragma once

#include "absl/strings/string_view.h"
#include "base/table_layout.h"

namespace gprofhub::profile {

// Of a recording (profile/recording/format.h); empty if it is none of this version that is whole.
base::TableLayout DescribeRecording(absl::string_view content);

}  // namespace gprofhub::profile
