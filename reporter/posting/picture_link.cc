#include "reporter/posting/picture_link.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/hmac.h"
#include "base/percent_coding.h"

namespace gprofhub::reporter {
namespace {

// Domain separation from other signatures with the same key.
constexpr absl::string_view kPurpose = "gprofhub picture 1\n";

// The signed text: canonical, independent of the order of query parameters. Encoded values do not
// contain '&', so the text is unambiguous.
std::string QueryOf(const TrendPicture& picture, int64_t until) {
  const auto coded = [](absl::string_view text) { return base::PercentEncoded(text); };
  return absl::StrCat("project=", coded(picture.project), "&run=", picture.run_id,
                      "&base=", coded(picture.base_commit), "&function=", coded(picture.function),
                      "&target=", coded(picture.target),
                      "&what=", picture.is_time ? "time" : "calls", "&until=", until);
}

std::string SignOf(absl::string_view query, absl::string_view key) {
  return base::HmacSha256Hex(key, absl::StrCat(kPurpose, query));
}

}  // namespace

std::string SignedPictureAddress(const TrendPicture& picture, absl::Time until,
                                 absl::string_view key) {
  const std::string query = QueryOf(picture, absl::ToUnixSeconds(until));
  return absl::StrCat(kPicturePath, "?", query, "&sign=", SignOf(query, key));
}

std::optional<TrendPicture> SignedPicture(const std::map<std::string, std::string>& query,
                                          absl::Time now, absl::string_view key) {
  const auto value = [&query](const char* name) {
    const auto found = query.find(name);
    return found == query.end() ? std::string() : found->second;
  };
  TrendPicture picture;
  picture.project = value("project");
  picture.base_commit = value("base");
  picture.function = value("function");
  picture.target = value("target");
  picture.is_time = value("what") == "time";
  int64_t until = 0;
  bool is_good = absl::SimpleAtoi(value("run"), &picture.run_id);
  is_good = absl::SimpleAtoi(value("until"), &until) && is_good;
  is_good = base::EqualSecrets(value("sign"), SignOf(QueryOf(picture, until), key)) && is_good;
  is_good = now < absl::FromUnixSeconds(until) && is_good;
  is_good = key.size() >= kLeastPictureKeyBytes && is_good;
  if (!is_good) return std::nullopt;
  return picture;
}

}  // namespace gprofhub::reporter
