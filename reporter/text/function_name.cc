#include "reporter/text/function_name.h"

#include <cstddef>

#include "base/printable.h"
#include "profile/names/short_name.h"
#include "reporter/text/markdown_code.h"

namespace gprofhub::reporter {
namespace {

// Two of them and their numbers fit a line. Longer signatures are unreadable.
constexpr size_t kNameCharacters = 50;
// Limit for a name that contains escaped characters.
constexpr size_t kShownCharacters = 60;

}  // namespace

std::string FunctionName(absl::string_view display) {
  return base::Shortened(base::Printable(profile::ShortName(display, kNameCharacters)),
                         kShownCharacters);
}

std::string FunctionCode(absl::string_view display, bool in_table) {
  return MarkdownCode(profile::ShortName(display, kNameCharacters), in_table, kShownCharacters);
}

}  // namespace gprofhub::reporter
