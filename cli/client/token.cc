#include "cli/client/token.h"

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/http/curl_client.h"

namespace gprofhub::cli {
namespace {

constexpr size_t kMaxAnswerBytes = 64 << 10;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

ci::TokenSource TokenSourceOf(const ServerOptions& options) {
  if (!options.token.empty()) return ci::FixedToken(options.token);
  ci::GitHubTokenRequest request;
  request.url = Variable("ACTIONS_ID_TOKEN_REQUEST_URL");
  request.token = Variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN");
  request.audience = Variable("GPROFHUB_ID_TOKEN_AUDIENCE");
  if (request.url.empty() || request.audience.empty()) return ci::FixedToken("");
  base::CurlOptions curl;
  curl.max_response_bytes = kMaxAnswerBytes;
  request.get = [http = base::MakeCurlClient(curl)](
                    const std::string& url,
                    const std::string& authorization) -> absl::StatusOr<std::string> {
    const absl::StatusOr<base::HttpResponse> answer =
        http({"GET", url, {{"Authorization", authorization}}, ""});
    if (!answer.ok()) return answer.status();
    if (answer->status == 200) return answer->body;
    return absl::UnavailableError(
        absl::StrCat("GitHub gives no ID token: status ", answer->status));
  };
  request.now = absl::Now;
  return ci::GitHubIdTokens(std::move(request));
}

}  // namespace gprofhub::cli
