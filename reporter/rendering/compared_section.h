// The folded section of a comment that lists the compared runs.
#pragma once

#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Markdown: a <details> of at most about 20 lines.
std::string ComparedSection(const v1::Report& report);

}  // namespace gprofhub::reporter
