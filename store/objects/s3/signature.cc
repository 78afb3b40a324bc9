// AWS Signature Version 4 ("Authenticating Requests: Using the Authorization Header", Amazon S3 API
// Reference).
//
// A request is written in one canonical way: method, path, query, the headers to be signed, their
// names, and the SHA-256 of the body. The SHA-256 of that text, the time and the scope (day,
// region, service) make the string to sign. The key is the secret, hashed with each part of the
// scope in turn, so a key that leaks is of use for a day and a region. The signature is the HMAC of
// the string under the key.
//
// libcurl can sign, too (CURLOPT_AWS_SIGV4). It reads the system's clock, so the published examples
// could not be tried, and Debian 12's version leaves a query in the order that it has.

#include "store/objects/s3/signature.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/hmac.h"
#include "base/percent_coding.h"
#include "base/sha256.h"

namespace gprofhub::store {
namespace {

constexpr absl::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string Key(const S3Credentials& credentials, absl::string_view day, absl::string_view region) {
  std::string key = absl::StrCat("AWS4", credentials.secret_key);
  for (const absl::string_view part :
       {day, region, absl::string_view("s3"), absl::string_view("aws4_request")}) {
    key = base::HmacSha256(key, part);
  }
  return key;
}

}  // namespace

std::string EncodedPath(absl::string_view path) {
  std::vector<std::string> parts;
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    parts.push_back(base::PercentEncoded(part));
  }
  return absl::StrJoin(parts, "/");
}

std::string EncodedQuery(const std::map<std::string, std::string>& query) {
  // The order is that of the encoded names. Names of S3 are letters and '-', which stay as they
  // are.
  std::vector<std::string> parts;
  for (const auto& [name, value] : query) {
    parts.push_back(absl::StrCat(base::PercentEncoded(name), "=", base::PercentEncoded(value)));
  }
  return absl::StrJoin(parts, "&");
}

base::HttpHeaders SignedHeaders(const S3Request& request, const S3Credentials& credentials,
                                absl::string_view region, absl::Time now) {
  const std::string time = absl::FormatTime("%Y%m%dT%H%M%SZ", now, absl::UTCTimeZone());
  const absl::string_view day = absl::string_view(time).substr(0, 8);
  const std::string body_hash = base::Sha256Hex(request.body);
  base::HttpHeaders headers = request.headers;
  headers["x-amz-date"] = time;
  headers["x-amz-content-sha256"] = body_hash;
  if (!credentials.session_token.empty()) {
    headers["x-amz-security-token"] = credentials.session_token;
  }

  headers["host"] = request.host;
  std::string lines;
  std::vector<absl::string_view> names;
  for (const auto& [name, value] : headers) {
    absl::StrAppend(&lines, name, ":", absl::StripAsciiWhitespace(value), "\n");
    names.push_back(name);
  }
  const std::string signed_names = absl::StrJoin(names, ";");
  const std::string canonical = absl::StrJoin(
      {absl::string_view(request.method), absl::string_view(EncodedPath(request.path)),
       absl::string_view(EncodedQuery(request.query)), absl::string_view(lines),
       absl::string_view(signed_names), absl::string_view(body_hash)},
      "\n");

  const std::string scope = absl::StrCat(day, "/", region, "/s3/aws4_request");
  const std::string to_hash =
      absl::StrCat(kAlgorithm, "\n", time, "\n", scope, "\n", base::Sha256Hex(canonical));
  const std::string signature = base::HmacSha256Hex(Key(credentials, day, region), to_hash);
  headers["authorization"] =
      absl::StrCat(kAlgorithm, " Credential=", credentials.access_key, "/", scope,
                   ",SignedHeaders=", signed_names, ",Signature=", signature);
  return headers;
}

}  // namespace gprofhub::store
