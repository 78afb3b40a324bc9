#include "collector/access/verify_token.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "collector/testing/fake_issuer.h"

namespace gprofhub::collector {

namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

class KeyCacheTest : public testing::Test {
 protected:
  const FakeKey key_ = FakeKey::Ec();
  absl::StatusOr<std::string> page_ = KeySet({key_.Jwk("one")});
  int fetches_ = 0;
  KeyCache cache_{[this] {
    ++fetches_;
    return page_;
  }};
};

TEST_F(KeyCacheTest, KeysAreFetchedOnceAnHour) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(cache_.Find("one", kNow + absl::Minutes(i)).ok());
  EXPECT_EQ(fetches_, 1);
  EXPECT_EQ(cache_.Find("one", kNow + KeyCache::kFresh)->pem, key_.PublicPem());
  EXPECT_EQ(fetches_, 2);
}

TEST_F(KeyCacheTest, ANewKeyIsFoundAfterAMinute) {
  ASSERT_TRUE(cache_.Find("one", kNow).ok());
  page_ = KeySet({FakeKey::Ec().Jwk("two")});
  EXPECT_TRUE(absl::IsUnauthenticated(cache_.Find("two", kNow + absl::Seconds(59)).status()));
  EXPECT_TRUE(cache_.Find("two", kNow + absl::Seconds(60)).ok());
  EXPECT_TRUE(absl::IsUnauthenticated(cache_.Find("one", kNow + absl::Seconds(60)).status()))
      << "it was taken away";
  EXPECT_EQ(fetches_, 2);
}

TEST_F(KeyCacheTest, KnownKeysAreGoodForADayWithoutTheIssuer) {
  ASSERT_TRUE(cache_.Find("one", kNow).ok());
  page_ = absl::UnavailableError("down");
  EXPECT_TRUE(cache_.Find("one", kNow + KeyCache::kMaxAge - absl::Seconds(1)).ok());
  EXPECT_TRUE(absl::IsUnavailable(cache_.Find("one", kNow + KeyCache::kMaxAge).status()));
  EXPECT_TRUE(absl::IsUnavailable(cache_.Find("two", kNow + absl::Hours(2)).status()))
      << "it may be there";
}

TEST_F(KeyCacheTest, AHugeKeySetIsNotTaken) {
  page_ = KeySet({key_.Jwk("one")}) + std::string(kMaxKeySetBytes, ' ');
  EXPECT_TRUE(absl::IsUnavailable(cache_.Find("one", kNow).status()));
  std::vector<nlohmann::json> many;
  for (int i = 0; i < 101; ++i) many.push_back(key_.Jwk(absl::StrCat(i)));
  page_ = KeySet(many);
  EXPECT_TRUE(absl::IsUnavailable(cache_.Find("1", kNow + absl::Minutes(1)).status()));
}

TEST_F(KeyCacheTest, KeysThatCannotBeUsedAreLeftOut) {
  nlohmann::json small = FakeKey::Rsa(1024).Jwk("small");
  nlohmann::json other_curve = FakeKey::Ec("P-256").Jwk("curve");
  other_curve["crv"] = "P-384";
  nlohmann::json off_curve = FakeKey::Ec().Jwk("off");
  off_curve["x"] = off_curve["y"];
  nlohmann::json encrypts = key_.Jwk("encrypts");
  encrypts["use"] = "enc";
  nlohmann::json hmac = {{"kty", "oct"}, {"kid", "hmac"}, {"k", "c2VjcmV0"}};
  nlohmann::json other_algorithm = FakeKey::Rsa().Jwk("other");
  other_algorithm["alg"] = "PS256";
  nlohmann::json nameless = key_.Jwk("x");
  nameless.erase("kid");
  page_ = KeySet({small, other_curve, off_curve, encrypts, hmac, other_algorithm, nameless, 17,
                  key_.Jwk("one")});
  EXPECT_TRUE(cache_.Find("one", kNow).ok());
  for (const char* id : {"small", "curve", "off", "encrypts", "hmac", "other", "x", ""}) {
    EXPECT_TRUE(absl::IsUnauthenticated(cache_.Find(id, kNow).status())) << id;
  }
}

TEST(SlowIssuerTest, OneWaitsForItAndNobodyElse) {
  const FakeKey key = FakeKey::Ec();
  absl::Notification asked;
  absl::Notification answer;
  bool slow = false;
  KeyCache cache([&]() -> absl::StatusOr<std::string> {
    if (slow) {
      asked.Notify();
      answer.WaitForNotification();
    }
    return KeySet({key.Jwk("one")});
  });
  ASSERT_TRUE(cache.Find("one", kNow).ok());
  slow = true;
  std::thread waiting([&] {
    EXPECT_TRUE(absl::IsUnauthenticated(cache.Find("unknown", kNow + absl::Minutes(1)).status()));
  });
  asked.WaitForNotification();
  EXPECT_TRUE(cache.Find("one", kNow + absl::Minutes(1)).ok());
  EXPECT_TRUE(cache.Find("one", kNow + absl::Hours(2)).ok()) << "old keys are good meanwhile";
  EXPECT_TRUE(absl::IsUnavailable(cache.Find("other", kNow + absl::Minutes(3)).status()));
  answer.Notify();
  waiting.join();
}

}  // namespace

}  // namespace gprofhub::collector
