#include "profile/recording/reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profile/format/recording.h"
#include "profile/testing/sample_profile.h"

namespace gprofhub::profile {

namespace {

RecordingBuilder TwoModules() {
  RecordingBuilder builder;
  builder.Add<gprofhub_module>(GPROFHUB_MODULES,
                               {ModuleRecord("/bin/p", 0x10000, 0x20000, 0x10000),
                                ModuleRecord("/lib/libfoo.so", 0x50000, 0x60000, 0x50000, 1)});
  return builder;
}

TEST(RecordingReaderTest, AddsUpTheTablesOfAllThreads) {
  RecordingBuilder builder = TwoModules();
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 5, 0}, {0, 0, 0, 0}});
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, uint64_t{1} << 40, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const RecordedModule* program = FindModule(*recording, "");
  ASSERT_NE(program, nullptr);
  ASSERT_EQ(program->profile.arcs.size(), 1);
  EXPECT_EQ(program->profile.arcs[0].from_pc, 0x200);
  EXPECT_EQ(program->profile.arcs[0].self_pc, 0x100);
  EXPECT_EQ(program->profile.arcs[0].count, (uint64_t{1} << 40) + 5);
  EXPECT_FALSE(recording->finished);
}

TEST(RecordingReaderTest, HasTheEnvironmentOfTheProcess) {
  RecordingBuilder builder = TwoModules();
  const auto unknown = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(unknown.ok()) << unknown.status();
  EXPECT_EQ(unknown->environment, Environment());
  gprofhub_environment& environment = builder.header.environment;
  std::strcpy(environment.architecture, "aarch64");
  std::strcpy(environment.emulator, "qemu-aarch64");
  std::strcpy(environment.processor, "implementer 0x41");
  std::strcpy(environment.tunables, "glibc.malloc.check=1");
  environment.processors = 4;
  // Not terminated.
  std::memset(environment.features, 'A', sizeof environment.features);
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->environment, (Environment{"aarch64", "qemu-aarch64", "implementer 0x41",
                                                 std::string(sizeof environment.features, 'A'),
                                                 "glibc.malloc.check=1", 4}));
}

// The function at 0x300 represents the bytes. The first site's value at the peak is its value then.
TEST(RecordingReaderTest, HasWhatWasInUseAtThePeakAsCalls) {
  RecordingBuilder builder = TwoModules();
  const std::vector<gprofhub_in_use> sites = {
      {0x10100, 7, 5, 4}, {0x10200, 9, 1, 2}, {0x10280, 3, 0, 4}, {0, 0, 0, 0}};
  builder.Add(GPROFHUB_IN_USE, sites, GPROFHUB_PROBE_SLOTS);
  gprofhub_chunk head = builder.Head();
  head.base = 0x10300;
  builder.SetHead(head);
  const auto arcs_at = [&](uint64_t peaks) {
    builder.header.peaks = peaks;
    const auto recording = ReadRecording(builder.Bytes(), "file");
    EXPECT_TRUE(recording.ok()) << recording.status();
    std::map<uint64_t, uint64_t> bytes;
    for (const RawArc& arc : FindModule(*recording, "")->profile.arcs) {
      EXPECT_EQ(arc.self_pc, 0x300);
      bytes[arc.from_pc] += arc.count;
    }
    return bytes;
  };
  using Bytes = std::map<uint64_t, uint64_t>;
  EXPECT_EQ(arcs_at(4), (Bytes{{0x100, 5}, {0x200, 9}}));
  EXPECT_EQ(arcs_at(5), (Bytes{{0x100, 7}, {0x200, 9}, {0x280, 3}}));  // it is the peak now
}

// The first number of a function counts, in whichever table it is; 0 was never completed.
TEST(RecordingReaderTest, HasFunctionsInTheOrderOfTheirFirstCalls) {
  RecordingBuilder builder = TwoModules();
  builder.AddTable(GPROFHUB_FIRST_CALLS,
                   {{0x10300, 0, 2, 0}, {0x10100, 0, 3, 0}, {0x10200, 0, 0, 0}, {0, 0, 0, 0}});
  builder.AddTable(GPROFHUB_FIRST_CALLS,
                   {{0x10300, 0, 9, 0}, {0x50200, 0, 1, 0}, {0x90000, 0, 4, 0}});
  const auto order = [&] {
    const auto recording = ReadRecording(builder.Bytes(), "file");
    EXPECT_TRUE(recording.ok()) << recording.status();
    std::vector<std::pair<uint32_t, uint64_t>> places;
    for (const ModulePlace& place : recording->first_calls) {
      places.emplace_back(place.module, place.pc);
    }
    return places;
  };
  using Places = std::vector<std::pair<uint32_t, uint64_t>>;
  EXPECT_EQ(order(), (Places{{1, 0x200}, {0, 0x300}, {0, 0x100}}));
  builder.Add<gprofhub_site>(GPROFHUB_SITES, {{GPROFHUB_SITE_ENTRY, 0, 0x10400, 0}});
  EXPECT_EQ(order(), Places());
}

TEST(RecordingReaderTest, FirstCallsBeyondTheirChunkAreRefused) {
  RecordingBuilder builder = TwoModules();
  builder.AddTable(GPROFHUB_FIRST_CALLS, {{0x10300, 0, 1, 0}});
  gprofhub_chunk head = builder.Head();
  head.capacity = 2;
  builder.SetHead(head);
  EXPECT_EQ(ReadRecording(builder.Bytes(), "file").status().code(), absl::StatusCode::kDataLoss);
}

TEST(RecordingReaderTest, KeepsCallsFromAnotherModuleAsSpontaneous) {
  RecordingBuilder builder = TwoModules();
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x50200, 7, 0}, {0x90000, 0x10200, 3, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const RecordedModule* program = FindModule(*recording, "");
  ASSERT_EQ(program->profile.arcs.size(), 1);
  EXPECT_EQ(program->profile.arcs[0].from_pc, 0);
  EXPECT_EQ(program->profile.arcs[0].count, 7);
  EXPECT_EQ(recording->unattributed_calls, 3);
}

TEST(RecordingReaderTest, MakesTilesOfSamples) {
  RecordingBuilder builder = TwoModules();
  builder.AddTable(GPROFHUB_SAMPLES, {{0x53003, 0, 100000, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const RecordedModule& library = recording->modules[1];
  ASSERT_EQ(library.profile.histograms.size(), 1);
  const Histogram& tile = library.profile.histograms[0];
  EXPECT_EQ(tile.low_pc, 0x3000);
  EXPECT_EQ(tile.high_pc, 0x4000);
  EXPECT_EQ(tile.rate, 250);
  ASSERT_EQ(tile.bins.size(), 2048);
  EXPECT_EQ(tile.bins[1], 100000);
}

TEST(RecordingReaderTest, GivesReusedAddressesToTheLaterModule) {
  RecordingBuilder builder;
  builder.Add<gprofhub_module>(GPROFHUB_MODULES,
                               {ModuleRecord("/bin/p", 0x10000, 0x20000, 0x10000),
                                ModuleRecord("/lib/old.so", 0x50000, 0x60000, 0x50000, 1),
                                ModuleRecord("/lib/newer.so", 0x50000, 0x58000, 0x50000, 2)});
  builder.AddTable(GPROFHUB_ARCS, {{0x50100, 0x50200, 1, 0}, {0x59100, 0x59200, 2, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->modules[1].profile.arcs.at(0).count, 2);
  EXPECT_EQ(recording->modules[2].profile.arcs.at(0).count, 1);
}

TEST(RecordingReaderTest, LinksFramesOfStacks) {
  RecordingBuilder builder = TwoModules();
  builder.AddTable(GPROFHUB_STACKS, {{0x10300, 0, 0, 0}, {0x10100, 1, 9, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->stacks.size(), 2);
  EXPECT_EQ(recording->stacks[0].frame.parent, -1);
  EXPECT_EQ(recording->stacks[1].frame.parent, 0);
  EXPECT_EQ(recording->stacks[1].frame.samples, 9);
}

TEST(RecordingReaderTest, KeepsBothSidesOfCallsBetweenModules) {
  RecordingBuilder builder = TwoModules();
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x50200, 7, 0}, {0x10100, 0x10200, 1, 0}});
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x50200, 2, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->cross_arcs.size(), 1);
  EXPECT_EQ(recording->cross_arcs[0].from_module, 1);
  EXPECT_EQ(recording->cross_arcs[0].from_pc, 0x200);
  EXPECT_EQ(recording->cross_arcs[0].to_module, 0);
  EXPECT_EQ(recording->cross_arcs[0].self_pc, 0x100);
  EXPECT_EQ(recording->cross_arcs[0].count, 9);
}

// The length of a call differs between processors. Recordings of version 0.1.0 do not contain it.
TEST(RecordingReaderTest, BlocksBeginWithTheCallThatCountsThem) {
  for (const uint32_t stated : {0u, 4u, 5u}) {
    RecordingBuilder builder = TwoModules();
    builder.header.call_bytes = stated;
    builder.AddTable(GPROFHUB_BLOCKS, {{0x10108, 0, 6, 0}});
    const auto recording = ReadRecording(builder.Bytes(), "file");
    ASSERT_TRUE(recording.ok()) << recording.status();
    ASSERT_EQ(recording->modules[0].profile.blocks.size(), 1);
    EXPECT_EQ(recording->modules[0].profile.blocks[0].pc, stated == 4 ? 0x104 : 0x103);
  }
}

TEST(RecordingReaderTest, SamplesInTheCountingCodeAreOverhead) {
  RecordingBuilder builder = TwoModules();
  builder.header.own_low = 0x10400;
  builder.header.own_high = 0x10500;
  builder.AddTable(
      GPROFHUB_SAMPLES,
      {{0x10400, 0, 3, 0}, {0x104ff, 0, 4, 0}, {0x10500, 0, 5, 0}, {0x50100, 0, 6, 0}});
  builder.AddTable(GPROFHUB_STACKS, {{0x10400, 0, 3, 0}, {0x10500, 0, 5, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->overhead_samples, 7);
  const Histogram& tile = recording->modules[0].profile.histograms.at(0);
  EXPECT_EQ(tile.bins[0x400 / 2], 0);
  EXPECT_EQ(tile.bins[0x500 / 2], 5);
  EXPECT_EQ(recording->stacks[0].frame.samples, 0);
  EXPECT_EQ(recording->stacks[1].frame.samples, 5);
}

TEST(RecordingReaderTest, AllOfAPreloadedRuntimeIsOverhead) {
  RecordingBuilder builder = TwoModules();
  builder.header.own_low = 0x50400;
  builder.header.own_high = 0x50500;
  builder.AddTable(GPROFHUB_SAMPLES, {{0x50100, 0, 6, 0}, {0x10100, 0, 1, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->overhead_samples, 6);
  EXPECT_TRUE(recording->modules[1].profile.histograms.empty());
}

TEST(RecordingReaderTest, ProfileOfAModuleHasTheStacksOfItsSamples) {
  RecordingBuilder builder = TwoModules();
  // Missing frames <- library <- program, sampled there; and one in the library.
  builder.AddTable(
      GPROFHUB_STACKS,
      {{GPROFHUB_STACK_CUT, 0, 0, 0}, {0x50200, 1, 4, 0}, {0x10100, 2, 9, 0}, {0x50300, 2, 2, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const RawProfile profile = ProfileOfModule(*recording, 0, [](absl::string_view) { return true; });
  const std::vector<StackFrame>& stacks = profile.stacks;
  ASSERT_EQ(stacks.size(), 3);
  EXPECT_EQ(stacks[0].pc, kFramesMissing);
  EXPECT_EQ(stacks[0].other, 0);
  EXPECT_EQ(stacks[1].other, 1);
  EXPECT_EQ(stacks[1].samples, 0);
  EXPECT_EQ(stacks[1].parent, 0);
  EXPECT_EQ(stacks[2].pc, 0x100);
  EXPECT_EQ(stacks[2].other, 0);
  EXPECT_EQ(stacks[2].parent, 1);
  EXPECT_EQ(stacks[2].samples, 9);
  ASSERT_EQ(profile.others.size(), 1);
  EXPECT_EQ(SamplesInOthers(profile)[0], 0);
}

// Missing frames <- library <- program, and two samples outside of all modules, one with a stack.
RecordingBuilder SamplesInOtherObjects() {
  RecordingBuilder builder = TwoModules();
  builder.AddTable(
      GPROFHUB_STACKS,
      {{GPROFHUB_STACK_CUT, 0, 0, 0}, {0x10100, 1, 9, 0}, {0x50300, 2, 2, 0}, {0x90000, 2, 1, 0}});
  builder.AddTable(
      GPROFHUB_SAMPLES,
      {{0x10100, 0, 9, 0}, {0x50300, 0, 2, 0}, {0x50400, 0, 5, 0}, {0x90000, 0, 4, 0}});
  return builder;
}

TEST(RecordingReaderTest, SamplesInObjectsWithoutAProfileBelongToTheirCaller) {
  const auto recording = ReadRecording(SamplesInOtherObjects().Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const RawProfile profile = ProfileOfModule(*recording, 0);
  ASSERT_EQ(profile.others.size(), 2);
  EXPECT_EQ(profile.others[0].name, "libfoo.so");
  EXPECT_EQ(profile.others[0].samples, 5);
  EXPECT_EQ(profile.others[1].name, "unknown");
  EXPECT_EQ(profile.others[1].samples, 3);
  ASSERT_EQ(profile.stacks.size(), 4);
  EXPECT_EQ(profile.stacks[2].other, 1);
  EXPECT_EQ(profile.stacks[2].samples, 2);
  EXPECT_EQ(profile.stacks[2].parent, 1);
  EXPECT_EQ(profile.stacks[3].other, 2);
  EXPECT_EQ(SamplesInOthers(profile), (std::vector<uint64_t>{7, 4}));
}

TEST(RecordingReaderTest, EachSampleBelongsToOneModule) {
  const auto recording = ReadRecording(SamplesInOtherObjects().Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const auto all = [](absl::string_view) { return true; };
  uint64_t samples = 0;
  for (size_t module = 0; module < recording->modules.size(); ++module) {
    const RawProfile profile = ProfileOfModule(*recording, module, all);
    for (const Histogram& histogram : profile.histograms) {
      for (const uint64_t bin : histogram.bins) samples += bin;
    }
    for (const uint64_t of_object : SamplesInOthers(profile)) samples += of_object;
  }
  EXPECT_EQ(samples, 9 + 2 + 5 + 4);
}

TEST(RecordingReaderTest, StackThatIsTooDeep) {
  RecordingBuilder builder = TwoModules();
  std::vector<gprofhub_slot> chain;
  for (uint64_t i = 0; i < 2000; ++i) chain.push_back({0x10300, i, 1, 0});
  builder.AddTable(GPROFHUB_STACKS, chain);
  EXPECT_EQ(ReadRecording(builder.Bytes(), "file").status().code(), absl::StatusCode::kDataLoss);
}

TEST(RecordingReaderTest, StackThatLeadsBackToItself) {
  RecordingBuilder builder = TwoModules();
  builder.AddTable(GPROFHUB_STACKS, {{0x10300, 2, 0, 0}, {0x10100, 1, 9, 0}});
  EXPECT_EQ(ReadRecording(builder.Bytes(), "file").status().code(), absl::StatusCode::kDataLoss);
}

TEST(RecordingReaderTest, SamplesAllOverTheAddressSpace) {
  RecordingBuilder builder;
  builder.Add<gprofhub_module>(GPROFHUB_MODULES,
                               {ModuleRecord("/bin/p", 0x10000, uint64_t{1} << 40, 0)});
  std::vector<gprofhub_slot> samples;
  for (uint64_t i = 0; i < 20000; ++i) samples.push_back({0x10000 + 4096 * i, 0, 1, 0});
  builder.AddTable(GPROFHUB_SAMPLES, samples);
  EXPECT_EQ(ReadRecording(builder.Bytes(), "file").status().code(), absl::StatusCode::kDataLoss);
}

TEST(RecordingReaderTest, NotARecording) {
  EXPECT_EQ(ReadRecording("gmon", "file").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(RecordingReaderTest, OtherVersion) {
  RecordingBuilder builder;
  builder.header.version = 2;
  EXPECT_EQ(ReadRecording(builder.Bytes(), "file").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(RecordingReaderTest, OtherByteOrder) {
  RecordingBuilder builder;
  builder.header.byte_order = 0x04030201;
  EXPECT_EQ(ReadRecording(builder.Bytes(), "file").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(RecordingReaderTest, EveryCutIsAnErrorOrReadsLess) {
  RecordingBuilder builder = TwoModules();
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 5, 0}});
  const std::string whole = builder.Bytes();
  for (size_t size = 0; size < whole.size(); size += 61) {
    EXPECT_FALSE(ReadRecording(absl::string_view(whole).substr(0, size), "file").ok()) << size;
  }
}

TEST(RecordingReaderTest, EntryThatPointsOutsideTheFile) {
  RecordingBuilder builder = TwoModules();
  std::string bytes = builder.Bytes();
  const uint64_t huge = ~uint64_t{0} - 10;
  std::memcpy(&bytes[RecordingBuilder::EntryOffset(0)], &huge, sizeof huge);
  EXPECT_EQ(ReadRecording(bytes, "file").status().code(), absl::StatusCode::kDataLoss);
}

TEST(RecordingReaderTest, OverlappingChunks) {
  RecordingBuilder builder = TwoModules();
  std::string bytes = builder.Bytes();
  for (uint32_t i = 1; i < 200; ++i) {
    std::memcpy(&bytes[RecordingBuilder::EntryOffset(i)], &bytes[RecordingBuilder::EntryOffset(0)],
                sizeof(gprofhub_directory_entry));
  }
  EXPECT_EQ(ReadRecording(bytes, "file").status().code(), absl::StatusCode::kDataLoss);
}

TEST(RecordingReaderTest, UnpublishedEntryIsSkipped) {
  RecordingBuilder builder = TwoModules();
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 5, 0}});
  std::string bytes = builder.Bytes();
  const uint32_t unpublished = 0;
  std::memcpy(&bytes[RecordingBuilder::EntryOffset(1) + offsetof(gprofhub_directory_entry, kind)],
              &unpublished, sizeof unpublished);
  const auto recording = ReadRecording(bytes, "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_TRUE(recording->modules[0].profile.arcs.empty());
}

}  // namespace

}  // namespace gprofhub::profile
