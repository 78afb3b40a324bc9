#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/counters/sites.h"
#include "runtime/recording/recording.h"

// The stubs, which are not linked here.
extern const char gh_stubs_begin[1];
const char gh_stubs_begin[1] = {};
extern const char gh_stubs_end[1];
const char gh_stubs_end[1] = {};
}

namespace {

// A module: its parts are within 2 GB of each other.
struct Module {
  uint64_t counters[4];
  unsigned char code[64];
  unsigned char entry[16];  // of a procedure linkage table
  uint64_t slot;
  gh_image_site site;
};
Module loaded;

constexpr int kCode = offsetof(Module, code);  // relative to the counters
constexpr int kEntry = offsetof(Module, entry);
constexpr int kSlot = offsetof(Module, slot);

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

// A call and a jump through the slot, from byte 16 of the code.
const std::string kThroughSlot[] = {Far("\xff\x15", kSlot - (kCode + 16 + 6)),
                                    Far("\xff\x25", kSlot - (kCode + 16 + 6))};

TEST(Sites, OfCallsThroughASlotLeadToTheFunctionInIt) {
  gprofhub_site site;
  loaded.slot = reinterpret_cast<uint64_t>(loaded.code);
  ASSERT_TRUE(Describe(GPROFHUB_SITE_CALL, kThroughSlot[0], site));
  EXPECT_EQ(site.self, kCode);
  EXPECT_EQ(site.from, kCode + 16 + 6);
  ASSERT_TRUE(Describe(GPROFHUB_SITE_TAIL, kThroughSlot[1], site));
  EXPECT_EQ(site.self, kCode);
  EXPECT_EQ(site.from, kCode + 16 + 1);
}

TEST(Sites, OfCallsTooFarAwayAreNone) {
  gprofhub_site site;
  for (const std::string& code : kThroughSlot) {
    loaded.slot = 0;  // an undefined weak function
    EXPECT_FALSE(Describe(GPROFHUB_SITE_CALL, code, site));
    constexpr uint64_t kDistance = uint64_t{1} << 33;
    constexpr size_t kPage = 4096;
    void* const far = mmap(reinterpret_cast<void*>(reinterpret_cast<uint64_t>(&loaded) + kDistance),
                           kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(far, MAP_FAILED);
    loaded.slot = reinterpret_cast<uint64_t>(far);
    ASSERT_GT(std::max(loaded.slot, reinterpret_cast<uint64_t>(&loaded)) -
                  std::min(loaded.slot, reinterpret_cast<uint64_t>(&loaded)),
              kDistance / 2);
    EXPECT_FALSE(Describe(GPROFHUB_SITE_CALL, code, site));
    munmap(far, kPage);
  }
}

// Calls the entry of the procedure linkage table, which jumps through the slot.
bool DescribeThroughEntry(const std::string& prefix, gprofhub_site& site) {
  const std::string jump =
      prefix + Far("\xff\x25", kSlot - (kEntry + static_cast<int>(prefix.size()) + 6));
  std::memcpy(loaded.entry, jump.data(), jump.size());
  return Describe(GPROFHUB_SITE_CALL, Far("\xe8", kEntry - (kCode + 16 + 5)), site);
}

TEST(Sites, OfCallsThroughAProcedureLinkageTableLeadToTheFunction) {
  gprofhub_site site;
  loaded.slot = reinterpret_cast<uint64_t>(loaded.code + 8);
  for (const char* const prefix : {"", "\xf2", "\xf3\x0f\x1e\xfa", "\xf3\x0f\x1e\xfa\xf2"}) {
    ASSERT_TRUE(DescribeThroughEntry(prefix, site));
    EXPECT_EQ(site.self, kCode + 8);
    EXPECT_EQ(site.from, kCode + 16 + 5);
  }
}

TEST(Sites, OfCallsOfUndefinedWeakFunctionsLeadToNoFunction) {
  gprofhub_site site;
  loaded.slot = 0;
  ASSERT_TRUE(DescribeThroughEntry("", site));
  EXPECT_EQ(site.self, kEntry);
}

// The dynamic linker binds a slot at the first call.
TEST(Sites, OfSlotsThatAreBoundLaterLeadToTheFunction) {
  struct {
    gprofhub_chunk head;
    gprofhub_site sites[2];
  } described = {};
  for (gprofhub_site& site : described.sites) {
    unsigned char binds[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0, 0, 0};
    const bool marked = &site != described.sites;
    loaded.slot = reinterpret_cast<uint64_t>(binds + (marked ? 0 : 4));
    ASSERT_TRUE(DescribeThroughEntry("", site));
    EXPECT_EQ(site.self, kEntry);
  }
  described.head.kind = GPROFHUB_SITES;
  described.head.base = reinterpret_cast<uint64_t>(&loaded);
  described.head.capacity = 2;
  gh_chunks = &described.head;
  loaded.slot = reinterpret_cast<uint64_t>(loaded.code + 8);
  gh_sites_bind();
  gh_chunks = nullptr;
  for (const gprofhub_site& site : described.sites) EXPECT_EQ(site.self, kCode + 8);
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
