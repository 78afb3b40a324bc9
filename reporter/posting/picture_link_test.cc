#include "reporter/posting/picture_link.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_split.h"
#include "base/percent_coding.h"

namespace gprofhub::reporter {
namespace {

using Query = std::map<std::string, std::string>;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);
const absl::Time kUntil = kNow + absl::Hours(24);
const std::string kKey(32, 'k');

TrendPicture Picture() {
  return {"acme/db", 17, std::string(40, 'b'), "_ZN2db3fooEv&until=9999999999", "//db:test", false};
}

// As parsed by a server.
Query QueryOf(const std::string& address) {
  Query query;
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(address, absl::MaxSplits('?', 1));
  EXPECT_EQ(parts.first, kPicturePath);
  for (const absl::string_view part : absl::StrSplit(parts.second, '&')) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
    query[pair.first] = base::PercentDecoded(pair.second);
  }
  return query;
}

Query Good() { return QueryOf(SignedPictureAddress(Picture(), kUntil, kKey)); }

TEST(PictureLinkTest, ASignedAddressIsItsPicture) {
  const auto picture = SignedPicture(Good(), kNow, kKey);
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(*picture, Picture());
  TrendPicture time = Picture();
  time.is_time = true;
  EXPECT_EQ(SignedPicture(QueryOf(SignedPictureAddress(time, kUntil, kKey)), kNow, kKey), time);
}

TEST(PictureLinkTest, TheSamePictureHasTheSameAddress) {
  EXPECT_EQ(SignedPictureAddress(Picture(), kUntil, kKey),
            SignedPictureAddress(Picture(), kUntil, kKey));
}

TEST(PictureLinkTest, ItExpires) {
  EXPECT_TRUE(SignedPicture(Good(), kUntil - absl::Seconds(1), kKey).has_value());
  EXPECT_FALSE(SignedPicture(Good(), kUntil, kKey).has_value());
  EXPECT_FALSE(SignedPicture(Good(), absl::InfiniteFuture(), kKey).has_value());
}

TEST(PictureLinkTest, NoPartCanBeChangedOrLeftOut) {
  const Query changes = {{"project", "acme/secret"}, {"run", "18"},     {"base", "c"},
                         {"function", "main"},       {"target", "//x"}, {"what", "time"},
                         {"until", "9999999999"}};
  for (const auto& [name, value] : changes) {
    Query changed = Good();
    ASSERT_TRUE(changed.contains(name)) << name;
    changed[name] = value;
    EXPECT_FALSE(SignedPicture(changed, kNow, kKey).has_value()) << name;
    // Removing "what" itself changes nothing.
    if (name == "what") continue;
    changed.erase(name);
    EXPECT_FALSE(SignedPicture(changed, kNow, kKey).has_value()) << "without " << name;
  }
}

TEST(PictureLinkTest, AWrongSignIsNone) {
  const std::string sign = Good().at("sign");
  for (const std::string& bad : {std::string(), std::string(64, '0'), sign.substr(0, 63),
                                 sign + "0", std::string("A") + sign.substr(1)}) {
    Query query = Good();
    query["sign"] = bad;
    EXPECT_FALSE(SignedPicture(query, kNow, kKey).has_value()) << bad;
  }
  EXPECT_FALSE(SignedPicture({}, kNow, kKey).has_value());
}

TEST(PictureLinkTest, AnotherServersSignIsNone) {
  const std::string other(32, 'o');
  EXPECT_FALSE(SignedPicture(QueryOf(SignedPictureAddress(Picture(), kUntil, other)), kNow, kKey)
                   .has_value());
}

TEST(PictureLinkTest, ValuesDoNotRunIntoEachOther) {
  TrendPicture one = Picture(), other = Picture();
  one.function = "f&target=x";
  one.target = "y";
  other.function = "f";
  other.target = "x&target=y";
  Query query = QueryOf(SignedPictureAddress(one, kUntil, kKey));
  query["function"] = other.function;
  query["target"] = other.target;
  EXPECT_FALSE(SignedPicture(query, kNow, kKey).has_value());
}

TEST(PictureLinkTest, WithoutAKeyNothingIsSigned) {
  for (const std::string& key : {std::string(), std::string(31, 'k')}) {
    EXPECT_FALSE(
        SignedPicture(QueryOf(SignedPictureAddress(Picture(), kUntil, key)), kNow, key).has_value())
        << key;
  }
}

}  // namespace
}  // namespace gprofhub::reporter
