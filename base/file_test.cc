#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>
#include <utility>

namespace gprofhub::base {

namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Write(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

TEST(ReadFile, ReadsEveryByte) {
  std::string bytes(100'000, '\n');
  bytes[0] = '\0';
  bytes.back() = '\xff';
  EXPECT_EQ(*ReadFile(Write("bytes", bytes)), bytes);
  EXPECT_EQ(*ReadFile(Write("empty", "")), "");
}

TEST(ReadFile, ReadsFilesThatSayTheyAreEmpty) {
  const absl::StatusOr<std::string> bytes = ReadFile("/proc/self/cmdline");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_THAT(*bytes, HasSubstr("base_test"));
}

TEST(ReadFile, ReadsPipes) {
  const std::string path = testing::TempDir() + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&path] { std::ofstream(path) << std::string(10'000, 'x'); });
  const absl::StatusOr<std::string> bytes = ReadFile(path);
  writer.join();
  EXPECT_EQ(*bytes, std::string(10'000, 'x'));
}

TEST(ReadFile, SaysWhichFileAndWhy) {
  const absl::Status absent = ReadFile("no/such.file").status();
  EXPECT_EQ(absent.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(MessageOf(absent), "no/such.file: No such file or directory");
  EXPECT_EQ(MessageOf(ReadFile("").status()), "No such file or directory");

  const absl::Status directory = ReadFile(testing::TempDir()).status();
  EXPECT_EQ(directory.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(directory), EndsWith(": Is a directory"));
}

TEST(ReadFile, ReadsNoMoreThanItMay) {
  const std::string path = Write("limited", "12345");
  EXPECT_EQ(*ReadFile(path, 5), "12345");
  const absl::Status larger = ReadFile(path, 4).status();
  EXPECT_EQ(larger.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(MessageOf(larger), StartsWith(path + ": is larger than the 4 bytes"));
  EXPECT_EQ(ReadFile("/proc/self/cmdline", 3).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(ReadFileInto, NothingOfTheFileBeforeStays) {
  std::string content(50'000, 'x');
  ASSERT_TRUE(ReadFileInto(Write("short", "ab"), content).ok());
  EXPECT_EQ(content, "ab");
}

TEST(ReadBeginning, ReadsNoMoreThanAskedForOrThere) {
  const std::string path = Write("begins", "12345");
  EXPECT_EQ(ReadBeginning(path, 2), "12");
  EXPECT_EQ(ReadBeginning(path, 5), "12345");
  EXPECT_EQ(ReadBeginning(path, 6), "12345");
  EXPECT_EQ(ReadBeginning(path, 0), "");
}

TEST(ReadBeginning, OfWhatCannotBeReadIsNothing) {
  EXPECT_EQ(ReadBeginning("no/such.file", 4), "");
  EXPECT_EQ(ReadBeginning(testing::TempDir(), 4), "");
  const std::string pipe = testing::TempDir() + "/unwritten";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(ReadBeginning(pipe, 4), "") << "without waiting for its writer";
}

FileDescriptor OpenOne() { return FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool IsOpen(int value) { return fcntl(value, F_GETFD) >= 0; }

TEST(FileDescriptorTest, IsClosedAtTheEnd) {
  int value = -1;
  {
    const FileDescriptor file = OpenOne();
    ASSERT_TRUE(file.valid());
    value = file.value();
    EXPECT_TRUE(IsOpen(value));
  }
  EXPECT_FALSE(IsOpen(value));
}

TEST(FileDescriptorTest, GoesOnWithWhoItWasMovedTo) {
  FileDescriptor first = OpenOne();
  const int value = first.value();
  FileDescriptor second = std::move(first);
  EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move): it says so
  EXPECT_TRUE(IsOpen(value));
  FileDescriptor third;
  third = std::move(second);
  EXPECT_EQ(third.value(), value);
  third.Close();
  EXPECT_FALSE(third.valid());
  EXPECT_FALSE(IsOpen(value));
}

TEST(FileDescriptorTest, IsNotClosedIfItWasReleased) {
  FileDescriptor file = OpenOne();
  const int value = file.Release();
  file.Close();
  EXPECT_TRUE(IsOpen(value));
  close(value);
}

}  // namespace

}  // namespace gprofhub::base
