#include "base/system/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace gprofhub::base {
namespace {

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
