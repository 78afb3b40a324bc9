// A request for a page and its response, independent of the HTTP library.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::cli {

struct PageRequest {
  bool is_post = false;
  std::vector<std::string> path;             // segments, decoded; none: "/"
  std::string target;                        // path and query as received
  std::map<std::string, std::string> query;  // of several values of a name the last
  std::map<std::string, std::string> form;   // of a POST
  std::map<std::string, std::string> cookies;
  std::string authorization;
  std::string proxy_user;  // of the header that --http-user-header names
  std::string peer;        // its address, without port
  std::string host;        // as the client calls the server, without port

  // The value, or nothing.
  const std::string& Query(const std::string& name) const;
  const std::string& Form(const std::string& name) const;
  // At most `most`; 0 where it is not there. INVALID_ARGUMENT naming it.
  absl::StatusOr<uint32_t> Number(const std::string& name, uint32_t most) const;
  bool Is(std::initializer_list<absl::string_view> path_pattern) const;  // "*" is any segment
  bool is_api() const { return !path.empty() && path.front() == "api"; }
};

// Path and query of a request's target, into `request`. INVALID_ARGUMENT: it is not
// "/path?query", or has bytes that are not UTF-8, or NUL.
absl::Status ParseTarget(absl::string_view target, PageRequest& request);

// "a=b&c=d", percent-coded, '+' for blanks.
std::map<std::string, std::string> ParseForm(absl::string_view text);

// "a=b; c=d".
std::map<std::string, std::string> ParseCookies(absl::string_view header);

struct PageAnswer {
  int code = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool is_asset = false;    // never changes, and is packed already
  bool is_picture = false;  // that pages elsewhere show
  // Needs of the page's own scripts beyond the strict policy.
  enum class Needs { kNothing, kWasm, kWasmAndStyles };
  Needs needs = Needs::kNothing;
};

// The answer's code for an error: NOT_FOUND is 404, and so on.
int CodeOf(const absl::Status& status);

}  // namespace gprofhub::cli
