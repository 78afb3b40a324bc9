#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <vector>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/base/config.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/events.h"
#include "runtime/sampling/ring.h"

// The stubs, which are not linked here.
const char gh_stubs_begin[1] = {};
const char gh_stubs_end[1] = {};
void gh_signal_return() {}

// Of the kernel's events the tests see the periods that they are started with, and the ends.
static std::vector<uint64_t> started;
static std::vector<void*> stopped;
void* gh_event_start(perf_event_attr* attributes, void* where, uint64_t, uint32_t) {
  started.push_back(attributes->sample_period);
  return where;
}
void gh_event_stop(void* where, uint64_t) { stopped.push_back(where); }
}

namespace {

constexpr uint64_t kPage = GPROFHUB_PAGE_BYTES;
constexpr uint64_t kRing = 2 * kPage;

uint64_t Own() { return reinterpret_cast<uint64_t>(gh_stubs_begin); }

// A ring in the kernel's layout, in the test's memory: the runtime's page, the alarm's, the
// ring's, the data.
class Ring : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("GPROFHUB_PROFILE_DIR", ::testing::TempDir().c_str(), 1);
    ASSERT_EQ(gh_recording_ready(), GH_RECORDING_READY);
    int dropped = 0;
    thread_ = gh_record_obtain(static_cast<uint32_t>(gettid()), &dropped);
    ASSERT_NE(thread_, nullptr);
  }

  void SetUp() override {
    memory_ = static_cast<char*>(mmap(nullptr, 3 * kPage + kRing, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory_, MAP_FAILED);
    thread_->ring = reinterpret_cast<uint64_t>(memory_);
    thread_->tables[GPROFHUB_SAMPLES - 1] = 0;
    thread_->signals = thread_->weight = thread_->cpu_ns_last = 0;
    thread_->stopped = 0;
    gh_sampling_off = 0;
    gh_config.ring_slows_down = 1;
    gh_ring_begin_anew();
    gh_ring_switch(thread_, 1);
    *reinterpret_cast<uint64_t*>(memory_ + 8) = 250000;  // the alarm's period
    started.clear();
    stopped.clear();
    gh_header->sample_weights = 0;
    gh_header->period = 250000;
    first_ = gh_chunks;
    lost_ = gh_header->losses[GPROFHUB_LOST_SAMPLES];
  }

  void TearDown() override {
    thread_->ring = 0;
    munmap(memory_, 3 * kPage + kRing);
  }

  perf_event_mmap_page* Page() {
    return reinterpret_cast<perf_event_mmap_page*>(memory_ + 2 * kPage);
  }

  // The kernel can start at any offset, as if that much had been written and read before.
  void BeginAt(uint64_t offset) { Page()->data_head = Page()->data_tail = offset; }

  void Write(uint32_t type, std::initializer_list<uint64_t> words) {
    perf_event_header header = {};
    header.type = type;
    header.size = static_cast<uint16_t>(8 * (1 + words.size()));
    uint64_t first;
    memcpy(&first, &header, sizeof first);
    Put(first);
    for (const uint64_t word : words) Put(word);
  }
  void Sample(uint64_t pc) { Write(PERF_RECORD_SAMPLE, {pc}); }

  void Take(uint64_t own_from = static_cast<uint64_t>(GH_RING_ALL_IS_PROGRAM)) {
    gh_ring_take(thread_, thread_, own_from);
  }

  void TakeMany(uint64_t samples);
  void Alarm() { gh_ring_alarm(thread_, gh_ring_head(thread_)); }
  uint32_t Slowing() const { return *reinterpret_cast<uint32_t*>(memory_ + 4); }

  std::map<uint64_t, uint64_t> Counted() const {
    std::map<uint64_t, uint64_t> counted;
    for (gprofhub_chunk* chunk = gh_chunks; chunk != first_;
         chunk = reinterpret_cast<gprofhub_chunk*>(chunk->next)) {
      if (chunk->kind != GPROFHUB_SAMPLES) continue;
      const gprofhub_slot* const slots = gh_table_slots(chunk);
      for (uint64_t i = 0; i < chunk->capacity + GPROFHUB_PROBE_SLOTS; ++i) {
        if (slots[i].count != 0) counted[slots[i].key] += slots[i].count;
      }
    }
    return counted;
  }

  uint64_t Lost() const { return gh_header->losses[GPROFHUB_LOST_SAMPLES] - lost_; }

  static gprofhub_thread* thread_;
  char* memory_ = nullptr;
  gprofhub_chunk* first_ = nullptr;
  uint64_t lost_ = 0;

 private:
  void Put(uint64_t word) {
    memcpy(memory_ + 3 * kPage + Page()->data_head % kRing, &word, sizeof word);
    Page()->data_head += sizeof word;
  }
};

gprofhub_thread* Ring::thread_ = nullptr;

using Counts = std::map<uint64_t, uint64_t>;

TEST_F(Ring, EachSampleIsCountedOnce) {
  Sample(0x1000);
  Sample(0x2000);
  Sample(0x1000);
  Take();
  Take();
  EXPECT_EQ(Counted(), (Counts{{0x1000, 2}, {0x2000, 1}}));
  EXPECT_EQ(thread_->signals, 3u);
  EXPECT_EQ(thread_->weight, 3u);
  EXPECT_EQ(Page()->data_tail, Page()->data_head) << "the kernel may write there again";
}

TEST_F(Ring, GoesOnWhereItWasLeft) {
  Sample(0x1000);
  Take();
  Sample(0x2000);
  Take();
  EXPECT_EQ(Counted(), (Counts{{0x1000, 1}, {0x2000, 1}}));
}

TEST_F(Ring, RecordsMayGoOnAtTheBeginning) {
  for (const uint64_t behind : {8u, 16u}) {
    BeginAt(3 * kRing - behind);
    Sample(0x1000 + behind);
    Take();
  }
  EXPECT_EQ(Counted(), (Counts{{0x1008, 1}, {0x1010, 1}}));
}

TEST_F(Ring, AFullRingIsTakenWhole) {
  BeginAt(5 * kRing + 24);
  for (uint64_t i = 0; i < kRing / 16; ++i) Sample(0x1000);
  Take();
  EXPECT_EQ(Counted(), (Counts{{0x1000, kRing / 16}}));
}

// The kernel leaves the last byte free.
TEST_F(Ring, IsFullWhenAnotherSampleHasNoRoom) {
  for (uint64_t i = 0; i < kRing / 16 - 2; ++i) Sample(0x1000);
  EXPECT_FALSE(gh_ring_is_full(thread_));
  Sample(0x1000);
  EXPECT_TRUE(gh_ring_is_full(thread_));
  Take();
  EXPECT_FALSE(gh_ring_is_full(thread_));
}

TEST_F(Ring, WhatTheKernelCouldNotWriteIsLost) {
  Sample(0x1000);
  Write(PERF_RECORD_LOST, {77, 12});
  Sample(0x1000);
  Take();
  EXPECT_EQ(Counted(), (Counts{{0x1000, 2}}));
  EXPECT_EQ(Lost(), 12u);
}

TEST_F(Ring, OtherRecordsAreSkipped) {
  Write(PERF_RECORD_THROTTLE, {1, 2, 3});
  Sample(0x1000);
  Take();
  EXPECT_EQ(Counted(), (Counts{{0x1000, 1}}));
}

TEST_F(Ring, WhatWasSampledInTheRuntimeIsItsOwnCost) {
  Sample(0x1000);
  const uint64_t before = gh_ring_head(thread_);
  Sample(0x2000);
  Sample(0x3000);
  Take(before);
  EXPECT_EQ(Counted(), (Counts{{0x1000, 1}, {Own(), 2}}));
}

TEST_F(Ring, WhileSamplingIsOffNothingIsCountedNorLost) {
  gh_sampling_off = 1;
  Sample(0x1000);
  Write(PERF_RECORD_LOST, {77, 12});
  Take();
  gh_sampling_off = 0;
  Sample(0x2000);
  Take();
  EXPECT_EQ(Counted(), (Counts{{0x2000, 1}}));
  EXPECT_EQ(Lost(), 0u);
}

TEST_F(Ring, OfAStoppedThreadNothingIsCounted) {
  thread_->stopped = 1;
  Sample(0x1000);
  Take();
  EXPECT_EQ(Counted(), Counts{});
}

TEST_F(Ring, WhatASecondReaderMeetsIsTheFirstOnes) {
  Sample(0x1000);
  *reinterpret_cast<int32_t*>(memory_) = 1;
  Take();
  EXPECT_EQ(Counted(), Counts{});
  *reinterpret_cast<int32_t*>(memory_) = 0;
  Take();
  EXPECT_EQ(Counted(), (Counts{{0x1000, 1}}));
}

TEST_F(Ring, AnotherThreadsSamplesAreItsTime) {
  gprofhub_thread other = {};
  other.ring = thread_->ring;
  gh_header->period = 500000;
  Sample(0x1000);
  Sample(0x1000);
  gh_ring_take(&other, thread_, static_cast<uint64_t>(GH_RING_ALL_IS_PROGRAM));
  EXPECT_EQ(Counted(), (Counts{{0x1000, 2}}));
  EXPECT_EQ(other.signals, 2u);
  EXPECT_EQ(other.cpu_ns_last, 1000000u);
  EXPECT_EQ(thread_->signals, 0u);
}

// As for a thread with many samples.
void Ring::TakeMany(uint64_t samples) {
  for (uint64_t i = 0; i < samples; ++i) {
    Sample(0x9000);
    if (i % 256 == 255) Take();
  }
  Take();
}

TEST_F(Ring, ALongProcessIsSampledHalfAsOftenAndEachSampleCountsTwice) {
  TakeMany(GH_RING_MANY_SAMPLES - 1);
  Alarm();
  EXPECT_EQ(Slowing(), 0u);
  Sample(0x1000);
  Take();
  Alarm();
  EXPECT_EQ(Slowing(), 1u);
  Sample(0x2000);
  Take();
  EXPECT_EQ(Counted(), (Counts{{0x9000, GH_RING_MANY_SAMPLES - 1}, {0x1000, 1}, {0x2000, 2}}));
  EXPECT_EQ(thread_->signals, GH_RING_MANY_SAMPLES + 1u);
  EXPECT_EQ(thread_->weight, GH_RING_MANY_SAMPLES + 2u);
  EXPECT_EQ(gh_header->sample_weights, 0b10u);
}

TEST_F(Ring, ALongerOneIsSampledAQuarterAsOftenAndNoLess) {
  TakeMany(8 * GH_RING_MANY_SAMPLES);
  Alarm();
  EXPECT_EQ(Slowing(), 2u);
  Sample(0x1000);
  Take();
  EXPECT_EQ(Counted()[0x1000], 4u);
  EXPECT_EQ(gh_header->sample_weights, 0b100u);
}

TEST_F(Ring, WhatWaitedWhileItBecameSlowerIsOfTheOldWeight) {
  TakeMany(GH_RING_MANY_SAMPLES);
  Sample(0x1000);
  const uint64_t now = gh_ring_head(thread_);
  Sample(0x2000);
  gh_ring_alarm(thread_, now);
  EXPECT_EQ(Slowing(), 1u);
  EXPECT_EQ(Counted(), (Counts{{0x9000, GH_RING_MANY_SAMPLES}, {0x1000, 1}, {Own(), 1}}));
}

TEST_F(Ring, WhileAnotherTakesOfItItKeepsItsWeight) {
  TakeMany(GH_RING_MANY_SAMPLES);
  *reinterpret_cast<int32_t*>(memory_) = 1;
  Sample(0x1000);
  Alarm();
  *reinterpret_cast<int32_t*>(memory_) = 0;
  EXPECT_EQ(Slowing(), 0u);
  Alarm();
  EXPECT_EQ(Slowing(), 1u);
  EXPECT_EQ(Counted()[0x1000], 1u);
}

TEST_F(Ring, ARateThatWasAskedForStays) {
  gh_config.ring_slows_down = 0;
  TakeMany(4 * GH_RING_MANY_SAMPLES);
  Alarm();
  EXPECT_EQ(Slowing(), 0u);
}

TEST_F(Ring, AStoppedThreadIsNotSetGoingByIt) {
  TakeMany(GH_RING_MANY_SAMPLES);
  thread_->stopped = 1;
  Alarm();
  EXPECT_EQ(Slowing(), 0u);
}

TEST_F(Ring, EachAlarmComesLaterThanTheOneBefore) {
  for (int i = 0; i < 9; ++i) Alarm();
  EXPECT_EQ(started, (std::vector<uint64_t>{500000, 1000000, 2000000, 4000000, 8000000, 16000000}));
}

TEST_F(Ring, WhileSamplingIsOffOnlyTheAlarmIsLeft) {
  gh_sampling_off = 1;
  Alarm();
  EXPECT_EQ(stopped, std::vector<void*>{Page()});
  EXPECT_EQ(started, std::vector<uint64_t>{4000000});
  Alarm();
  EXPECT_EQ(stopped.size(), 1u);
  gh_sampling_off = 0;
  Alarm();
  EXPECT_EQ(started, (std::vector<uint64_t>{4000000, 250000, 8000000}));
}

TEST_F(Ring, OfASlowThreadLostSamplesAndTimeAreWeighedToo) {
  TakeMany(GH_RING_MANY_SAMPLES);
  Alarm();
  gprofhub_thread other = {};
  other.ring = thread_->ring;
  Sample(0x1000);
  Write(PERF_RECORD_LOST, {77, 12});
  gh_ring_take(&other, thread_, static_cast<uint64_t>(GH_RING_ALL_IS_PROGRAM));
  EXPECT_EQ(other.cpu_ns_last, 500000u);
  EXPECT_EQ(Lost(), 24u);
}

TEST_F(Ring, AForkedChildBeginsAnew) {
  TakeMany(GH_RING_MANY_SAMPLES);
  gh_ring_begin_anew();
  Alarm();
  EXPECT_EQ(Slowing(), 0u);
}

TEST_F(Ring, WhatLiesOutsideOfTheRangeIsNotCounted) {
  gh_tables_limit(0x2000, 0x3000);
  Sample(0x1000);
  Sample(0x2000);
  Take();
  gh_tables_limit(0, UINT64_MAX);
  EXPECT_EQ(Counted(), (Counts{{0x2000, 1}}));
}

TEST_F(Ring, AThreadWithoutOneHasNone) {
  gprofhub_thread none = {};
  EXPECT_EQ(gh_ring_head(&none), 0u);
  EXPECT_EQ(gh_ring_head(nullptr), 0u);
  gh_ring_take(&none, thread_, 0);
  EXPECT_EQ(Counted(), Counts{});
}

}  // namespace
