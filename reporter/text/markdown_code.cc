#include "reporter/text/markdown_code.h"

#include "base/printable.h"

namespace gprofhub::reporter {

std::string MarkdownCode(absl::string_view text, bool in_table, size_t max_characters) {
  if (text.empty()) return "";
  std::string plain = base::Shortened(base::PrintableWithout(text, "`\\"), max_characters);
  std::string out = "`";
  // Markdown strips one blank from both ends of a code span, unless it consists of blanks only.
  if (plain.front() == ' ' || plain.back() == ' ') plain = " " + plain + " ";
  for (const char c : plain) {
    if (c == '|' && in_table) out += '\\';
    out += c;
  }
  return out + "`";
}

}  // namespace gprofhub::reporter
