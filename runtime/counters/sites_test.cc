#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/counters/sites.h"
}

namespace {

// A module: its parts are within 2 GB of each other.
struct Module {
  uint64_t counters[4];
  unsigned char code[64];
  gh_image_site site;
};
Module loaded;

constexpr int kCode = offsetof(Module, code);  // relative to the counters

// Whether the site of `kind` at byte 16 of the code, of the third counter, is valid.
bool Describe(uint32_t kind, const std::string& code, gprofhub_site& out) {
  std::memset(loaded.code, 0x90, sizeof loaded.code);
  std::memcpy(loaded.code + 16, code.data(), code.size());
  loaded.site.kind = kind;
  loaded.site.counter = static_cast<int32_t>(reinterpret_cast<char*>(&loaded.counters[2]) -
                                             reinterpret_cast<char*>(&loaded.site.counter));
  loaded.site.site = static_cast<int32_t>(reinterpret_cast<char*>(loaded.code + 16) -
                                          reinterpret_cast<char*>(&loaded.site.site));
  const gh_counter_set set = {reinterpret_cast<char*>(loaded.counters),
                              reinterpret_cast<char*>(loaded.counters + 4), &loaded.site,
                              &loaded.site + 1};
  out = {};
  return gh_describe_site(&set, &loaded.site, &out) != 0;
}

std::string Far(const std::string& opcode, int32_t distance) {
  return opcode + std::string(reinterpret_cast<const char*>(&distance), sizeof distance);
}

TEST(Sites, OfCallsLeadFromTheReturnAddress) {
  gprofhub_site site;
  ASSERT_TRUE(Describe(GPROFHUB_SITE_CALL, Far("\xe8", 100), site));
  EXPECT_EQ(site.kind, GPROFHUB_SITE_CALL);
  EXPECT_EQ(site.counter, 2u);
  EXPECT_EQ(site.self, kCode + 16 + 5 + 100);
  EXPECT_EQ(site.from, kCode + 16 + 5);
  ASSERT_TRUE(Describe(GPROFHUB_SITE_CALL, Far("\xe8", -21), site));
  EXPECT_EQ(site.self, kCode);
}

TEST(Sites, OfJumpsLeadFromWithinThem) {
  gprofhub_site site;
  ASSERT_TRUE(Describe(GPROFHUB_SITE_CALL, Far("\xe9", 100), site));
  EXPECT_EQ(site.self, kCode + 16 + 5 + 100);
  EXPECT_EQ(site.from, kCode + 16 + 1);
  ASSERT_TRUE(Describe(GPROFHUB_SITE_CALL, "\xeb\xfe", site));  // to itself
  EXPECT_EQ(site.self, kCode + 16);
  EXPECT_EQ(site.from, kCode + 16 + 1);
}

TEST(Sites, PrefixesArePassedOver) {
  gprofhub_site site;
  ASSERT_TRUE(Describe(GPROFHUB_SITE_CALL, Far("\xf2\xe8", 100), site));
  EXPECT_EQ(site.self, kCode + 17 + 5 + 100);
  EXPECT_EQ(site.from, kCode + 17 + 5);
  ASSERT_TRUE(Describe(GPROFHUB_SITE_CALL, Far("\x67\xe8", 100), site));
  EXPECT_EQ(site.from, kCode + 17 + 5);
}

TEST(Sites, OfCallsIntoOtherModulesAreNone) {
  gprofhub_site site;
  EXPECT_FALSE(Describe(GPROFHUB_SITE_CALL, Far("\xff\x15", 100), site));
  EXPECT_FALSE(Describe(GPROFHUB_SITE_CALL, Far("\xff\x25", 100), site));
}

TEST(Sites, OfIndirectCallsHaveTheirPlaceOnly) {
  gprofhub_site site;
  ASSERT_TRUE(Describe(GPROFHUB_SITE_INDIRECT, "", site));
  EXPECT_EQ(site.counter, 2u);
  EXPECT_EQ(site.self, 0);
  EXPECT_EQ(site.from, kCode + 16);
}

TEST(Sites, OfFunctionsAndBlocksHaveTheirAddress) {
  gprofhub_site site;
  for (const uint32_t kind : {GPROFHUB_SITE_ENTRY, GPROFHUB_SITE_BLOCK, GPROFHUB_SITE_BLOCK_PLUS,
                              GPROFHUB_SITE_BLOCK_MINUS}) {
    ASSERT_TRUE(Describe(kind, "", site));
    EXPECT_EQ(site.kind, kind);
    EXPECT_EQ(site.counter, 2u);
    EXPECT_EQ(site.self, kCode + 16);
    EXPECT_EQ(site.from, 0);
  }
}

TEST(Sites, WithoutACounterHaveNone) {
  gprofhub_site site;
  for (const uint32_t kind : {GPROFHUB_SITE_FUNCTION, GPROFHUB_SITE_BLOCK_ALSO}) {
    ASSERT_TRUE(Describe(kind, "", site));
    EXPECT_EQ(site.counter, 0u);
    EXPECT_EQ(site.self, kCode + 16);
  }
}

}  // namespace
