// A small program's symbols and profiles, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "profile/format/recording.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Builds recordings byte by byte, in the runtime's layout (profile/format/recording.h).

// A header and one directory, then the chunks that are added.
class RecordingBuilder {
 public:
  RecordingBuilder() : bytes_(GPROFHUB_PAGE_BYTES + kDirectoryBytes, '\0') {
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
    last_ = bytes_.size();
    std::memcpy(&bytes_[EntryOffset(entries_++)], &entry, sizeof entry);
    bytes_.append(reinterpret_cast<const char*>(&head), sizeof head);
    bytes_.append(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(Record));
    bytes_.append(extra * sizeof(Record), '\0');
  }

  // Bytes of the last chunk's head.
  gprofhub_chunk Head() const {
    gprofhub_chunk head;
    std::memcpy(&head, &bytes_[last_], sizeof head);
    return head;
  }
  void SetHead(const gprofhub_chunk& head) { std::memcpy(&bytes_[last_], &head, sizeof head); }

  // The last chunk's values at the marks: GPROFHUB_MARKS times its words.
  void AddMarks(const std::vector<uint64_t>& words) {
    gprofhub_chunk marked = Head();
    marked.marks = entries_ + 1;
    SetHead(marked);
    Add(GPROFHUB_MARKED, words);
    gprofhub_chunk head = Head();
    head.words = sizeof head;
    head.capacity = words.size() / GPROFHUB_MARKS;
    SetHead(head);
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
  static constexpr uint64_t kDirectoryBytes =
      sizeof(gprofhub_chunk) + GPROFHUB_DIRECTORY_ENTRIES * sizeof(gprofhub_directory_entry);

  std::string bytes_;
  uint64_t last_ = 0;  // offset of the last chunk
  uint32_t entries_ = 0;
};

// A loaded module with executable code everywhere, and a build-id of two bytes.
inline gprofhub_module ModuleRecord(const char* path, uint64_t low, uint64_t high, uint64_t bias,
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

// A real recording for tests.

// From a process with an orderly exit, with stacks; tests/fuzz/README.md describes how it was made.
std::string OrderlyRecording();

// An x86_64 image of three functions, main, parse and sum, at 0x1000 to 0x1300,
// whose build-id is derived from `seed`.
SymbolTable SampleSymbols(uint32_t seed);

// The profile of a process of it: main calls parse `calls` times, which calls sum twice as often;
// samples in all three.
RawProfile SampleProfile(uint64_t calls);

// Their bytes, as a client sends them.
std::string SampleBundle(uint32_t seed);
std::string SampleGmon(uint64_t calls);

// A small profile with everything but stacks, for tests.

inline RawProfile SmallProfile() {
  RawProfile profile;
  profile.histograms.push_back({0x1000, 0x1040, 100, "seconds", 's', {0, 3, 65535, 7}});
  profile.arcs.push_back({0x1010, 0x1020, 5});
  profile.arcs.push_back({0x1030, 0x1020, 4294967295u});
  profile.blocks.push_back({0x1008, 12});
  return profile;
}

inline void ExpectEqualProfiles(const RawProfile& a, const RawProfile& b) {
  ASSERT_EQ(a.histograms.size(), b.histograms.size());
  for (size_t i = 0; i < a.histograms.size(); ++i) {
    EXPECT_EQ(a.histograms[i].low_pc, b.histograms[i].low_pc);
    EXPECT_EQ(a.histograms[i].high_pc, b.histograms[i].high_pc);
    EXPECT_EQ(a.histograms[i].rate, b.histograms[i].rate);
    EXPECT_EQ(a.histograms[i].dimension, b.histograms[i].dimension);
    EXPECT_EQ(a.histograms[i].abbreviation, b.histograms[i].abbreviation);
    EXPECT_EQ(a.histograms[i].bins, b.histograms[i].bins);
  }
  ASSERT_EQ(a.arcs.size(), b.arcs.size());
  for (size_t i = 0; i < a.arcs.size(); ++i) {
    EXPECT_EQ(a.arcs[i].from_pc, b.arcs[i].from_pc);
    EXPECT_EQ(a.arcs[i].self_pc, b.arcs[i].self_pc);
    EXPECT_EQ(a.arcs[i].count, b.arcs[i].count);
  }
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (size_t i = 0; i < a.blocks.size(); ++i) {
    EXPECT_EQ(a.blocks[i].pc, b.blocks[i].pc);
    EXPECT_EQ(a.blocks[i].count, b.blocks[i].count);
  }
}

}  // namespace gprofhub::profile
