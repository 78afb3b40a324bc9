#include "profile/recording/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "profile/format/recording.h"
#include "profile/recording/reader.h"
#include "profile/testing/sample_profile.h"

namespace gprofhub::profile {

namespace {

constexpr uint64_t kSecond = 1000000000;
constexpr absl::Time kEnd = absl::FromUnixSeconds(1100);

// With marks 1 and 2 at 1030 and 1060 s of a process that began at 1000 s.
RecordingBuilder TwoMarks() {
  RecordingBuilder builder;
  builder.header.start_seconds = 1000;
  builder.header.marks_taken = 2;
  builder.header.marks[0] = {1, 1030 * kSecond, {1, 0, 0, 0, 0, 0, 0}};
  builder.header.marks[1] = {2, 1060 * kSecond, {3, 0, 0, 0, 0, 0, 0}};
  builder.header.losses[GPROFHUB_LOST_ARCS] = 10;
  builder.Add<gprofhub_module>(GPROFHUB_MODULES,
                               {ModuleRecord("/bin/p", 0x10000, 0x20000, 0x10000)});
  return builder;
}

// Words of a chunk at marks 1 and 2, each with this many; places 3 and 4 contain earlier values.
std::vector<uint64_t> AtMarks(std::vector<uint64_t> first, std::vector<uint64_t> second,
                              size_t count) {
  std::vector<uint64_t> words(GPROFHUB_MARKS * count, 99);
  std::fill(words.begin(), words.begin() + 2 * static_cast<ptrdiff_t>(count), 0);
  std::copy(first.begin(), first.end(), words.begin());
  std::copy(second.begin(), second.end(), words.begin() + static_cast<ptrdiff_t>(count));
  return words;
}

Recording Window(RecordingBuilder& builder, RecordingWindow window) {
  const absl::StatusOr<std::string> cut = CutWindow(builder.Bytes(), "file", window, kEnd);
  EXPECT_TRUE(cut.ok()) << cut.status();
  absl::StatusOr<Recording> recording = ReadRecording(cut.ok() ? *cut : "", "window");
  EXPECT_TRUE(recording.ok()) << recording.status();
  return recording.ok() ? *std::move(recording) : Recording();
}

uint64_t Calls(const Recording& recording, uint64_t self_pc) {
  uint64_t calls = 0;
  for (const RecordedModule& module : recording.modules) {
    for (const RawArc& arc : module.profile.arcs) calls += arc.self_pc == self_pc ? arc.count : 0;
  }
  return calls;
}

absl::StatusCode CodeOf(RecordingBuilder& builder, RecordingWindow window) {
  return CutWindow(builder.Bytes(), "file", window, kEnd).status().code();
}

TEST(RecordingWindowTest, HasTheCallsBetweenTwoMarks) {
  RecordingBuilder builder = TwoMarks();
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 100, 0}, {0x10300, 0x10200, 7, 0}});
  builder.AddMarks(AtMarks({20, 0}, {50, 7}, 2 + GPROFHUB_PROBE_SLOTS));
  EXPECT_EQ(Calls(Window(builder, {0, 1}), 0x100), 20);
  EXPECT_EQ(Calls(Window(builder, {1, 2}), 0x100), 30);
  EXPECT_EQ(Calls(Window(builder, {2, 0}), 0x100), 50);
  EXPECT_EQ(Calls(Window(builder, {1, 0}), 0x100), 80);
  EXPECT_EQ(Calls(Window(builder, {0, 0}), 0x100), 100);
  EXPECT_EQ(Calls(Window(builder, {1, 2}), 0x300), 7);
  EXPECT_EQ(Calls(Window(builder, {2, 0}), 0x300), 0);
}

TEST(RecordingWindowTest, HasItsTimeAndItsLosses) {
  RecordingBuilder builder = TwoMarks();
  builder.header.state = GPROFHUB_FINISHED;
  builder.header.user_ns = 5 * kSecond;
  const Recording first = Window(builder, {0, 1});
  EXPECT_EQ(first.start_seconds, 1000);
  EXPECT_EQ(first.window_seconds, 30);
  EXPECT_EQ(first.losses[GPROFHUB_LOST_ARCS].second, 1);
  EXPECT_FALSE(first.finished);
  EXPECT_EQ(first.user_seconds, 0);
  const Recording last = Window(builder, {2, 0});
  EXPECT_EQ(last.start_seconds, 1060);
  EXPECT_EQ(last.window_seconds, 40);
  EXPECT_EQ(last.losses[GPROFHUB_LOST_ARCS].second, 7);
  EXPECT_TRUE(last.finished);
}

TEST(RecordingWindowTest, TakesWhatWasBegunAfterAMarkAsNothingThen) {
  RecordingBuilder builder = TwoMarks();
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 100, 0}});
  EXPECT_EQ(Calls(Window(builder, {2, 0}), 0x100), 100);
  EXPECT_EQ(Calls(Window(builder, {1, 2}), 0x100), 0);
}

// A peak is not a sum: it is unknown for a part of the time.
TEST(RecordingWindowTest, HasNoMemoryInUse) {
  RecordingBuilder builder = TwoMarks();
  builder.header.peaks = builder.header.in_use = builder.header.most_in_use = 7;
  const std::vector<gprofhub_in_use> sites = {{0x10200, 7, 0, 0}};
  builder.Add(GPROFHUB_IN_USE, sites, GPROFHUB_PROBE_SLOTS);
  gprofhub_chunk head = builder.Head();
  head.base = 0x10100;
  builder.SetHead(head);
  EXPECT_EQ(Calls(Window(builder, {1, 2}), 0x100), 0);
  EXPECT_EQ(Calls(Window(builder, {1, 0}), 0x100), 0);
}

TEST(RecordingWindowTest, HasSamplesAndThreadsOfItsOwn) {
  RecordingBuilder builder = TwoMarks();
  builder.AddTable(GPROFHUB_SAMPLES, {{0x10400, 0, 60, 0}});
  builder.AddMarks(AtMarks({10}, {25}, 1 + GPROFHUB_PROBE_SLOTS));
  gprofhub_thread thread = {};
  thread.signals = 50;
  thread.weight = 60;
  thread.cpu_ns_last = 3 * kSecond;
  builder.Add<gprofhub_thread>(GPROFHUB_THREADS, {thread});
  builder.AddMarks(AtMarks({5, 10, kSecond}, {20, 25, 2 * kSecond}, GPROFHUB_THREAD_WORDS));
  const Recording window = Window(builder, {1, 2});
  EXPECT_EQ(window.samples, 15);
  EXPECT_EQ(window.periods, 15);
  EXPECT_EQ(window.cpu_seconds, 1);
  EXPECT_EQ(window.modules[0].profile.histograms.at(0).bins[0x400 / 2], 15);
}

TEST(RecordingWindowTest, KeepsTheCallersOfSampledFrames) {
  RecordingBuilder builder = TwoMarks();
  builder.AddTable(GPROFHUB_STACKS, {{0x10100, 0, 4, 0}, {0x10300, 1, 9, 0}});
  builder.AddMarks(AtMarks({4, 0}, {4, 6}, 2 + GPROFHUB_PROBE_SLOTS));
  const Recording window = Window(builder, {1, 2});
  ASSERT_EQ(window.stacks.size(), 2);
  EXPECT_EQ(window.stacks[0].frame.samples, 0);
  EXPECT_EQ(window.stacks[1].frame.samples, 6);
  EXPECT_EQ(window.stacks[1].frame.parent, 0);
}

// Counters in the text: a direct call, and one through a pointer with two callees.
TEST(RecordingWindowTest, CutsCountersAndLeavesCalleesAlone) {
  RecordingBuilder builder = TwoMarks();
  builder.Add<gprofhub_site>(GPROFHUB_SITES, {{GPROFHUB_SITE_CALL, 0, 0x100, 0x200},
                                              {GPROFHUB_SITE_INDIRECT, 1, 0, 0x210},
                                              {GPROFHUB_SITE_FUNCTION, 0, 0x100, 0},
                                              {GPROFHUB_SITE_FUNCTION, 0, 0x300, 0}});
  gprofhub_chunk sites = builder.Head();
  sites.base = 0x10000;
  builder.SetHead(sites);
  builder.Add<uint64_t>(GPROFHUB_COUNTERS, {100, 0x10300, 40, 0, 0});
  gprofhub_chunk counters = builder.Head();
  counters.words = sizeof counters;
  builder.SetHead(counters);
  // The callee's word is not a count, so its value at a mark is ignored.
  builder.AddMarks(AtMarks({30, 0, 0, 0, 0}, {45, 0x10300, 4, 0, 0}, 5));
  builder.Add<uint64_t>(GPROFHUB_EXCLUDED, {10, 0, 1, 0, 0});
  gprofhub_chunk excluded = builder.Head();
  excluded.words = sizeof excluded;
  builder.SetHead(excluded);
  EXPECT_EQ(Calls(Window(builder, {1, 2}), 0x100), 15);
  EXPECT_EQ(Calls(Window(builder, {1, 2}), 0x300), 4);
  EXPECT_EQ(Calls(Window(builder, {2, 0}), 0x100), 45);  // 90 of 100 count
  EXPECT_EQ(Calls(Window(builder, {2, 0}), 0x300), 35);
}

TEST(RecordingWindowTest, MarksAreListedInTheirOrder) {
  RecordingBuilder builder = TwoMarks();
  builder.header.marks[0].number = 5;  // replaced the first mark
  const absl::StatusOr<Recording> recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->marks.size(), 2);
  EXPECT_EQ(recording->marks[0].number, 2);
  EXPECT_EQ(recording->marks[0].ns, 1060 * kSecond);
  EXPECT_EQ(recording->marks[1].number, 5);
  EXPECT_TRUE(Window(builder, {2, 0}).marks.empty());
}

TEST(RecordingWindowTest, OfMarksThatAreNotThereIsNone) {
  RecordingBuilder builder = TwoMarks();
  EXPECT_EQ(CodeOf(builder, {3, 0}), absl::StatusCode::kNotFound);
  EXPECT_EQ(CodeOf(builder, {0, 9}), absl::StatusCode::kNotFound);
  EXPECT_EQ(CodeOf(builder, {2, 1}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(builder, {2, 2}), absl::StatusCode::kInvalidArgument);
  builder.header.marks[0].number = 0;  // incomplete
  EXPECT_EQ(CodeOf(builder, {1, 0}), absl::StatusCode::kNotFound);
}

TEST(RecordingWindowTest, MarksThatDoNotFitAreDamage) {
  RecordingBuilder greater = TwoMarks();
  greater.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 5, 0}});
  greater.AddMarks(AtMarks({6}, {5}, 1 + GPROFHUB_PROBE_SLOTS));
  EXPECT_EQ(CodeOf(greater, {1, 0}), absl::StatusCode::kDataLoss);
  RecordingBuilder fewer = TwoMarks();
  fewer.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 5, 0}});
  fewer.AddMarks(AtMarks({1}, {2}, 1));
  EXPECT_EQ(CodeOf(fewer, {1, 0}), absl::StatusCode::kDataLoss);
  RecordingBuilder nowhere = TwoMarks();
  nowhere.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 5, 0}});
  gprofhub_chunk head = nowhere.Head();
  head.marks = 1;  // the modules
  nowhere.SetHead(head);
  EXPECT_EQ(CodeOf(nowhere, {1, 0}), absl::StatusCode::kDataLoss);
  head.marks = 0xffffffff;
  nowhere.SetHead(head);
  EXPECT_EQ(CodeOf(nowhere, {1, 0}), absl::StatusCode::kDataLoss);
}

}  // namespace

}  // namespace gprofhub::profile
