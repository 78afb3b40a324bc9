#include "profile/layouts/describe_content.h"

#include "profile/layouts/gmon_layout.h"
#include "profile/layouts/message_layout.h"
#include "profile/layouts/recording_layout.h"

namespace gprofhub::profile {

base::TableLayout DescribeContent(base::ContentKind kind, absl::string_view content) {
  if (kind != base::ContentKind::kProfile) return DescribeMessage(kind, content);
  base::TableLayout layout = DescribeGmon(content);
  return layout.empty() ? DescribeRecording(content) : layout;
}

}  // namespace gprofhub::profile
