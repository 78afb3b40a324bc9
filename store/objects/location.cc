#include "store/objects/location.h"

#include <expat.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/hash.h"
#include "base/http/http.h"
#include "base/http/percent_coding.h"
#include "base/status_macros.h"
#include "store/objects/object_store.h"

namespace gprofhub::store {

namespace {

constexpr size_t kDeepest = 16;
constexpr size_t kMostElements = 50'000;

struct Free {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};
using Parser = std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free>;

struct Reading {
  XML_Parser parser = nullptr;
  XmlElement root;
  // The open elements, the innermost last. A parent's list grows only after its last child is
  // closed, so the pointers stay valid.
  std::vector<XmlElement*> open;
  size_t elements = 0;
  const char* refused = nullptr;

  void Refuse(const char* why) {
    refused = why;
    XML_StopParser(parser, XML_FALSE);
  }
};

void OnStart(void* user, const XML_Char* name, const XML_Char**) {
  Reading& reading = *static_cast<Reading*>(user);
  if (reading.open.size() >= kDeepest) return reading.Refuse("it is too deeply nested");
  if (++reading.elements > kMostElements) return reading.Refuse("it has too many elements");
  XmlElement* element = &reading.root;
  if (!reading.open.empty()) element = &reading.open.back()->children.emplace_back();
  element->name = name;
  reading.open.push_back(element);
}

void OnEnd(void* user, const XML_Char*) { static_cast<Reading*>(user)->open.pop_back(); }

void OnText(void* user, const XML_Char* text, int size) {
  const Reading& reading = *static_cast<Reading*>(user);
  if (!reading.open.empty()) reading.open.back()->text.append(text, static_cast<size_t>(size));
}

void OnDoctype(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int) {
  static_cast<Reading*>(user)->Refuse("it has a DOCTYPE");
}

}  // namespace

const XmlElement* XmlElement::Child(absl::string_view child) const {
  for (const XmlElement& element : children) {
    if (element.name == child) return &element;
  }
  return nullptr;
}

absl::string_view XmlElement::TextOf(absl::string_view child) const {
  const XmlElement* const found = Child(child);
  return found == nullptr ? absl::string_view() : absl::string_view(found->text);
}

absl::StatusOr<XmlElement> ParseXml(absl::string_view text) {
  if (text.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return absl::InvalidArgumentError("not valid XML: it is too long");
  }
  const Parser parser(XML_ParserCreate(nullptr));
  if (parser == nullptr) return absl::ResourceExhaustedError("libexpat is out of memory");
  Reading reading;
  reading.parser = parser.get();
  XML_SetUserData(parser.get(), &reading);
  XML_SetElementHandler(parser.get(), OnStart, OnEnd);
  XML_SetCharacterDataHandler(parser.get(), OnText);
  XML_SetStartDoctypeDeclHandler(parser.get(), OnDoctype);
  const XML_Status status =
      XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
  if (status != XML_STATUS_OK) {
    return absl::InvalidArgumentError(
        absl::StrCat("not valid XML: ", reading.refused != nullptr
                                            ? reading.refused
                                            : XML_ErrorString(XML_GetErrorCode(parser.get()))));
  }
  return std::move(reading.root);
}

namespace {

constexpr size_t kLongestCode = 64;

// Decimal digits only: SimpleAtoi also accepts a sign and blanks.
bool ReadNumber(absl::string_view text, uint64_t& number) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &number);
}

absl::Status NoList(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("not a valid list of objects: ", why));
}

absl::StatusOr<S3List::Object> ReadObject(const XmlElement& element, bool is_encoded) {
  S3List::Object object;
  const absl::string_view key = element.TextOf("Key");
  object.key = is_encoded ? base::PercentDecoded(key) : std::string(key);
  if (object.key.empty()) return NoList("an object without a key");
  if (!ReadNumber(element.TextOf("Size"), object.size)) return NoList("an object without a size");
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, element.TextOf("LastModified"), &object.changed,
                       &error)) {
    return NoList("an object without a time");
  }
  return object;
}

}  // namespace

std::string ErrorCodeOf(absl::string_view body) {
  const absl::StatusOr<XmlElement> root = ParseXml(body);
  if (!root.ok() || root->name != "Error") return "";
  const absl::string_view code = root->TextOf("Code");
  const bool is_code =
      code.size() <= kLongestCode && std::all_of(code.begin(), code.end(), absl::ascii_isalnum);
  return is_code ? std::string(code) : "";
}

absl::StatusOr<S3List> ParseList(absl::string_view body) {
  ASSIGN_OR_RETURN(const XmlElement root, ParseXml(body));
  const absl::string_view truncated = root.TextOf("IsTruncated");
  if (root.name != "ListBucketResult" || (truncated != "true" && truncated != "false")) {
    return NoList("unexpected root element");
  }
  const bool is_encoded = root.TextOf("EncodingType") == "url";
  S3List list;
  list.is_truncated = truncated == "true";
  for (const XmlElement& element : root.children) {
    if (element.name != "Contents") continue;
    ASSIGN_OR_RETURN(S3List::Object object, ReadObject(element, is_encoded));
    if (!list.objects.empty() && object.key <= list.objects.back().key) {
      return NoList("its keys are not in ascending order");
    }
    list.objects.push_back(std::move(object));
  }
  if (list.is_truncated && list.objects.empty()) return NoList("it is truncated but empty");
  return list;
}

absl::StatusOr<ContentRange> ParseContentRange(absl::string_view text) {
  ContentRange range;
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "bytes ")) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(rest, absl::MaxSplits('/', 1));
    const std::pair<absl::string_view, absl::string_view> ends =
        absl::StrSplit(parts.first, absl::MaxSplits('-', 1));
    if (ReadNumber(ends.first, range.first) && ReadNumber(ends.second, range.last) &&
        ReadNumber(parts.second, range.total)) {
      return range;
    }
  }
  return absl::InvalidArgumentError("not a valid byte range");
}

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
                   "unknown; the options are endpoint, region, style and insecure");
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
    return Wrong("endpoint", "must be https://HOST or https://HOST:PORT");
  }
  if (!location.insecure && !base::CheckHttpUrl(url).ok()) {
    return Wrong("endpoint", "only https is allowed for other machines, unless insecure=1");
  }
  return absl::OkStatus();
}

absl::Status ReadRegion(const Options& options, S3Location& location) {
  const auto given = options.find("region");
  if (given == options.end()) {
    if (options.count("endpoint") == 0) return Wrong("region", "is required without an endpoint");
    location.region = "us-east-1";
    return absl::OkStatus();
  }
  location.region = given->second;
  if (location.region.empty() || location.region.size() > 63 ||
      !std::all_of(location.region.begin(), location.region.end(), IsOfNames)) {
    return Wrong("region",
                 "must consist of lower-case letters, digits and '-', as in eu-central-1");
  }
  return absl::OkStatus();
}

absl::Status ReadStyle(const Options& options, S3Location& location) {
  const auto insecure = options.find("insecure");
  if (insecure != options.end() && insecure->second != "0" && insecure->second != "1") {
    return Wrong("insecure", "must be 0 or 1");
  }
  location.insecure = insecure != options.end() && insecure->second == "1";
  const auto style = options.find("style");
  if (style != options.end() && style->second != "path" && style->second != "virtual") {
    return Wrong("style", "must be path or virtual");
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
    return Wrong("form", "must be s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION");
  }
  const size_t question = text.find('?');
  const absl::string_view place = text.substr(0, question);
  const size_t slash = place.find('/');
  S3Location location;
  location.bucket = std::string(place.substr(0, slash));
  if (!IsBucket(location.bucket)) {
    return Wrong("bucket", "must have 3 to 63 lower-case letters, digits, '-' and '.'");
  }
  absl::string_view prefix =
      slash == absl::string_view::npos ? absl::string_view() : place.substr(slash + 1);
  absl::ConsumeSuffix(&prefix, "/");
  if (!prefix.empty()) {
    if (prefix.size() > kLongestPrefix || !CheckObjectKey(prefix).ok()) {
      return Wrong("prefix", "must consist of letters, digits, '-', '_' and '.', separated by '/'");
    }
    location.prefix = absl::StrCat(prefix, "/");
  }
  ASSIGN_OR_RETURN(const Options options,
                   ReadOptions(question == absl::string_view::npos ? absl::string_view()
                                                                   : text.substr(question + 1)));
  for (const auto read : {ReadStyle, ReadRegion, ReadEndpoint}) {
    RETURN_IF_ERROR(read(options, location));
  }
  // A wildcard certificate (*.HOST) does not cover a bucket name with a dot.
  if (!location.path_style && absl::StrContains(location.bucket, '.')) {
    return Wrong("style", "must be path for a bucket whose name has a '.'");
  }
  return location;
}

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
