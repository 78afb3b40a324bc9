#include "cli/serve/http/visits/page_request.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/percent_coding.h"
#include "base/utf8.h"

namespace gprofhub::cli {
namespace {

const std::string& ValueIn(const std::map<std::string, std::string>& values,
                           const std::string& name) {
  static const auto* const none = new std::string;
  const auto found = values.find(name);
  return found == values.end() ? *none : found->second;
}

}  // namespace

const std::string& PageRequest::Query(const std::string& name) const {
  return ValueIn(query, name);
}
const std::string& PageRequest::Form(const std::string& name) const { return ValueIn(form, name); }

absl::StatusOr<uint32_t> PageRequest::Number(const std::string& name, uint32_t most) const {
  const std::string& text = Query(name);
  if (text.empty()) return 0;
  uint32_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number > most) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": must be a number of at most ", most));
  }
  return number;
}

bool PageRequest::Is(std::initializer_list<absl::string_view> path_pattern) const {
  if (path.size() != path_pattern.size()) return false;
  size_t i = 0;
  for (const absl::string_view segment : path_pattern) {
    if (segment != "*" && segment != path[i]) return false;
    ++i;
  }
  return true;
}

absl::Status ParseTarget(absl::string_view target, PageRequest& request) {
  request.target = std::string(target);
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(target, absl::MaxSplits('?', 1));
  absl::string_view path = parts.first;
  if (!absl::ConsumePrefix(&path, "/")) {
    return absl::InvalidArgumentError("the address has no path");
  }
  request.path.clear();
  for (const absl::string_view segment : absl::StrSplit(path, '/')) {
    request.path.push_back(base::PercentDecoded(segment));
  }
  if (request.path.back().empty()) request.path.pop_back();  // one '/' at the end
  request.query = ParseForm(parts.second);
  const auto is_text = [](absl::string_view text) {
    return base::IsUtf8(text) && !absl::StrContains(text, '\0');
  };
  for (const std::string& segment : request.path) {
    if (!is_text(segment)) return absl::InvalidArgumentError("the path is not UTF-8");
  }
  for (const auto& [name, value] : request.query) {
    if (!is_text(name) || !is_text(value)) {
      return absl::InvalidArgumentError("the query is not UTF-8");
    }
  }
  return absl::OkStatus();
}

std::map<std::string, std::string> ParseForm(absl::string_view text) {
  std::map<std::string, std::string> values;
  for (const absl::string_view part : absl::StrSplit(text, '&', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
    const auto decoded = [](const std::string& coded) {
      return base::PercentDecoded(absl::StrReplaceAll(coded, {{"+", " "}}));
    };
    values[decoded(pair.first)] = decoded(pair.second);
  }
  return values;
}

std::map<std::string, std::string> ParseCookies(absl::string_view header) {
  std::map<std::string, std::string> values;
  for (absl::string_view part : absl::StrSplit(header, ';', absl::SkipWhitespace())) {
    part = absl::StripAsciiWhitespace(part);
    const std::pair<std::string, std::string> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
    values[pair.first] = pair.second;
  }
  return values;
}

int CodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kFailedPrecondition:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:  // it took too long
    case absl::StatusCode::kDeadlineExceeded:
      return 503;
    default:
      return 500;
  }
}

}  // namespace gprofhub::cli
