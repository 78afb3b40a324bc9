#include "tests/fault/power_loss/disk.h"

#include <gtest/gtest.h>

#include <set>

#include "absl/strings/match.h"
#include "tests/fault/shim/control.h"

namespace gprofhub::tests {
namespace {

std::string Record(fault_record_kind kind, const std::string& path, uint64_t offset = 0,
                   const std::string& data = "", const std::string& other = "") {
  const fault_record head = {static_cast<uint32_t>(kind),
                             static_cast<uint32_t>(path.size()),
                             static_cast<uint32_t>(other.size()),
                             0,
                             offset,
                             data.size()};
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + path + other + data;
}

// All possible remains of one path: its bytes, or "(none)".
std::set<std::string> Left(const std::string& journal, const std::string& path) {
  Disk disk{Contents()};
  EXPECT_TRUE(disk.Apply(journal, "/d").ok());
  std::set<std::string> left;
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const Contents contents = disk.AfterPowerLoss(random);
    const auto file = contents.files.find(path);
    left.insert(file == contents.files.end() ? "(none)" : file->second);
  }
  return left;
}

const std::set<std::string> kOnlyX = {"x"};

TEST(DiskTest, WhatWasSyncedWithItsNameIsThere) {
  EXPECT_EQ(Left(Record(FAULT_CREATE, "/d/a") + Record(FAULT_WRITE, "/d/a", 0, "x") +
                     Record(FAULT_SYNC, "/d/a") + Record(FAULT_SYNC, "/d"),
                 "a"),
            kOnlyX);
}

TEST(DiskTest, ANameThatWasNotSyncedMayBeGone) {
  EXPECT_EQ(Left(Record(FAULT_CREATE, "/d/a") + Record(FAULT_WRITE, "/d/a", 0, "x") +
                     Record(FAULT_SYNC, "/d/a"),
                 "a"),
            (std::set<std::string>{"(none)", "x"}));
}

TEST(DiskTest, BytesThatWereNotSyncedMayBeGone) {
  EXPECT_EQ(Left(Record(FAULT_CREATE, "/d/a") + Record(FAULT_SYNC, "/d") +
                     Record(FAULT_WRITE, "/d/a", 0, "x"),
                 "a"),
            (std::set<std::string>{"", "x"}));
}

TEST(DiskTest, PagesAreKeptInAnyOrder) {
  const std::string page(4096, 'p');
  const std::set<std::string> left = Left(Record(FAULT_CREATE, "/d/a") + Record(FAULT_SYNC, "/d") +
                                              Record(FAULT_WRITE, "/d/a", 0, page + page),
                                          "a");
  EXPECT_TRUE(left.contains(std::string(4096, '\0') + page)) << "the second page alone";
  EXPECT_TRUE(left.contains(page)) << "the first page alone";
}

TEST(DiskTest, ARenameIsThereOnceItsFolderWasSynced) {
  const std::string made = Record(FAULT_MKDIR, "/d/in") + Record(FAULT_MKDIR, "/d/out") +
                           Record(FAULT_SYNC, "/d") + Record(FAULT_CREATE, "/d/in/a") +
                           Record(FAULT_WRITE, "/d/in/a", 0, "x") + Record(FAULT_SYNC, "/d/in/a") +
                           Record(FAULT_RENAME, "/d/in/a", 0, "", "/d/out/a");
  EXPECT_EQ(Left(made, "out/a"), (std::set<std::string>{"(none)", "x"}));
  EXPECT_EQ(Left(made + Record(FAULT_SYNC, "/d/out"), "out/a"), kOnlyX);
}

TEST(DiskTest, ASyncOfAllKeepsAll) {
  EXPECT_EQ(Left(Record(FAULT_CREATE, "/d/a") + Record(FAULT_WRITE, "/d/a", 0, "x") +
                     Record(FAULT_SYNC_ALL, ""),
                 "a"),
            kOnlyX);
}

TEST(DiskTest, RefusesAJournalThatIsCut) {
  Disk disk{Contents()};
  const std::string journal = Record(FAULT_CREATE, "/d/a");
  const absl::Status status = disk.Apply(journal.substr(0, journal.size() - 1), "/d");
  EXPECT_EQ(status.message(), "journal, offset 0: cut");
}

TEST(DiskTest, RefusesAJournalThatLacksAFile) {
  Disk disk{Contents()};
  const absl::Status status = disk.Apply(Record(FAULT_SYNC, "/d/a"), "/d");
  EXPECT_TRUE(absl::StrContains(status.message(), "there is no a")) << status;
}

}  // namespace
}  // namespace gprofhub::tests
