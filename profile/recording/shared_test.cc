#include "profile/recording/shared.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "profile/format/recording.h"
#include "profile/recording/reader.h"
#include "profile/testing/sample_profile.h"
#include "profile/testing/shared_file.h"

namespace gprofhub::profile {

namespace {

std::string Calls(uint64_t count) {
  RecordingBuilder builder;
  builder.Add<gprofhub_module>(GPROFHUB_MODULES,
                               {ModuleRecord("/bin/p", 0x10000, 0x20000, 0x10000)});
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, count, 0}});
  return builder.Bytes();
}

using Found = std::vector<std::pair<std::string, uint64_t>>;  // name, calls

absl::StatusOr<Found> Read(const std::string& bytes) {
  Found found;
  const absl::Status status = VisitRecordings(
      bytes, "a/processes.gprofhub",
      [&](const std::string& name, absl::StatusOr<absl::string_view> file) -> absl::Status {
        if (!file.ok()) {
          found.emplace_back(name, 0);
          return absl::OkStatus();
        }
        const absl::StatusOr<Recording> recording = ReadRecording(*file, name);
        if (!recording.ok()) return recording.status();
        found.emplace_back(name, FindModule(*recording, "")->profile.arcs[0].count);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return found;
}

TEST(SharedRecordingTest, ProcessesAreVisitedInTheirOrder) {
  SharedFile file;
  file.Add(Calls(5), 10);
  file.Add(Calls(6), 11, "BM_A%2F8");
  file.Add(Calls(7), 10);  // executed another program, or the number came again
  const absl::StatusOr<Found> found = Read(file.bytes());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, (Found{{"a/p.10.gprofhub", 5},
                           {"a/gprofhub.cases/BM_A%2F8/p.11.gprofhub", 6},
                           {"a/p.10.1.gprofhub", 7}}));
}

TEST(SharedRecordingTest, OwnFileIsVisitedAsItIs) {
  const std::string own = Calls(5);
  EXPECT_FALSE(IsSharedRecording(own));
  const absl::StatusOr<Found> found = Read(own);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, (Found{{"a/processes.gprofhub", 5}}));
  EXPECT_EQ(*RecordingAt(own, "file", 0), own);
}

TEST(SharedRecordingTest, ReadAsOneRecordingItSaysWhatReadsIt) {
  SharedFile file;
  file.Add(Calls(5), 10);
  EXPECT_TRUE(IsRecording(file.bytes()));
  const absl::Status status = ReadRecording(file.bytes(), "file").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("`gprofhub info` lists them"), std::string::npos);
}

TEST(SharedRecordingTest, DiscardedProcessIsLeftOut) {
  SharedFile file;
  file.Add(Calls(5), 10);
  const uint64_t at = file.Add(Calls(6), 11);
  file.Add(Calls(7), 12);
  file.bytes()[at] = '\0';
  const absl::StatusOr<Found> found = Read(file.bytes());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, (Found{{"a/p.10.gprofhub", 5}, {"a/p.12.gprofhub", 7}}));
}

TEST(SharedRecordingTest, DamagedProcessDoesNotHideOthers) {
  SharedFile file;
  const uint64_t at = file.Add(Calls(5), 10);
  file.Add(Calls(6), 11);
  auto header = LoadFrom<gprofhub_recording>(file.bytes(), at);
  header.directory[0] = file.bytes().size();
  StoreIn(file.bytes(), at, header);
  const absl::StatusOr<Found> found = Read(file.bytes());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, (Found{{"a/p.10.gprofhub", 0}, {"a/p.11.gprofhub", 6}}));
}

TEST(SharedRecordingTest, NamesFromTheFileAreMadePlain) {
  for (const std::string bad : {"a\nb", "..", "x/", "a\\b"}) {
    RecordingBuilder builder;
    std::strcpy(builder.header.program, ("/bin/" + bad).c_str());
    SharedFile file;
    file.Add(builder.Bytes(), 10, bad);
    std::string seen;
    EXPECT_TRUE(VisitRecordings(file.bytes(), "f",
                                [&](const std::string& name, absl::StatusOr<absl::string_view>) {
                                  seen = name;
                                  return absl::OkStatus();
                                })
                    .ok());
    EXPECT_EQ(seen, "gprofhub.cases/process/process.10.gprofhub");
  }
}

TEST(SharedRecordingTest, HostileListsAreRefused) {
  SharedFile file;
  const uint64_t at = file.Add(Calls(5), 10);
  for (const uint64_t older : {at, file.bytes().size(), ~uint64_t{0}}) {
    auto header = LoadFrom<gprofhub_recording>(file.bytes(), at);
    header.older = older;
    StoreIn(file.bytes(), at, header);
    EXPECT_EQ(Read(file.bytes()).status().code(), absl::StatusCode::kDataLoss) << older;
  }
}

// Two headers that name the same chunks would multiply them.
TEST(SharedRecordingTest, OverlappingProcessesAreRefused) {
  SharedFile file;
  const uint64_t at = file.Add(Calls(5), 10);
  std::string& bytes = file.bytes();
  for (uint32_t i = 0; i < 20; ++i) {
    auto header = LoadFrom<gprofhub_recording>(bytes, at);
    auto first = LoadFrom<gprofhub_shared>(bytes, 0);
    header.older = first.newest;
    first.newest = bytes.size();
    bytes.resize(bytes.size() + sizeof header);
    StoreIn(bytes, first.newest, header);
    StoreIn(bytes, 0, first);
  }
  EXPECT_EQ(Read(bytes).status().code(), absl::StatusCode::kDataLoss);
}

TEST(SharedRecordingTest, TruncationIsNoticed) {
  SharedFile file;
  file.Add(Calls(5), 10);
  for (size_t size = 0; size < file.bytes().size(); size += 97) {
    const absl::StatusOr<Found> found = Read(file.bytes().substr(0, size));
    if (!found.ok()) continue;
    EXPECT_EQ(*found, (Found{{"a/p.10.gprofhub", 0}})) << size;
  }
}

}  // namespace

}  // namespace gprofhub::profile
