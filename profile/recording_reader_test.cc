#include "profile/recording_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "profile/recording_format.h"

namespace gprofhub {
namespace {

constexpr uint64_t kDirectoryBytes =
    sizeof(gprofhub_chunk) + GPROFHUB_DIRECTORY_ENTRIES * sizeof(gprofhub_directory_entry);

// Builds recordings byte by byte, as the runtime lays them out.
class Builder {
 public:
  Builder() : bytes_(GPROFHUB_PAGE_BYTES + kDirectoryBytes, '\0') {
    std::memcpy(header.magic, GPROFHUB_RECORDING_MAGIC, sizeof header.magic);
    header.version = GPROFHUB_RECORDING_VERSION;
    header.byte_order = GPROFHUB_BYTE_ORDER;
    header.directory[0] = GPROFHUB_PAGE_BYTES;
    header.rate = 250;
    header.state = GPROFHUB_RUNNING;
    std::strcpy(header.program, "/bin/p");
    std::strcpy(header.dimension, "seconds");
    header.abbreviation = 's';
  }

  // A chunk of `records`; for tables the 32 slots beyond the homes are added.
  template <typename Record>
  void Add(uint32_t kind, const std::vector<Record>& records, uint64_t extra = 0) {
    gprofhub_chunk head = {};
    head.magic = GPROFHUB_CHUNK_MAGIC;
    head.kind = kind;
    head.capacity = records.size();
    head.bytes = sizeof head + (records.size() + extra) * sizeof(Record);
    gprofhub_directory_entry entry = {};
    entry.offset = bytes_.size();
    entry.bytes = head.bytes;
    entry.kind = kind;
    std::memcpy(&bytes_[EntryOffset(entries_++)], &entry, sizeof entry);
    bytes_.append(reinterpret_cast<const char*>(&head), sizeof head);
    bytes_.append(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(Record));
    bytes_.append(extra * sizeof(Record), '\0');
  }

  void AddTable(uint32_t kind, const std::vector<gprofhub_slot>& slots) {
    Add(kind, slots, GPROFHUB_PROBE_SLOTS);
  }

  static uint64_t EntryOffset(uint32_t index) {
    return GPROFHUB_PAGE_BYTES + sizeof(gprofhub_chunk) + index * sizeof(gprofhub_directory_entry);
  }

  std::string Bytes() {
    std::memcpy(&bytes_[0], &header, sizeof header);
    return bytes_;
  }

  gprofhub_recording header = {};

 private:
  std::string bytes_;
  uint32_t entries_ = 0;
};

gprofhub_module Module(const char* path, uint64_t low, uint64_t high, uint64_t bias,
                       uint64_t order = 0) {
  gprofhub_module module = {};
  module.low = low;
  module.high = high;
  module.bias = bias;
  module.text_low = low - bias;
  module.text_high = high - bias;
  module.state = 1;
  module.order = order;
  module.build_id_bytes = 2;
  module.build_id[0] = 0xab;
  module.build_id[1] = static_cast<uint8_t>(std::strlen(path));
  std::strcpy(module.path, path);
  return module;
}

Builder TwoModules() {
  Builder builder;
  builder.Add<gprofhub_module>(GPROFHUB_MODULES,
                               {Module("/bin/p", 0x10000, 0x20000, 0x10000),
                                Module("/lib/libfoo.so", 0x50000, 0x60000, 0x50000, 1)});
  return builder;
}

TEST(RecordingReaderTest, AddsUpTheTablesOfAllThreads) {
  Builder builder = TwoModules();
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

TEST(RecordingReaderTest, KeepsCallsFromAnotherModuleAsSpontaneous) {
  Builder builder = TwoModules();
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
  Builder builder = TwoModules();
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
  Builder builder;
  builder.Add<gprofhub_module>(GPROFHUB_MODULES,
                               {Module("/bin/p", 0x10000, 0x20000, 0x10000),
                                Module("/lib/old.so", 0x50000, 0x60000, 0x50000, 1),
                                Module("/lib/newer.so", 0x50000, 0x58000, 0x50000, 2)});
  builder.AddTable(GPROFHUB_ARCS, {{0x50100, 0x50200, 1, 0}, {0x59100, 0x59200, 2, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->modules[1].profile.arcs.at(0).count, 2);
  EXPECT_EQ(recording->modules[2].profile.arcs.at(0).count, 1);
}

TEST(RecordingReaderTest, LinksFramesOfStacks) {
  Builder builder = TwoModules();
  builder.AddTable(GPROFHUB_STACKS, {{0x10300, 0, 0, 0}, {0x10100, 1, 9, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->stacks.size(), 2);
  EXPECT_EQ(recording->stacks[0].frame.parent, -1);
  EXPECT_EQ(recording->stacks[1].frame.parent, 0);
  EXPECT_EQ(recording->stacks[1].frame.samples, 9);
}

TEST(RecordingReaderTest, KeepsBothSidesOfCallsBetweenModules) {
  Builder builder = TwoModules();
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

TEST(RecordingReaderTest, SamplesInTheCountingCodeAreOverhead) {
  Builder builder = TwoModules();
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
  Builder builder = TwoModules();
  builder.header.own_low = 0x50400;
  builder.header.own_high = 0x50500;
  builder.AddTable(GPROFHUB_SAMPLES, {{0x50100, 0, 6, 0}, {0x10100, 0, 1, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->overhead_samples, 6);
  EXPECT_TRUE(recording->modules[1].profile.histograms.empty());
}

TEST(RecordingReaderTest, ProfileOfAModuleHasTheStacksOfItsSamples) {
  Builder builder = TwoModules();
  // Missing frames <- library <- program, sampled there; and one in the library.
  builder.AddTable(
      GPROFHUB_STACKS,
      {{GPROFHUB_STACK_CUT, 0, 0, 0}, {0x50200, 1, 4, 0}, {0x10100, 2, 9, 0}, {0x50300, 2, 2, 0}});
  const auto recording = ReadRecording(builder.Bytes(), "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const std::vector<StackFrame> stacks = ProfileOfModule(*recording, 0).stacks;
  ASSERT_EQ(stacks.size(), 3);
  EXPECT_EQ(stacks[0].pc, kFramesMissing);
  EXPECT_EQ(stacks[1].pc, kFrameElsewhere);
  EXPECT_EQ(stacks[1].samples, 0);
  EXPECT_EQ(stacks[1].parent, 0);
  EXPECT_EQ(stacks[2].pc, 0x100);
  EXPECT_EQ(stacks[2].parent, 1);
  EXPECT_EQ(stacks[2].samples, 9);
}

TEST(RecordingReaderTest, StackThatIsTooDeep) {
  Builder builder = TwoModules();
  std::vector<gprofhub_slot> chain;
  for (uint64_t i = 0; i < 2000; ++i) chain.push_back({0x10300, i, 1, 0});
  builder.AddTable(GPROFHUB_STACKS, chain);
  EXPECT_EQ(ReadRecording(builder.Bytes(), "file").status().code(), absl::StatusCode::kDataLoss);
}

TEST(RecordingReaderTest, StackThatLeadsBackToItself) {
  Builder builder = TwoModules();
  builder.AddTable(GPROFHUB_STACKS, {{0x10300, 2, 0, 0}, {0x10100, 1, 9, 0}});
  EXPECT_EQ(ReadRecording(builder.Bytes(), "file").status().code(), absl::StatusCode::kDataLoss);
}

TEST(RecordingReaderTest, NotARecording) {
  EXPECT_EQ(ReadRecording("gmon", "file").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(RecordingReaderTest, OtherVersion) {
  Builder builder;
  builder.header.version = 2;
  EXPECT_EQ(ReadRecording(builder.Bytes(), "file").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(RecordingReaderTest, OtherByteOrder) {
  Builder builder;
  builder.header.byte_order = 0x04030201;
  EXPECT_EQ(ReadRecording(builder.Bytes(), "file").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(RecordingReaderTest, EveryCutIsAnErrorOrReadsLess) {
  Builder builder = TwoModules();
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 5, 0}});
  const std::string whole = builder.Bytes();
  for (size_t size = 0; size < whole.size(); size += 61) {
    EXPECT_FALSE(ReadRecording(absl::string_view(whole).substr(0, size), "file").ok()) << size;
  }
}

TEST(RecordingReaderTest, EntryThatPointsOutsideTheFile) {
  Builder builder = TwoModules();
  std::string bytes = builder.Bytes();
  const uint64_t huge = ~uint64_t{0} - 10;
  std::memcpy(&bytes[Builder::EntryOffset(0)], &huge, sizeof huge);
  EXPECT_EQ(ReadRecording(bytes, "file").status().code(), absl::StatusCode::kDataLoss);
}

TEST(RecordingReaderTest, OverlappingChunks) {
  Builder builder = TwoModules();
  std::string bytes = builder.Bytes();
  for (uint32_t i = 1; i < 200; ++i) {
    std::memcpy(&bytes[Builder::EntryOffset(i)], &bytes[Builder::EntryOffset(0)],
                sizeof(gprofhub_directory_entry));
  }
  EXPECT_EQ(ReadRecording(bytes, "file").status().code(), absl::StatusCode::kDataLoss);
}

TEST(RecordingReaderTest, UnpublishedEntryIsSkipped) {
  Builder builder = TwoModules();
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 5, 0}});
  std::string bytes = builder.Bytes();
  const uint32_t unpublished = 0;
  std::memcpy(&bytes[Builder::EntryOffset(1) + offsetof(gprofhub_directory_entry, kind)],
              &unpublished, sizeof unpublished);
  const auto recording = ReadRecording(bytes, "file");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_TRUE(recording->modules[0].profile.arcs.empty());
}

}  // namespace
}  // namespace gprofhub
