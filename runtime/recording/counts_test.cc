#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <utility>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/recording/counts.h"
#include "runtime/recording/marks.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"
#include "runtime/recording/thread_records.h"

// The stubs, which are not linked here.
const char gh_stubs_begin[1] = {};
const char gh_stubs_end[1] = {};
}

namespace {

// Outside every module: the module map is read for each of them.
constexpr uint64_t kSelf = 0x1000, kFrom = 0x2000;

class Counts : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("GPROFHUB_PROFILE_DIR", ::testing::TempDir().c_str(), 1);
    ASSERT_EQ(gh_recording_ready(), GH_RECORDING_READY);
    int dropped = 0;
    thread_ = gh_record_obtain(static_cast<uint32_t>(gettid()), &dropped);
    ASSERT_NE(thread_, nullptr);
  }

  void SetUp() override { gh_tables_limit(0, UINT64_MAX); }

  static gprofhub_chunk* Count(uint64_t key, uint64_t context, uint64_t amount,
                               uint32_t kind = GPROFHUB_ARCS) {
    gprofhub_chunk* table = nullptr;
    const int64_t slot = gh_count(thread_, kind, key, context, amount, &table);
    EXPECT_GE(slot, 0);
    EXPECT_EQ(gh_table_slots(table)[slot].key, key);
    EXPECT_EQ(gh_table_slots(table)[slot].context, context);
    return table;
  }

  // The sum of all tables of a kind, by (key, context).
  static std::map<std::pair<uint64_t, uint64_t>, uint64_t> Sums(uint32_t kind) {
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> sums;
    for (gprofhub_chunk* chunk = gh_chunks; chunk != nullptr;
         chunk = reinterpret_cast<gprofhub_chunk*>(chunk->next)) {
      if (chunk->kind != kind) continue;
      for (uint64_t i = 0; i < chunk->capacity + GPROFHUB_PROBE_SLOTS; ++i) {
        const gprofhub_slot& slot = gh_table_slots(chunk)[i];
        if (slot.count != 0) sums[{slot.key, slot.context}] += slot.count;
      }
    }
    return sums;
  }

  static gprofhub_thread* thread_;
};
gprofhub_thread* Counts::thread_ = nullptr;

TEST_F(Counts, AddUpByKeyAndContext) {
  Count(kSelf, kFrom, 3);
  Count(kSelf, kFrom, uint64_t{1} << 40);
  Count(kSelf, kFrom + 5, 7);
  Count(kSelf, 0, 9, GPROFHUB_BLOCKS);
  const auto arcs = Sums(GPROFHUB_ARCS);
  EXPECT_EQ(arcs.at({kSelf, kFrom}), 3 + (uint64_t{1} << 40));
  EXPECT_EQ(arcs.at({kSelf, kFrom + 5}), 7u);
  EXPECT_EQ(Sums(GPROFHUB_BLOCKS).at({kSelf, 0}), 9u);
}

TEST_F(Counts, GoToTheTableThatTheStubsLookInto) {
  EXPECT_EQ(Count(kSelf, kFrom, 1), gh_tls.arcs);
  EXPECT_EQ(Count(kSelf, 0, 1, GPROFHUB_BLOCKS), gh_tls.blocks);
}

TEST_F(Counts, OfAFullTableStayWhereTheyAre) {
  const uint64_t base = 0x100000;
  gprofhub_chunk* const small = Count(base, kFrom, 1);
  gprofhub_chunk* large = small;
  uint64_t keys = 1;
  for (; large == small; ++keys) large = Count(base + 16 * keys, kFrom, 1);
  EXPECT_GT(large->capacity, small->capacity);
  Count(base, kFrom, 1);  // in the larger table now
  const auto sums = Sums(GPROFHUB_ARCS);
  EXPECT_EQ(sums.at({base, kFrom}), 2u);
  for (uint64_t i = 1; i < keys; ++i) EXPECT_EQ(sums.at({base + 16 * i, kFrom}), 1u) << i;
}

TEST_F(Counts, SwitchedOffAreSeenByTheStubsInOneWord) {
  gh_tables_switch(0);
  EXPECT_NE(gh_counting_off, 0);
  gh_tables_switch(1);
  EXPECT_EQ(gh_counting_off, 0);
}

TEST_F(Counts, ThatWereResetAreInNoTable) {
  gprofhub_chunk* const before = Count(kSelf, kFrom, 1);
  EXPECT_NE(before->mask, 0u);
  gh_tables_reset();
  EXPECT_EQ(before->mask, 0u);
  EXPECT_TRUE(Sums(GPROFHUB_ARCS).empty());
  EXPECT_NE(Count(kSelf, kFrom, 3), before);
  EXPECT_EQ(Sums(GPROFHUB_ARCS).at({kSelf, kFrom}), 3u);
}

TEST_F(Counts, ThatAreKeptApartAreInNoFile) {
  gh_tables_count_apart(1);
  gprofhub_chunk* const apart = Count(kSelf, kFrom, 5);
  EXPECT_EQ(apart->entry, 0u);
  gh_tables_count_apart(0);
  EXPECT_EQ(apart->mask, 0u);
  gprofhub_chunk* const after = Count(kSelf, kFrom, 2);
  EXPECT_NE(after->entry, 0u);
  EXPECT_EQ(Sums(GPROFHUB_ARCS).at({kSelf, kFrom}), 2u);
}

TEST_F(Counts, OfAMarkStayWhileCountingGoesOn) {
  Count(kSelf, kFrom, 1);
  const uint64_t at_first = Sums(GPROFHUB_ARCS).at({kSelf, kFrom});
  gh_tables_mark(0);
  gprofhub_chunk* const table = Count(kSelf, kFrom, 7);
  gh_tables_mark(1);
  ASSERT_NE(table->marks, 0u);
  const auto marked = [&](uint32_t place) {
    const uint64_t* words = gh_mark_words(table, table->capacity + GPROFHUB_PROBE_SLOTS, place);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < table->capacity + GPROFHUB_PROBE_SLOTS; ++i) {
      if (gh_table_slots(table)[i].key == kSelf) sum += words[i];
    }
    return sum;
  };
  EXPECT_EQ(marked(1), marked(0) + 7);
  EXPECT_LE(marked(0), at_first);  // other tests' tables contain the rest
}

TEST_F(Counts, FromBeforeALimitStayAndTheirTablesStayOff) {
  gprofhub_chunk* const before = Count(kSelf, kFrom, 1);
  const uint64_t counted = Sums(GPROFHUB_ARCS).at({kSelf, kFrom});
  gh_tables_limit(kSelf, kSelf + 16);
  EXPECT_TRUE(gh_in_range(kSelf));
  EXPECT_TRUE(gh_in_range(kSelf + 15));
  EXPECT_FALSE(gh_in_range(kSelf + 16));
  EXPECT_FALSE(gh_in_range(kSelf - 1));
  EXPECT_EQ(before->mask, 0u);
  gprofhub_chunk* const after = Count(kSelf, kFrom, 1);
  EXPECT_NE(after, before);
  EXPECT_EQ(Sums(GPROFHUB_ARCS).at({kSelf, kFrom}), counted + 1);
  EXPECT_EQ(before->mask, 0u);
  EXPECT_NE(after->mask, 0u);
}

}  // namespace
