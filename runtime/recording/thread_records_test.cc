#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <set>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/thread_records.h"

// The stubs, which are not linked here.
const char gh_stubs_begin[1] = {};
const char gh_stubs_end[1] = {};
}

namespace {

constexpr uint32_t kSelf = 1;        // alive, and another process
constexpr size_t kMost = 512 * 127;  // records: chunks, and those in each

class ThreadRecords : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("GPROFHUB_PROFILE_DIR", ::testing::TempDir().c_str(), 1);
    ASSERT_EQ(gh_recording_ready(), GH_RECORDING_READY);
  }

  void SetUp() override {
    gprofhub_chunk* arcs = nullptr;
    gprofhub_chunk* blocks = nullptr;
    gh_records_forget(&arcs, &blocks);
  }
};

TEST_F(ThreadRecords, AreTheThreadsOwn) {
  int dropped = -1;
  gprofhub_thread* const record = gh_record_obtain(static_cast<uint32_t>(gettid()), &dropped);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(dropped, 0);
  EXPECT_EQ(gh_tls.thread, record);
  EXPECT_EQ(gh_thread_count(), 1u);
  EXPECT_EQ(gh_thread_at(0), record);
  EXPECT_EQ(static_cast<uint32_t>(record->owner), static_cast<uint32_t>(gettid()));
}

TEST_F(ThreadRecords, OfDeadThreadsAreTakenOverWithTheirTables) {
  int dropped = -1;
  gprofhub_thread* const record = gh_record_obtain(kSelf, &dropped);
  ASSERT_NE(record, nullptr);
  gprofhub_chunk table = {};
  record->tables[GPROFHUB_ARCS - 1] = reinterpret_cast<uint64_t>(&table);
  const uint64_t generation = record->owner >> 32;
  // A thread with that id is started again: the former one is dead.
  EXPECT_EQ(gh_record_obtain(kSelf, &dropped), record);
  EXPECT_EQ(dropped, 1);
  EXPECT_EQ(gh_tls.arcs, &table);
  EXPECT_EQ(record->owner >> 32, generation + 1);
  EXPECT_EQ(gh_thread_count(), 1u);
}

TEST_F(ThreadRecords, AreForgottenWithTheTablesThatMayBeInUse) {
  int dropped = -1;
  ASSERT_NE(gh_record_obtain(kSelf, &dropped), nullptr);
  gprofhub_chunk table = {};
  gh_tls.arcs = &table;
  gprofhub_chunk* arcs = nullptr;
  gprofhub_chunk* blocks = &table;
  gh_records_forget(&arcs, &blocks);
  EXPECT_EQ(arcs, &table);
  EXPECT_EQ(blocks, nullptr);
  EXPECT_EQ(gh_tls.thread, nullptr);
  EXPECT_EQ(gh_thread_count(), 0u);
}

TEST_F(ThreadRecords, AreNoMoreThanThereIsRoomFor) {
  std::set<gprofhub_thread*> records;
  int dropped = -1;
  for (size_t i = 0; i < kMost; ++i) {
    gprofhub_thread* const record = gh_record_obtain(kSelf, &dropped);
    ASSERT_NE(record, nullptr) << i;
    record->owner = 0;  // is never taken over
    records.insert(record);
  }
  EXPECT_EQ(records.size(), kMost);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(gh_record_obtain(kSelf, &dropped), nullptr);
    EXPECT_EQ(gh_thread_count(), kMost);
  }
  EXPECT_EQ(gh_thread_at(0)->owner, 0u);
  EXPECT_EQ(records.count(gh_thread_at(kMost - 1)), 1u);
}

}  // namespace
