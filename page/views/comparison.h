// Comparison page: the verdict and every finding.
#pragma once

#include "page/html/html.h"
#include "page/views/finding_parts.h"
#include "page/views/shell.h"

namespace gprofhub::page {

Html ComparisonView(const Context& context, const Comparison& comparison);

}  // namespace gprofhub::page
