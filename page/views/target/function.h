// One function over time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "page/html/html.h"
#include "page/views/shell.h"
#include "page/views/target/function_page.h"

namespace gprofhub::page {

Html FunctionView(const Context& context, const FunctionPage& page);
// Asks which function is meant if the name is ambiguous, or reports that none matches.
Html FunctionChoiceView(const Context& context, const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& names,
                        const std::string& message);

}  // namespace gprofhub::page
