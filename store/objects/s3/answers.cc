#include "store/objects/s3/answers.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/percent_coding.h"
#include "store/objects/s3/xml.h"

namespace gprofhub::store {
namespace {

constexpr size_t kLongestCode = 64;

// Decimal digits only: SimpleAtoi also accepts a sign and blanks.
bool ReadNumber(absl::string_view text, uint64_t& number) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &number);
}

absl::Status NoList(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("no list of objects: ", why));
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
  const absl::StatusOr<XmlElement> root = ParseXml(body);
  if (!root.ok()) return root.status();
  const absl::string_view truncated = root->TextOf("IsTruncated");
  if (root->name != "ListBucketResult" || (truncated != "true" && truncated != "false")) {
    return NoList("it is something else");
  }
  const bool is_encoded = root->TextOf("EncodingType") == "url";
  S3List list;
  list.is_truncated = truncated == "true";
  for (const XmlElement& element : root->children) {
    if (element.name != "Contents") continue;
    absl::StatusOr<S3List::Object> object = ReadObject(element, is_encoded);
    if (!object.ok()) return object.status();
    if (!list.objects.empty() && object->key <= list.objects.back().key) {
      return NoList("its keys do not rise");
    }
    list.objects.push_back(*std::move(object));
  }
  if (list.is_truncated && list.objects.empty()) return NoList("it goes on without a beginning");
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
  return absl::InvalidArgumentError("no range of bytes");
}

}  // namespace gprofhub::store
