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
// Where a name is ambiguous, or nothing has it.
Html FunctionChoiceView(const Context& context, const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& names,
                        const std::string& message);

}  // namespace gprofhub::page
