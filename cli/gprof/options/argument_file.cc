#include "cli/gprof/options/argument_file.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/read_file.h"

namespace gprofhub::cli {
namespace {

// Limit for files that include each other.
constexpr int kMostFiles = 2000;
constexpr size_t kMostBytes = size_t{16} << 20;

}  // namespace

std::optional<std::string> TakeArgument(absl::string_view text, size_t& position) {
  size_t& i = position;
  while (i < text.size() && absl::ascii_isspace(text[i])) ++i;
  if (i == text.size()) return std::nullopt;
  std::string argument;
  char quote = '\0';
  for (; i < text.size() && (quote != '\0' || !absl::ascii_isspace(text[i])); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      argument += text[++i];
    } else if (c == '\\') {
      // A backslash at the very end is ignored.
    } else if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      argument += c;
    }
  }
  return argument;
}

ArgumentStream::ArgumentStream(std::vector<std::string> arguments)
    : arguments_(std::move(arguments)) {}

std::optional<std::string> ArgumentStream::NextAsWritten() {
  while (!open_.empty()) {
    OpenFile& file = open_.back();
    if (auto argument = TakeArgument(file.text, file.position)) return argument;
    open_.pop_back();
  }
  if (next_ == arguments_.size()) return std::nullopt;
  return std::move(arguments_[next_++]);
}

std::optional<std::string> ArgumentStream::ReadArguments(const std::string& path) {
  // A pipe or a device may never end.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  absl::StatusOr<std::string> text = base::ReadFile(path, kMostBytes - bytes_);
  if (!text.ok()) return std::nullopt;
  bytes_ += text->size();
  return *std::move(text);
}

std::optional<std::string> ArgumentStream::Next() {
  while (true) {
    std::optional<std::string> argument = NextAsWritten();
    if (!argument || argument->size() < 2 || argument->front() != '@' || files_ == kMostFiles) {
      return argument;
    }
    std::optional<std::string> text = ReadArguments(argument->substr(1));
    if (!text) return argument;
    ++files_;
    open_.push_back({*std::move(text)});
  }
}

size_t ArgumentStream::bytes_left() const {
  size_t bytes = 0;
  for (size_t i = next_; i < arguments_.size(); ++i) bytes += arguments_[i].size() + 1;
  for (const OpenFile& file : open_) bytes += file.text.size() - file.position + 1;
  return bytes;
}

}  // namespace gprofhub::cli
