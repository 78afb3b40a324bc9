#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/counters/chunks.h"
#include "runtime/counters/counters.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"

// The stubs, which are not linked here.
const char gh_stubs_begin[1] = {};
const char gh_stubs_end[1] = {};
}

namespace {

constexpr uint64_t kBase = 0x400000;

using Visits = std::vector<std::string>;

std::string Text(uint32_t kind, uint64_t self, uint64_t from) {
  return std::to_string(kind) + ": " + std::to_string(static_cast<int64_t>(self - kBase)) + " " +
         std::to_string(static_cast<int64_t>(from - kBase));
}

// A process's chunks, built by the test.
class Counted : public ::testing::Test {
 protected:
  ~Counted() override {
    gh_chunks = nullptr;
    std::fill(std::begin(gh_counter_sites), std::end(gh_counter_sites), nullptr);
  }

  void AddSites(uint32_t set, const std::vector<gprofhub_site>& sites) {
    gprofhub_chunk& chunk = Add(GPROFHUB_SITES, set, 0, sites.data(), sites.size());
    chunk.base = kBase;
    gh_counter_sites[set] = &chunk;
  }
  void AddCounters(uint32_t set, uint32_t thread, const std::vector<uint64_t>& counters) {
    Add(GPROFHUB_COUNTERS, set, thread, counters.data(), counters.size()).words =
        sizeof(gprofhub_chunk);
  }
  // From the counters added last. `off`: counting is off now.
  void AddExcluded(const std::vector<uint64_t>& counters, bool off) {
    gprofhub_chunk& counted = *gh_chunks;
    gprofhub_chunk& chunk =
        Add(GPROFHUB_EXCLUDED, counted.set, counted.thread, counters.data(), counters.size());
    chunk.words = sizeof(gprofhub_chunk);
    chunk.used = off;
    counted.used = reinterpret_cast<uint64_t>(&chunk);
  }

  // "KIND: SELF FROM COUNT" of each count; callees of indirect calls unchanged.
  static Visits Counts() {
    Visits visits;
    gh_counters_visit(
        &visits, [](void* to, uint32_t kind, uint64_t self, uint64_t from, uint64_t count) {
          static_cast<Visits*>(to)->push_back(Text(kind, self, from) + " " + std::to_string(count));
        });
    return visits;
  }

 private:
  template <typename Record>
  gprofhub_chunk& Add(uint32_t kind, uint32_t set, uint32_t thread, const Record* records,
                      size_t count) {
    const size_t words = (sizeof(gprofhub_chunk) + count * sizeof(Record)) / sizeof(uint64_t);
    auto& memory = memory_.emplace_back(new uint64_t[words]());
    auto* const chunk = reinterpret_cast<gprofhub_chunk*>(memory.get());
    chunk->kind = kind;
    chunk->set = set;
    chunk->thread = thread;
    chunk->capacity = count;
    std::copy(records, records + count, reinterpret_cast<Record*>(chunk + 1));
    chunk->next = reinterpret_cast<uint64_t>(gh_chunks);
    gh_chunks = chunk;
    return *chunk;
  }

  std::vector<std::unique_ptr<uint64_t[]>> memory_;
};

TEST_F(Counted, CallsAndEntriesAreVisitedIfThereWereAny) {
  AddSites(0, {{GPROFHUB_SITE_CALL, 0, 100, 10},
               {GPROFHUB_SITE_CALL, 1, 200, 20},
               {GPROFHUB_SITE_ENTRY, 2, -300, 0},
               {GPROFHUB_SITE_FUNCTION, 0, 400, 0},
               {0, 0, 500, 50}});
  AddCounters(0, 0, {7, 0, 9});
  EXPECT_EQ(Counts(), (Visits{"1: 100 10 7", "3: -300 0 9"}));
}

TEST_F(Counted, EachThreadHasCountsOfItsOwn) {
  AddSites(0, {{GPROFHUB_SITE_ENTRY, 0, 100, 0}});
  AddSites(1, {{GPROFHUB_SITE_ENTRY, 0, 200, 0}});
  AddCounters(1, 0, {3});
  AddCounters(0, 1, {2});
  AddCounters(0, 0, {1});
  EXPECT_EQ(Counts(), (Visits{"3: 100 0 1", "3: 100 0 2", "3: 200 0 3"}));
}

TEST_F(Counted, IndirectCallsHaveTwoCallees) {
  AddSites(0, {{GPROFHUB_SITE_INDIRECT, 1, 0, 10}});
  AddCounters(0, 0, {99, kBase + 100, 5, kBase + 200, 0, 99});
  EXPECT_EQ(Counts(), (Visits{"2: 100 10 5"}));
  AddCounters(0, 1, {99, kBase + 100, 5, kBase + 200, 6, 99});
  EXPECT_EQ(Counts(), (Visits{"2: 100 10 5", "2: 200 10 6", "2: 100 10 5"}));
}

TEST_F(Counted, TailCallsHaveTwoCallers) {
  AddSites(0, {{GPROFHUB_SITE_TAIL, 0, 300, 0}});
  AddCounters(0, 0, {kBase + 100, 5, kBase + 200, 6});
  EXPECT_EQ(Counts(), (Visits{"9: 300 100 5", "9: 300 200 6"}));
}

TEST_F(Counted, BlocksAreSumsOfTheirSites) {
  AddSites(0, {{GPROFHUB_SITE_BLOCK, 0, 100, 0},
               {GPROFHUB_SITE_BLOCK_PLUS, 1, 100, 0},
               {GPROFHUB_SITE_BLOCK_MINUS, 2, 100, 0},
               {GPROFHUB_SITE_BLOCK_ALSO, 0, 150, 0},
               {GPROFHUB_SITE_BLOCK, 1, 200, 0},
               {GPROFHUB_SITE_BLOCK_MINUS, 0, 200, 0}});
  AddCounters(0, 0, {10, 4, 3});
  // 10 + 4 - 3, also for the sites derived from it; 4 - 10 is below 0.
  EXPECT_EQ(Counts(), (Visits{"5: 100 0 11", "5: 150 0 11"}));
}

TEST_F(Counted, WhatWasExcludedIsTakenAway) {
  AddSites(0, {{GPROFHUB_SITE_ENTRY, 0, 100, 0}});
  AddCounters(0, 0, {10});
  AddExcluded({4}, false);
  EXPECT_EQ(Counts(), (Visits{"3: 100 0 6"}));
}

TEST_F(Counted, WhatIsCountedWhileCountingIsOffIsNot) {
  AddSites(0, {{GPROFHUB_SITE_ENTRY, 0, 100, 0}});
  AddCounters(0, 0, {10});
  AddExcluded({uint64_t{0} - 8}, true);  // 8 were counted before
  EXPECT_EQ(Counts(), (Visits{"3: 100 0 8"}));
}

TEST_F(Counted, CountersThatAreNotDescribedAreLeftOut) {
  AddCounters(3, 0, {10});
  EXPECT_EQ(Counts(), Visits());
}

TEST_F(Counted, SitesAreVisitedWhateverTheyCounted) {
  AddSites(0, {{GPROFHUB_SITE_CALL, 0, 100, 10}, {GPROFHUB_SITE_FUNCTION, 0, 400, 0}});
  Visits visits;
  gh_sites_visit(&visits, [](void* to, uint32_t kind, uint64_t self, uint64_t from) {
    static_cast<Visits*>(to)->push_back(Text(kind, self, from));
  });
  EXPECT_EQ(visits, (Visits{"1: 100 10", "4: 400 0"}));
}

}  // namespace
