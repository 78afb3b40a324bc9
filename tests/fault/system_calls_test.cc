// The order of syncs and acknowledgement, seen by strace and not by anything of ours.
#include "tests/fault/system_calls.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"

namespace gprofhub::tests {
namespace {

std::string Hex(const std::string& text) {
  std::string hex;
  for (const char c : text) absl::StrAppend(&hex, "\\x", absl::BytesToHexString({&c, 1}));
  return hex;
}

std::string Write(const std::string& path) {
  return "7 pwrite64(3<" + Hex(path) + ">, \"\\x61\", 1, 0) = 1\n";
}
std::string Sync(const std::string& path) { return "7 fdatasync(3<" + Hex(path) + ">) = 0\n"; }
// A DATA frame of one byte.
const char kAnswer[] =
    "7 sendmsg(9<\\x54>, {msg_name=NULL, msg_iov=[{iov_base=\"\\x00\\x00\\x01\\x00\\x00\\x00\\x00"
    "\\x00\\x01\\x61\", iov_len=10}]}, 0) = 10\n";

std::set<std::string> Unsynced(const std::string& log) {
  const auto about = FirstAcknowledgement(log, "/d");
  EXPECT_TRUE(about.ok()) << about.status();
  return about.ok() ? about->unsynced : std::set<std::string>();
}

TEST(SystemCallsTest, AWriteIsUnsyncedUntilASyncThatBeganAfterIt) {
  EXPECT_EQ(Unsynced(Write("/d/a") + kAnswer), std::set<std::string>{"/d/a"});
  EXPECT_TRUE(Unsynced(Write("/d/a") + Sync("/d/a") + kAnswer).empty());
  EXPECT_EQ(Unsynced(Sync("/d/a") + Write("/d/a") + kAnswer), std::set<std::string>{"/d/a"});
  const std::string began = "8 fsync(3<" + Hex("/d/a") + "> <unfinished ...>\n";
  EXPECT_EQ(Unsynced(began + Write("/d/a") + "8 <... fsync resumed>) = 0\n" + kAnswer),
            std::set<std::string>{"/d/a"});
  EXPECT_TRUE(Unsynced(Write("/d/a") + began + "8 <... fsync resumed>) = 0\n" + kAnswer).empty());
  EXPECT_EQ(Unsynced(Write("/d/a") + began + "8 <... fsync resumed>) = -1 EIO\n" + kAnswer),
            std::set<std::string>{"/d/a"});
}

TEST(SystemCallsTest, ARenameIsUnsyncedUntilItsFolderIsSynced) {
  const std::string rename =
      "7 rename(\"" + Hex("/d/incoming/a") + "\", \"" + Hex("/d/ab/a") + "\") = 0\n";
  EXPECT_EQ(Unsynced(rename + kAnswer), std::set<std::string>{"/d/ab"});
  EXPECT_TRUE(Unsynced(rename + Sync("/d/ab") + kAnswer).empty());
}

TEST(SystemCallsTest, WithoutAnAnswerThereIsNoAcknowledgement) {
  EXPECT_TRUE(absl::IsNotFound(FirstAcknowledgement(Write("/d/a"), "/d").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(FirstAcknowledgement("hello\n", "/d").status()));
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(AcknowledgementTest, NothingIsUnsyncedWhenTheServerAcknowledges) {
  const std::string directory = std::filesystem::canonical(store::MakeTempDir());
  const std::string log = absl::StrCat(testing::TempDir(), "/strace");
  {
    ServeProcess server({"--data-dir", directory, "--role", "collector"},
                        Surroundings{0, {}, StraceCommand(log)});
    v1::UploadResponse response;
    const grpc::Status status = Send(
        server.Connect(), FaultTestUpload(1), "", [] {}, response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    server.Stop();
  }
  // strace writes its last lines after the server's end. The limit only ends what hangs.
  const absl::Time deadline = absl::Now() + absl::Minutes(5);
  absl::StatusOr<Acknowledgement> about = absl::NotFoundError("");
  while (absl::IsNotFound(about.status()) && absl::Now() < deadline) {
    about = FirstAcknowledgement(ReadFile(log), directory);
  }
  ASSERT_TRUE(about.ok()) << about.status();
  EXPECT_TRUE(about->unsynced.empty()) << *about->unsynced.begin();
  EXPECT_GE(about->renames, 1) << "the profile is large, and so a file";
  EXPECT_GE(about->syncs, 3) << "its bytes, its folder, and SQLite's log";
  EXPECT_GT(about->writes, 0);
}

}  // namespace
}  // namespace gprofhub::tests
