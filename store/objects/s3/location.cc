#include "store/objects/s3/location.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/http/allowed_url.h"
#include "base/percent_coding.h"
#include "store/objects/object_key.h"

namespace gprofhub::store {
namespace {

// A key may have 1,024 bytes in all.
constexpr size_t kLongestPrefix = 512;

using Options = std::map<std::string, std::string>;

absl::Status Wrong(absl::string_view what, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("s3 location: ", what, ": ", why));
}

bool IsOfNames(char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-'; }

bool IsBucket(absl::string_view name) {
  const auto is_end = [](char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c); };
  return name.size() >= 3 && name.size() <= 63 && is_end(name.front()) && is_end(name.back()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsOfNames(c) || c == '.'; }) &&
         !absl::StrContains(name, "..");
}

absl::StatusOr<Options> ReadOptions(absl::string_view text) {
  Options options;
  if (text.empty()) return options;
  for (const absl::string_view part : absl::StrSplit(text, '&')) {
    const std::pair<absl::string_view, absl::string_view> option =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const std::string name(option.first.substr(0, 100));
    if (name != "endpoint" && name != "region" && name != "style" && name != "insecure") {
      return Wrong(absl::StrCat("option '", name, "'"),
                   "there are endpoint, region, style and insecure");
    }
    if (!options.emplace(name, base::PercentDecoded(option.second)).second) {
      return Wrong(absl::StrCat("option '", name, "'"), "it is given twice");
    }
  }
  return options;
}

absl::Status ReadEndpoint(const Options& options, S3Location& location) {
  const auto given = options.find("endpoint");
  if (given == options.end()) {
    location.scheme = "https";
    location.endpoint = absl::StrCat("s3.", location.region, ".amazonaws.com");
    return absl::OkStatus();
  }
  absl::string_view url = given->second;
  absl::ConsumeSuffix(&url, "/");
  const size_t end = url.find("://");
  location.scheme = std::string(url.substr(0, end));
  location.endpoint =
      end == absl::string_view::npos ? std::string() : std::string(url.substr(end + 3));
  if ((location.scheme != "https" && location.scheme != "http") ||
      location.endpoint.find_first_of("/?#") != std::string::npos ||
      !base::CheckHttpUrl(absl::StrCat("https://", location.endpoint)).ok()) {
    return Wrong("endpoint", "it is https://HOST or https://HOST:PORT");
  }
  if (!location.insecure && !base::CheckHttpUrl(url).ok()) {
    return Wrong("endpoint", "only https is spoken beyond this machine, unless insecure=1");
  }
  return absl::OkStatus();
}

absl::Status ReadRegion(const Options& options, S3Location& location) {
  const auto given = options.find("region");
  if (given == options.end()) {
    if (options.count("endpoint") == 0) return Wrong("region", "it is missing, as endpoint is");
    location.region = "us-east-1";
    return absl::OkStatus();
  }
  location.region = given->second;
  if (location.region.empty() || location.region.size() > 63 ||
      !std::all_of(location.region.begin(), location.region.end(), IsOfNames)) {
    return Wrong("region", "it has small letters, digits and '-', as in eu-central-1");
  }
  return absl::OkStatus();
}

absl::Status ReadStyle(const Options& options, S3Location& location) {
  const auto insecure = options.find("insecure");
  if (insecure != options.end() && insecure->second != "0" && insecure->second != "1") {
    return Wrong("insecure", "it is 0 or 1");
  }
  location.insecure = insecure != options.end() && insecure->second == "1";
  const auto style = options.find("style");
  if (style != options.end() && style->second != "path" && style->second != "virtual") {
    return Wrong("style", "it is path or virtual");
  }
  location.path_style =
      style == options.end() ? options.count("endpoint") > 0 : style->second == "path";
  return absl::OkStatus();
}

}  // namespace

std::string S3Location::host() const {
  return path_style ? endpoint : absl::StrCat(bucket, ".", endpoint);
}

std::string S3Location::path(absl::string_view key) const {
  return path_style ? absl::StrCat("/", bucket, "/", key) : absl::StrCat("/", key);
}

absl::StatusOr<S3Location> ParseS3Location(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "s3://")) {
    return Wrong("form", "it is s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION");
  }
  const size_t question = text.find('?');
  const absl::string_view place = text.substr(0, question);
  const size_t slash = place.find('/');
  S3Location location;
  location.bucket = std::string(place.substr(0, slash));
  if (!IsBucket(location.bucket)) {
    return Wrong("bucket", "its name has 3 to 63 small letters, digits, '-' and '.'");
  }
  absl::string_view prefix =
      slash == absl::string_view::npos ? absl::string_view() : place.substr(slash + 1);
  absl::ConsumeSuffix(&prefix, "/");
  if (!prefix.empty()) {
    if (prefix.size() > kLongestPrefix || !CheckObjectKey(prefix).ok()) {
      return Wrong("prefix", "it has letters, digits, '-', '_', '.', and '/' between them");
    }
    location.prefix = absl::StrCat(prefix, "/");
  }
  const absl::StatusOr<Options> options = ReadOptions(
      question == absl::string_view::npos ? absl::string_view() : text.substr(question + 1));
  if (!options.ok()) return options.status();
  for (const auto read : {ReadStyle, ReadRegion, ReadEndpoint}) {
    if (absl::Status status = read(*options, location); !status.ok()) return status;
  }
  // A wildcard certificate (*.HOST) does not cover a bucket name with a dot.
  if (!location.path_style && absl::StrContains(location.bucket, '.')) {
    return Wrong("style", "a bucket whose name has a '.' needs style=path");
  }
  return location;
}

}  // namespace gprofhub::store
