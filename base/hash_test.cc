#include "base/hash.h"

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

// FIPS 180-2's examples.
TEST(Sha256, PublishedExamples) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(IsSha256Hex, TakesLowerCaseDigitsOfTheRightNumber) {
  EXPECT_TRUE(IsLowerHex(""));
  EXPECT_TRUE(IsLowerHex("0123456789abcdef"));
  for (const char* text : {"A", "g", "0x1", " 1", "1\n"}) EXPECT_FALSE(IsLowerHex(text)) << text;
  EXPECT_TRUE(IsSha256Hex(Sha256Hex("")));
  EXPECT_FALSE(IsSha256Hex(Sha256Hex("").substr(1)));
  EXPECT_FALSE(IsSha256Hex(Sha256Hex("") + "0"));
  EXPECT_FALSE(IsSha256Hex(std::string(kSha256Digits, 'F')));
}

TEST(RandomBytesTest, AreAsManyAsAreAskedForAndNeverTheSame) {
  EXPECT_EQ(RandomBytes(0)->size(), 0u);
  EXPECT_EQ(RandomBytes(256)->size(), 256u);
  // Two equal values of 32 bytes have a probability of 2^-256.
  EXPECT_NE(*RandomBytes(32), *RandomBytes(32));
}

TEST(IsCommitHash, TakesFullHashesOfBothKinds) {
  EXPECT_TRUE(IsCommitHash(std::string(40, 'a')));
  EXPECT_TRUE(IsCommitHash(std::string(64, '0')));
  for (const std::string& text : {std::string(), std::string(39, 'a'), std::string(41, 'a'),
                                  std::string(40, 'A'), std::string(40, 'g')}) {
    EXPECT_FALSE(IsCommitHash(text)) << text;
  }
}

}  // namespace

}  // namespace gprofhub::base
