#include "cli/gprof/argument_file.h"

#include <sys/stat.h>

#include <deque>
#include <fstream>
#include <iterator>
#include <optional>

#include "absl/strings/ascii.h"

namespace gprofhub {
namespace {

// Files that name each other would never end.
constexpr int kMostFiles = 2000;
constexpr size_t kMostBytes = size_t{16} << 20;

std::optional<std::string> ReadArgumentFile(const std::string& path, size_t& budget) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  if (info.st_size < 0 || static_cast<size_t>(info.st_size) > budget) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  budget -= std::min(budget, text.size());
  return text;
}

}  // namespace

std::vector<std::string> SplitArguments(const std::string& text) {
  std::vector<std::string> arguments;
  size_t i = 0;
  while (true) {
    while (i < text.size() && absl::ascii_isspace(text[i])) ++i;
    if (i == text.size()) return arguments;
    std::string argument;
    char quote = '\0';
    for (; i < text.size() && (quote != '\0' || !absl::ascii_isspace(text[i])); ++i) {
      const char c = text[i];
      if (c == '\\' && i + 1 < text.size()) {
        argument += text[++i];
      } else if (c == '\\') {
        // At the very end it stands for nothing.
      } else if (quote != '\0' && c == quote) {
        quote = '\0';
      } else if (quote == '\0' && (c == '\'' || c == '"')) {
        quote = c;
      } else {
        argument += c;
      }
    }
    arguments.push_back(std::move(argument));
  }
}

std::vector<std::string> ExpandArgumentFiles(const std::vector<std::string>& arguments) {
  std::deque<std::string> waiting(arguments.begin(), arguments.end());
  std::vector<std::string> expanded;
  int files = 0;
  size_t budget = kMostBytes;
  while (!waiting.empty()) {
    std::string argument = std::move(waiting.front());
    waiting.pop_front();
    std::optional<std::string> text;
    if (argument.size() > 1 && argument[0] == '@' && files < kMostFiles) {
      text = ReadArgumentFile(argument.substr(1), budget);
    }
    if (!text) {
      expanded.push_back(std::move(argument));
      continue;
    }
    ++files;
    std::vector<std::string> inner = SplitArguments(*text);
    waiting.insert(waiting.begin(), std::make_move_iterator(inner.begin()),
                   std::make_move_iterator(inner.end()));
  }
  return expanded;
}

}  // namespace gprofhub
