#include "reporter/forge/rest.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace gprofhub::reporter {

namespace {

constexpr absl::string_view kPayload = "gprofhub/retry_after_ms";
// GitHub's documented wait for rate limits without a header.
constexpr absl::Duration kUnsaidRateLimitWait = absl::Minutes(1);
// Upper bound of the wait that a forge may request.
constexpr absl::Duration kLongestBelieved = absl::Hours(1);

absl::string_view Header(const base::HttpResponse& response, const char* name) {
  const auto found = response.headers.find(name);
  return found == response.headers.end() ? absl::string_view() : found->second;
}

// The JSON of an error; discarded if it is not JSON, or too long for an error.
nlohmann::json ParseError(const base::HttpResponse& response) {
  constexpr size_t kMostErrorBytes = 64 << 10;
  const absl::string_view body = absl::string_view(response.body).substr(0, kMostErrorBytes);
  return nlohmann::json::parse(body.begin(), body.end(), nullptr, false);
}

absl::Duration Believable(absl::Duration wait) {
  return std::clamp(wait, absl::ZeroDuration(), kLongestBelieved);
}

// The value of `retry-after`: seconds, or a date.
std::optional<absl::Duration> RetryAfterHeader(const base::HttpResponse& response, absl::Time now) {
  const absl::string_view text = Header(response, "retry-after");
  uint32_t seconds = 0;
  if (absl::SimpleAtoi(text, &seconds)) return Believable(absl::Seconds(seconds));
  absl::Time date;
  std::string error;
  if (!text.empty() && absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", text, &date, &error)) {
    return Believable(date - now);
  }
  return std::nullopt;
}

// Whether the forge's message is about a rate limit.
bool NamesRateLimit(const base::HttpResponse& response) {
  const nlohmann::json body = ParseError(response);
  const std::string message = absl::AsciiStrToLower(JsonText(body, "message"));
  return absl::StrContains(message, "rate limit") || absl::StrContains(message, "abuse detection");
}

// The wait, if the response is a rate limit.
std::optional<absl::Duration> RateLimit(const base::HttpResponse& response, absl::Time now) {
  const std::optional<absl::Duration> said = RetryAfterHeader(response, now);
  const bool used_up = Header(response, "x-ratelimit-remaining") == "0" ||
                       Header(response, "ratelimit-remaining") == "0";
  const bool limited =
      response.status == 429 ||
      (response.status == 403 && (said.has_value() || used_up || NamesRateLimit(response)));
  if (!limited) return std::nullopt;
  if (said.has_value()) return said;
  int64_t reset = 0;
  for (const char* name : {"x-ratelimit-reset", "ratelimit-reset"}) {
    if (used_up && absl::SimpleAtoi(Header(response, name), &reset)) {
      return Believable(absl::FromUnixSeconds(reset) - now + absl::Seconds(1));
    }
  }
  return kUnsaidRateLimitWait;
}

}  // namespace

RetryDecision DecideRetry(const absl::StatusOr<base::HttpResponse>& answer, bool idempotent,
                          int attempt, absl::Time now, const RetryPolicy& policy) {
  using Kind = RetryDecision::Kind;
  absl::Duration wait = policy.first_wait * (1 << std::min(attempt - 1, 10));
  bool again = idempotent;
  if (!answer.ok()) {
    // A server that timed out is not retried at once: other requests queue behind the caller.
    if (absl::IsDeadlineExceeded(answer.status())) return {Kind::kGiveUp, wait};
    if (!absl::IsUnavailable(answer.status())) return {Kind::kDone, absl::ZeroDuration()};
  } else if (const auto limit = RateLimit(*answer, now); limit.has_value()) {
    wait = std::max(*limit, absl::Seconds(1));
    again = true;
  } else if (answer->status >= 500 || answer->status == 408) {
    wait = std::max(wait, RetryAfterHeader(*answer, now).value_or(absl::ZeroDuration()));
  } else {
    return {Kind::kDone, absl::ZeroDuration()};
  }
  again = again && attempt < policy.max_attempts && wait <= policy.longest_wait;
  return {again ? Kind::kWait : Kind::kGiveUp, wait};
}

absl::Status WithRetryAfter(absl::Status status, absl::Duration wait) {
  status.SetPayload(kPayload, absl::Cord(absl::StrCat(absl::ToInt64Milliseconds(wait))));
  return status;
}

std::optional<absl::Duration> RetryAfterOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  int64_t milliseconds = 0;
  if (!payload.has_value() || !absl::SimpleAtoi(std::string(*payload), &milliseconds)) {
    return std::nullopt;
  }
  return absl::Milliseconds(milliseconds);
}

namespace {

constexpr int kMostPages = 50;
constexpr int kMostShortPages = 500;
constexpr size_t kMostParsedBytes = 96 << 20;
constexpr int kMostRedirects = 3;
constexpr size_t kQuotedBytes = 300;
constexpr size_t kUrlCharacters = 120;
constexpr size_t kPermissionCharacters = 100;

// "https://host:port" of a URL.
absl::string_view Origin(absl::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme == absl::string_view::npos) return "";
  return url.substr(0, url.find_first_of("/?#", scheme + 3));
}

// Whether both URLs are of the same server (RFC 3986, 6.2.2.1 and 6.2.3).
bool IsSameServer(absl::string_view one, absl::string_view other) {
  const auto normal = [](absl::string_view url) {
    const std::string lower = absl::AsciiStrToLower(Origin(url));
    absl::string_view origin = lower;
    absl::ConsumeSuffix(&origin, absl::StartsWith(origin, "https:") ? ":443" : ":80");
    return std::string(origin);
  };
  return normal(one) == normal(other);
}

// The URL of a Location header, which may be relative to the request's (RFC 3986, 5.2).
std::string Resolve(absl::string_view url, absl::string_view location) {
  location = location.substr(0, location.find('#'));
  if (location.substr(0, location.find_first_of("/?")).find(':') != absl::string_view::npos) {
    return std::string(location);
  }
  if (absl::StartsWith(location, "//")) {
    return absl::StrCat(url.substr(0, url.find(':') + 1), location);
  }
  const absl::string_view origin = Origin(url);
  if (absl::StartsWith(location, "/")) return absl::StrCat(origin, location);
  const absl::string_view path = url.substr(0, url.find('?'));
  if (absl::StartsWith(location, "?")) return absl::StrCat(path, location);
  const size_t folder = path.rfind('/');
  return folder < origin.size() ? absl::StrCat(origin, "/", location)
                                : absl::StrCat(path.substr(0, folder + 1), location);
}

// The target of the link with rel="next", or nothing.
std::string NextLink(const base::HttpResponse& response) {
  const auto header = response.headers.find("link");
  if (header == response.headers.end()) return "";
  for (absl::string_view link : absl::StrSplit(header->second, ',')) {
    link = absl::StripAsciiWhitespace(link);
    const size_t end = link.find('>');
    if (!absl::StartsWith(link, "<") || end == absl::string_view::npos) continue;
    if (absl::StrContains(link.substr(end), "rel=\"next\"")) {
      return std::string(link.substr(1, end - 1));
    }
  }
  return "";
}

// Upper bound of the memory of a parsed text. A value takes 16 bytes, a container and a field of an
// object about 100 more; a vector may have twice the size that it needs.
size_t ParsedBytes(absl::string_view json) {
  size_t bytes = json.size();
  bool in_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_text = !in_text;
    if (in_text && c == '\\') ++i;
    if (in_text) continue;
    if (c == ',') bytes += 32;
    if (c == ':' || c == '[' || c == '{') bytes += 128;
  }
  return bytes;
}

// Reads `name=NUMBER` of a URL's query; nothing if it is absent.
std::optional<uint32_t> QueryNumber(absl::string_view url, absl::string_view name) {
  for (absl::string_view field :
       absl::StrSplit(url.substr(std::min(url.find('?'), url.size())), absl::ByAnyChar("?&"))) {
    uint32_t number = 0;
    if (absl::ConsumePrefix(&field, name) && absl::ConsumePrefix(&field, "=") &&
        absl::SimpleAtoi(field, &number)) {
      return number;
    }
  }
  return std::nullopt;
}

// The URL of the first tenth of a page; empty if the page cannot be divided.
std::string FirstTenth(absl::string_view url) {
  const uint32_t size = QueryNumber(url, "per_page").value_or(0);
  const uint32_t page = QueryNumber(url, "page").value_or(1);
  if (size < 10 || page == 0 || page > kMostShortPages) return "";
  const size_t query = url.find('?');
  std::vector<std::string> fields;
  for (absl::string_view field : absl::StrSplit(url.substr(query + 1), '&')) {
    if (!absl::StartsWith(field, "per_page=") && !absl::StartsWith(field, "page=")) {
      fields.emplace_back(field);
    }
  }
  fields.push_back(absl::StrCat("per_page=", size / 10));
  fields.push_back(absl::StrCat("page=", (page - 1) * 10 + 1));
  return absl::StrCat(url.substr(0, query + 1), absl::StrJoin(fields, "&"));
}

// The path, for messages. The query is omitted: it may hold secrets.
std::string Describe(const base::HttpRequest& request) {
  const std::string url = request.url.substr(0, request.url.find('?'));
  return absl::StrCat(request.method, " ", base::Shortened(base::Printable(url), kUrlCharacters));
}

// The permission that the forge names as missing. GitHub has it in a header for Apps and
// fine-grained tokens, and in another one for classic tokens; GitLab in the body (RFC 6750, 3).
std::string MissingPermission(const base::HttpResponse& response, const nlohmann::json& body) {
  absl::string_view named;
  const std::string scope = JsonText(body, "scope");
  if (response.status == 403 || response.status == 404) {
    named = Header(response, "x-accepted-github-permissions");
    if (named.empty()) named = Header(response, "x-accepted-oauth-scopes");
    if (named.empty()) named = scope;
  }
  return base::Shortened(base::Printable(named), kPermissionCharacters);
}

// Status, missing permission and message of the forge, in one printable line.
std::string Said(const base::HttpResponse& response) {
  const nlohmann::json body = ParseError(response);
  std::string said = JsonText(body, "message");
  if (said.empty()) said = JsonText(body, "error_description");
  if (said.empty()) said = JsonText(body, "error");
  if (const nlohmann::json& errors = JsonField(body, "errors");
      !said.empty() && errors.is_array()) {
    for (const nlohmann::json& error : errors) {
      const std::string detail =
          error.is_string() ? error.get<std::string>() : JsonText(error, "message");
      absl::StrAppend(&said, detail.empty() ? "" : "; ", detail);
    }
  }
  if (said.empty() && !body.is_discarded() && !body.is_null()) said = body.dump(-1, ' ', true);
  if (said.empty()) said = std::string(absl::StripAsciiWhitespace(response.body));
  const std::string permission = MissingPermission(response, body);
  return absl::StrCat(response.status,
                      permission.empty() ? "" : absl::StrCat(" (needs ", permission, ")"), " ",
                      ShortenedAtEnd(base::Printable(said), kQuotedBytes));
}

absl::Status ToStatus(const base::HttpRequest& request, const base::HttpResponse& response) {
  const std::string message = absl::StrCat(Describe(request), ": ", Said(response));
  switch (response.status) {
    case 401:
      return absl::UnauthenticatedError(message);
    case 403:
      return absl::PermissionDeniedError(message);
    case 404:
    case 410:
      return absl::NotFoundError(message);
    case 409:
      return absl::AbortedError(message);
    default:
      return response.status >= 400 && response.status < 500 ? absl::InvalidArgumentError(message)
                                                             : absl::InternalError(message);
  }
}

bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 307 || status == 308;
}

}  // namespace

RestApi::RestApi(RestOptions options) : options_(std::move(options)) {}

// Repeats the request until the answer is final, or until the next wait would be too long.
absl::StatusOr<base::HttpResponse> RestApi::ExchangeOnce(const base::HttpRequest& request) const {
  const bool idempotent = request.method != "POST";
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<base::HttpResponse> answer = options_.http(request);
    const RetryDecision decision =
        DecideRetry(answer, idempotent, attempt, options_.clock.now(), options_.retry);
    switch (decision.kind) {
      case RetryDecision::Kind::kDone:
        return answer;
      case RetryDecision::Kind::kWait:
        options_.clock.sleep(decision.wait);
        continue;
      case RetryDecision::Kind::kGiveUp:
        const std::string why =
            answer.ok() ? Said(*answer) : base::Printable(std::string(answer.status().message()));
        return WithRetryAfter(absl::UnavailableError(absl::StrCat(Describe(request), ": ", why)),
                              decision.wait);
    }
  }
}

absl::StatusOr<base::HttpResponse> RestApi::Exchange(base::HttpRequest request) const {
  ASSIGN_OR_RETURN(base::HttpHeaders headers, options_.headers());
  for (const auto& [name, value] : headers) request.headers.emplace(name, value);
  request.headers["User-Agent"] = "gprofhub";
  if (!request.body.empty()) request.headers["Content-Type"] = "application/json";
  for (int redirects = 0;; ++redirects) {
    // Links and redirects are untrusted: credentials are sent to their own server only.
    if (!IsSameServer(request.url, options_.base_url)) {
      return absl::InternalError(
          absl::StrCat(Describe(request), ": leads away from ", Origin(options_.base_url)));
    }
    ASSIGN_OR_RETURN(base::HttpResponse answer, ExchangeOnce(request));
    if (answer.status >= 200 && answer.status < 300) return answer;
    const auto location = answer.headers.find("location");
    if (!IsRedirect(answer.status) || location == answer.headers.end()) {
      return ToStatus(request, answer);
    }
    if (redirects == kMostRedirects) {
      return absl::InternalError(absl::StrCat(Describe(request), ": too many redirects"));
    }
    request.url = Resolve(request.url, location->second);
  }
}

absl::StatusOr<nlohmann::json> RestApi::Parse(const base::HttpRequest& request,
                                              const base::HttpResponse& response) const {
  absl::string_view body = response.body;
  absl::ConsumePrefix(&body, options_.json_prefix);
  if (absl::StripAsciiWhitespace(body).empty()) return nlohmann::json();
  if (ParsedBytes(body) > kMostParsedBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(Describe(request), ": the answer has too many values"));
  }
  nlohmann::json parsed = nlohmann::json::parse(body.begin(), body.end(), nullptr, false);
  if (parsed.is_discarded()) {
    return absl::InternalError(absl::StrCat(Describe(request), ": the answer is no JSON"));
  }
  return parsed;
}

absl::StatusOr<nlohmann::json> RestApi::Get(absl::string_view path) const {
  const base::HttpRequest request{"GET", absl::StrCat(options_.base_url, path), {}, ""};
  ASSIGN_OR_RETURN(base::HttpResponse answer, Exchange(request));
  return Parse(request, answer);
}

absl::StatusOr<nlohmann::json> RestApi::Send(absl::string_view method, absl::string_view path,
                                             const nlohmann::json& body) const {
  // Invalid UTF-8 becomes U+FFFD; otherwise the JSON library would throw.
  const base::HttpRequest request{
      std::string(method),
      absl::StrCat(options_.base_url, path),
      {},
      body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
  ASSIGN_OR_RETURN(base::HttpResponse answer, Exchange(request));
  return Parse(request, answer);
}

absl::Status RestApi::Delete(absl::string_view path) const {
  return Exchange({"DELETE", absl::StrCat(options_.base_url, path), {}, ""}).status();
}

absl::StatusOr<std::string> RestApi::GetText(absl::string_view path,
                                             absl::string_view accept) const {
  base::HttpRequest request{"GET", absl::StrCat(options_.base_url, path), {}, ""};
  if (!accept.empty()) request.headers["Accept"] = std::string(accept);
  ASSIGN_OR_RETURN(base::HttpResponse answer, Exchange(std::move(request)));
  return std::move(answer.body);
}

absl::StatusOr<std::string> RestApi::VisitPage(
    const base::HttpRequest& request, absl::string_view field,
    const std::function<void(const nlohmann::json&)>& visit) const {
  ASSIGN_OR_RETURN(const base::HttpResponse answer, Exchange(request));
  ASSIGN_OR_RETURN(const nlohmann::json parsed, Parse(request, answer));
  const nlohmann::json& list =
      field.empty() ? parsed : JsonField(parsed, std::string(field).c_str());
  if (!list.is_array()) {
    return absl::InternalError(absl::StrCat(Describe(request), ": the answer is no list"));
  }
  for (const nlohmann::json& element : list) visit(element);
  return NextLink(answer);
}

absl::Status RestApi::Visit(absl::string_view path, absl::string_view field,
                            const std::function<void(const nlohmann::json&)>& visit) const {
  base::HttpRequest request{"GET", absl::StrCat(options_.base_url, path), {}, ""};
  int most = kMostPages;
  for (int page = 0; page < most && !request.url.empty(); ++page) {
    absl::StatusOr<std::string> next = VisitPage(request, field, visit);
    if (absl::IsResourceExhausted(next.status())) {
      std::string tenth = FirstTenth(request.url);
      if (tenth.empty()) return next.status();
      most = kMostShortPages;
      next = std::move(tenth);
    }
    if (!next.ok()) return next.status();
    request.url = *std::move(next);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<nlohmann::json>> RestApi::List(absl::string_view path,
                                                          absl::string_view field) const {
  std::vector<nlohmann::json> all;
  RETURN_IF_ERROR(
      Visit(path, field, [&all](const nlohmann::json& element) { all.push_back(element); }));
  return all;
}

std::string ShortenedAtEnd(absl::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  size_t end = text.rfind(' ', max_bytes);
  if (end == absl::string_view::npos || end < max_bytes / 2) {
    end = max_bytes;  // a word that fills most of the room is cut between characters
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  }
  return absl::StrCat(text.substr(0, end), "…");
}

const nlohmann::json& JsonField(const nlohmann::json& object, const char* field) {
  static const nlohmann::json* const nothing = new nlohmann::json();
  if (!object.is_object()) return *nothing;
  const auto found = object.find(field);
  return found == object.end() ? *nothing : *found;
}

std::string JsonText(const nlohmann::json& object, const char* field) {
  const nlohmann::json& value = JsonField(object, field);
  return value.is_string() ? value.get<std::string>() : "";
}

int64_t JsonNumber(const nlohmann::json& object, const char* field) {
  const nlohmann::json& value = JsonField(object, field);
  return value.is_number_integer() ? value.get<int64_t>() : 0;
}

bool JsonTrue(const nlohmann::json& object, const char* field) {
  const nlohmann::json& value = JsonField(object, field);
  return value.is_boolean() && value.get<bool>();
}

}  // namespace gprofhub::reporter
