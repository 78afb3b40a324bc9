// How what a store keeps falls into tables (base/table_layout.h): symbol bundles, profiles and
// results, uncompressed. Nothing is checked beyond that: a reader of the format does.
#pragma once

#include "absl/strings/string_view.h"
#include "base/table_layout.h"

namespace gprofhub::profile {

// Empty if the content is of no form that is described: BSD's gmon files, those of another byte
// order. The content may be any bytes. Takes time and memory for its length.
base::TableLayout DescribeContent(base::ContentKind kind, absl::string_view content);

}  // namespace gprofhub::profile
