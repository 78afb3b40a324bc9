// What was compared with what, folded, below a comment.
#pragma once

#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Markdown: a <details> of at most about 20 lines.
std::string ComparedSection(const v1::Report& report);

}  // namespace gprofhub::reporter
