#include "reporter/gate/commands.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kMaxTextBytes = 1000;  // the store's limit
constexpr size_t kMaxCommands = 100;

// Removes and returns the first word, and the blanks after it.
absl::string_view TakeWord(absl::string_view& text) {
  const absl::string_view word = text.substr(0, text.find_first_of(" \t"));
  text = absl::StripLeadingAsciiWhitespace(text.substr(word.size()));
  return word;
}

// If the line is a command, removes the prefix and returns the action; otherwise nothing.
absl::string_view TakeAction(absl::string_view& line) {
  line = absl::StripAsciiWhitespace(line);
  return TakeWord(line) == "/gprofhub" ? TakeWord(line) : absl::string_view();
}

absl::string_view TakeName(absl::string_view& text) {
  if (!absl::ConsumePrefix(&text, "`")) return TakeWord(text);
  const size_t end = text.find('`');
  if (end == absl::string_view::npos) return "";
  const absl::string_view name = text.substr(0, end);
  text = absl::StripLeadingAsciiWhitespace(text.substr(end + 1));
  return absl::StripAsciiWhitespace(name);
}

}  // namespace

std::vector<AckCommand> ParseAckCommands(absl::string_view body) {
  std::vector<AckCommand> commands;
  for (absl::string_view line : absl::StrSplit(body, '\n')) {
    if (commands.size() == kMaxCommands) break;
    const absl::string_view action = TakeAction(line);
    if (action != "ack" && action != "not-a-regression") continue;
    AckCommand command;
    command.function = std::string(TakeName(line));
    command.reason = std::string(line);
    command.not_a_regression = action == "not-a-regression";
    if (command.function.empty() || command.reason.empty()) continue;
    if (command.function.size() > kMaxTextBytes || command.reason.size() > kMaxTextBytes) continue;
    commands.push_back(std::move(command));
  }
  return commands;
}

bool AsksForRerun(absl::string_view body) {
  const std::vector<absl::string_view> lines = absl::StrSplit(body, '\n');
  return std::any_of(lines.begin(), lines.end(),
                     [](absl::string_view line) { return TakeAction(line) == "rerun"; });
}

}  // namespace gprofhub::reporter
