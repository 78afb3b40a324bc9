// The sites' bytes at the peak, compared with copies of all sites.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/memory/in_use.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"

// The stubs, which are not linked here.
const char gh_stubs_begin[1] = {};
const char gh_stubs_end[1] = {};
}

namespace {

constexpr uint64_t kQuantity = 0x1000;

// Sums of get(site) over all tables, by call site.
template <typename Get>
std::map<uint64_t, uint64_t> Sums(Get get) {
  std::map<uint64_t, uint64_t> sums;
  for (gprofhub_chunk* chunk = gh_chunks; chunk != nullptr;
       chunk = reinterpret_cast<gprofhub_chunk*>(chunk->next)) {
    if (chunk->kind != GPROFHUB_IN_USE) continue;
    const auto* site = reinterpret_cast<const gprofhub_in_use*>(chunk + 1);
    for (uint64_t i = 0; i < chunk->capacity + GPROFHUB_PROBE_SLOTS; ++i, ++site) {
      if (site->from != 0 && get(*site) != 0) sums[site->from] += get(*site);
    }
  }
  return sums;
}

std::map<uint64_t, uint64_t> Now() {
  return Sums([](const gprofhub_in_use& site) { return site.now; });
}

std::map<uint64_t, uint64_t> AtPeak() {
  return Sums([](const gprofhub_in_use& site) { return gh_in_use_at_peak(&site); });
}

uint64_t Total(const std::map<uint64_t, uint64_t>& sums) {
  uint64_t total = 0;
  for (const auto& [from, bytes] : sums) total += bytes;
  return total;
}

struct Block {
  gprofhub_in_use* site;
  uint64_t bytes;
};

class InUse : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("GPROFHUB_PROFILE_DIR", ::testing::TempDir().c_str(), 1);
    ASSERT_EQ(gh_recording_ready(), GH_RECORDING_READY);
  }

  void SetUp() override {
    ASSERT_EQ(gh_header->in_use, 0);
    gh_in_use_reset();
  }
  void TearDown() override {
    for (const Block& block : blocks_) gh_in_use_change(block.site, block.bytes, nullptr, 0);
    EXPECT_TRUE(Now().empty());
  }

  void Hold(uint64_t from, uint64_t bytes) {
    gprofhub_in_use* site = gh_in_use_site(from, kQuantity);
    ASSERT_NE(site, nullptr);
    gh_in_use_change(nullptr, 0, site, bytes);
    blocks_.push_back({site, bytes});
  }
  void Resize(size_t index, uint64_t from, uint64_t bytes) {
    gprofhub_in_use* site = gh_in_use_site(from, kQuantity);
    gh_in_use_change(blocks_[index].site, blocks_[index].bytes, site, bytes);
    blocks_[index] = {site, bytes};
  }
  void LetGo(size_t index) {
    gh_in_use_change(blocks_[index].site, blocks_[index].bytes, nullptr, 0);
    blocks_.erase(blocks_.begin() + static_cast<ptrdiff_t>(index));
  }

  std::vector<Block> blocks_;
};

using Bytes = std::map<uint64_t, uint64_t>;

TEST_F(InUse, IsKeptOfTheHighestPeak) {
  Hold(1, 100);
  Hold(2, 50);
  EXPECT_EQ(AtPeak(), (Bytes{{1, 100}, {2, 50}}));  // now
  LetGo(0);
  Hold(3, 99);
  EXPECT_EQ(AtPeak(), (Bytes{{1, 100}, {2, 50}}));
  Hold(2, 2);
  EXPECT_EQ(AtPeak(), (Bytes{{2, 52}, {3, 99}}));
  EXPECT_EQ(gh_header->most_in_use, 151);
}

// The first of two peaks of the same height.
TEST_F(InUse, IsKeptUntilMoreIsInUse) {
  Hold(1, 100);
  LetGo(0);
  Hold(2, 100);
  LetGo(0);
  EXPECT_EQ(AtPeak(), (Bytes{{1, 100}}));
}

TEST_F(InUse, OfABlockThatGrowsIsItsNewSizeOnly) {
  Hold(1, 100);
  Resize(0, 2, 150);
  EXPECT_EQ(gh_header->most_in_use, 150);
  EXPECT_EQ(AtPeak(), (Bytes{{2, 150}}));
  Resize(0, 3, 149);
  EXPECT_EQ(AtPeak(), (Bytes{{2, 150}}));
  EXPECT_EQ(Now(), (Bytes{{3, 149}}));
}

TEST_F(InUse, BeginsAnewWithWhatIsThere) {
  Hold(1, 100);
  Hold(2, 1000);
  LetGo(1);
  gh_in_use_reset();
  EXPECT_EQ(gh_header->most_in_use, 100);
  EXPECT_EQ(AtPeak(), (Bytes{{1, 100}}));
  Hold(3, 7);
  EXPECT_EQ(AtPeak(), (Bytes{{1, 100}, {3, 7}}));
}

TEST_F(InUse, EqualsACopyOfAllSitesAtEachMaximum) {
  std::mt19937 random(1);
  Bytes copy;
  uint64_t most = 0;
  bool rises = false;
  for (int step = 0; step < 20000; ++step) {
    const uint64_t before = gh_header->in_use;
    // The number of sites grows, so that tables are replaced; allocations and frees are balanced.
    const uint64_t from = 1 + random() % (1 + static_cast<uint64_t>(step));
    const uint64_t what = random() % 8;
    const uint64_t bytes = random() % 5 == 0 ? 0 : random() % 4000;
    const Bytes sites = step % 50 == 0 || rises ? Now() : Bytes();
    if (what < 3 || blocks_.empty()) {
      Hold(from, bytes);
    } else if (what < 6) {
      LetGo(random() % blocks_.size());
    } else {
      Resize(random() % blocks_.size(), from, bytes);
    }
    const uint64_t now = gh_header->in_use;
    if (now < before && rises) {
      copy = sites;
      rises = false;
    }
    if (now > most) {
      most = now;
      rises = true;
    }
    ASSERT_EQ(gh_header->most_in_use, most);
    if (step % 50 == 0) {
      ASSERT_EQ(AtPeak(), rises ? Now() : copy) << step;
    }
  }
  EXPECT_GT(gh_in_use_table->capacity, 1024);
}

// Changes are serialised, so the sites' bytes add up to the peak, whichever peak it is.
TEST_F(InUse, OfThreadsAddsUp) {
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 8; ++thread) {
    threads.emplace_back([thread] {
      std::vector<Block> blocks;
      std::mt19937 random(static_cast<unsigned>(thread));
      for (int i = 0; i < 20000; ++i) {
        if (blocks.empty() || random() % 2 == 0) {
          gprofhub_in_use* site = gh_in_use_site(1 + random() % 100, kQuantity);
          blocks.push_back({site, random() % 1000});
          gh_in_use_change(nullptr, 0, site, blocks.back().bytes);
        } else {
          gh_in_use_change(blocks.back().site, blocks.back().bytes, nullptr, 0);
          blocks.pop_back();
        }
      }
      for (const Block& block : blocks) gh_in_use_change(block.site, block.bytes, nullptr, 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(gh_header->in_use, 0);
  EXPECT_GT(gh_header->most_in_use, 0);
  EXPECT_EQ(Total(AtPeak()), gh_header->most_in_use);
}

}  // namespace
