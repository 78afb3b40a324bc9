#include "base/hmac.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::base {
namespace {

// RFC 4231, test cases 1, 2 and 6.
TEST(HmacSha256Hex, IsThatOfTheStandard) {
  EXPECT_EQ(HmacSha256Hex(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(HmacSha256Hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(HmacSha256Hex(std::string(131, '\xaa'),
                          "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacSha256, HasTheBytes) {
  const std::string bytes = HmacSha256("Jefe", "what do ya want for nothing?");
  ASSERT_EQ(bytes.size(), 32u);
  EXPECT_EQ(bytes.substr(0, 4), "\x5b\xdc\xc1\x46");
}

TEST(EqualSecrets, ComparesAllBytes) {
  EXPECT_TRUE(EqualSecrets("", ""));
  EXPECT_TRUE(EqualSecrets("secret", "secret"));
  EXPECT_FALSE(EqualSecrets("secret", "secreT"));
  EXPECT_FALSE(EqualSecrets("secret", "secret "));
  EXPECT_FALSE(EqualSecrets("secret", ""));
}

}  // namespace
}  // namespace gprofhub::base
