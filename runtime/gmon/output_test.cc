#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

extern "C" {
#include "runtime/gmon/output.h"
}

namespace {

constexpr size_t kBuffer = 32768;

class GmonOutput : public ::testing::Test {
 protected:
  GmonOutput() : path_(::testing::TempDir() + "/output") {
    out_.fd = open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666);
    out_.limit = UINT64_MAX;
  }
  ~GmonOutput() override { close(static_cast<int>(out_.fd)); }

  std::string Written() const {
    std::stringstream bytes;
    bytes << std::ifstream(path_, std::ios::binary).rdbuf();
    return bytes.str();
  }

  const std::string path_;
  gh_output out_ = {};
};

TEST_F(GmonOutput, IsWrittenInOrder) {
  std::string expected;
  for (uint64_t i = 0; i < 5000; ++i) {
    gh_output_tag(&out_, static_cast<unsigned char>(i));
    gh_output_u32(&out_, i << 32 | i);  // the lower half
    gh_output_u64(&out_, ~i);
    const uint32_t narrow = static_cast<uint32_t>(i);
    const uint64_t wide = ~i;
    expected += static_cast<char>(i);
    expected.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
    expected.append(reinterpret_cast<const char*>(&wide), sizeof wide);
  }
  gh_output_flush(&out_);
  gh_output_flush(&out_);  // nothing remains
  EXPECT_EQ(out_.error, 0);
  EXPECT_EQ(out_.written, expected.size());
  EXPECT_EQ(Written(), expected);
}

TEST_F(GmonOutput, MayReachTheLimitButNotPassIt) {
  const std::string bytes(kBuffer, 'b');
  out_.limit = kBuffer + 1;
  gh_output_put(&out_, bytes.data(), bytes.size());
  gh_output_put(&out_, "x", 1);
  gh_output_flush(&out_);
  EXPECT_EQ(out_.error, 0);
  gh_output_put(&out_, "y", 1);
  gh_output_flush(&out_);
  EXPECT_EQ(out_.error, -EFBIG);
  EXPECT_EQ(Written(), bytes + "x");
}

TEST_F(GmonOutput, KeepsTheFirstErrorAndWritesNothingMore) {
  close(static_cast<int>(out_.fd));
  out_.fd = -1;
  out_.limit = 10;
  gh_output_put(&out_, "x", 1);
  gh_output_flush(&out_);
  EXPECT_EQ(out_.error, -EBADF);
  const std::string bytes(kBuffer, 'b');
  gh_output_put(&out_, bytes.data(), bytes.size());
  gh_output_put(&out_, bytes.data(), bytes.size());
  EXPECT_EQ(out_.error, -EBADF);
  EXPECT_EQ(out_.written, 0u);
}

}  // namespace
