// Ends of logs that Bazel uploaded.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "collector/bes/bes_service.h"
#include "store/invocations.h"

namespace gprofhub::collector {

namespace {

constexpr size_t kMost = store::InvocationTarget::kMostLogBytes;

std::string UriOf(const std::string& bytes, size_t size) {
  return absl::StrCat("bytestream://host/blobs/", base::Sha256Hex(bytes), "/", size);
}

TEST(LogEnd, AShortLogIsWhole) {
  EXPECT_EQ(LogEnd(""), "");
  EXPECT_EQ(LogEnd("one\ntwo"), "one\ntwo");
  const std::string just_fits(kMost, 'a');
  EXPECT_EQ(LogEnd(just_fits), just_fits);
}

TEST(LogEnd, OfALongLogWholeLinesAreLeft) {
  std::string lines;
  for (int i = 0; i < 10'000; ++i) absl::StrAppend(&lines, "line ", i, "\n");
  const std::string end = LogEnd(lines);
  EXPECT_LE(end.size(), kMost);
  EXPECT_GT(end.size(), kMost - 20);
  EXPECT_TRUE(absl::StartsWith(end, "line ")) << end.substr(0, 20);
  EXPECT_TRUE(absl::EndsWith(end, "line 9999\n"));
}

TEST(LogEnd, ALineThatJustFitsIsNotCut) {
  const std::string line(kMost, 'x');
  EXPECT_EQ(LogEnd("first\n" + line), line);
}

TEST(LogEnd, OfALineThatIsTooLongTheEndIsLeftInWholeCharacters) {
  std::string log;
  while (log.size() <= 2 * kMost) log += "€";  // three bytes each; 3 does not divide kMost
  const std::string end = LogEnd(log);
  EXPECT_LE(end.size(), kMost);
  EXPECT_GT(end.size(), kMost - 3);
  EXPECT_TRUE(absl::StartsWith(end, "€"));
}

TEST(ReadLogEnd, ReadsWhatWasHandedOverForTheProject) {
  const std::string log = "expected 3, is 4\n";
  const ReadHandedOver read = [&](const std::string& project, const HandedOverFile& file) {
    EXPECT_EQ(project, "db");
    EXPECT_EQ(file.size, log.size());
    return log;
  };
  EXPECT_EQ(ReadLogEnd(read, "db", UriOf(log, log.size())), log);
}

TEST(ReadLogEnd, SaysWhyThereIsNone) {
  const ReadHandedOver none = [](const std::string&,
                                 const HandedOverFile&) -> absl::StatusOr<std::string> {
    return absl::NotFoundError("it was not handed over");
  };
  EXPECT_TRUE(absl::StrContains(ReadLogEnd(none, "db", UriOf("x", 1)), "it was not handed over"));
  EXPECT_TRUE(
      absl::StrContains(ReadLogEnd(none, "db", "file:///log"), "not that of a remote cache"));
  const ReadHandedOver never = [](const std::string&,
                                  const HandedOverFile&) -> absl::StatusOr<std::string> {
    ADD_FAILURE() << "a file of any size is read";
    return std::string();
  };
  EXPECT_TRUE(absl::StrContains(ReadLogEnd(never, "db", UriOf("x", size_t{1} << 40)), "at most"));
}

}  // namespace

}  // namespace gprofhub::collector
