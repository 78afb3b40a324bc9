#include "cli/serve/source_reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "ci/upload/run/git.h"
#include "store/testing/temp_dir.h"

namespace gprofhub::cli {
namespace {

const reporter::HttpClient kNoNetwork = [](const reporter::HttpRequest& request) {
  ADD_FAILURE() << request.url;
  return absl::StatusOr<reporter::HttpResponse>(absl::UnavailableError("no network"));
};

TEST(SourceReaderTest, ACheckoutHasFilesAtACommit) {
  const std::string folder = store::MakeTempDir();
  const ci::GitCommand git = ci::GitIn(folder);
  ASSERT_TRUE(git({"init", "-q"}).ok());
  std::ofstream(folder + "/a.cc") << "int a;\n";
  ASSERT_TRUE(git({"add", "a.cc"}).ok());
  ASSERT_TRUE(git({"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false",
                   "commit", "-q", "-m", "one"})
                  .ok());
  const std::string commit = *git({"rev-parse", "HEAD"});
  std::ofstream(folder + "/a.cc") << "changed since\n";
  const auto read = MakeSourceReader({"acme=" + folder}, {}, kNoNetwork);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*(*read)("acme", commit, "a.cc"), "int a;");
  EXPECT_TRUE(absl::IsNotFound((*read)("other", commit, "a.cc").status()));
  EXPECT_FALSE((*read)("acme", commit, "none.cc").ok());
}

TEST(SourceReaderTest, NothingBeyondTheRepositoryIsAskedFor) {
  const auto read = MakeSourceReader({"acme=/nowhere"}, {}, kNoNetwork);
  ASSERT_TRUE(read.ok()) << read.status();
  const std::string commit(40, 'a');
  for (const std::string path : {"", "/etc/passwd", "../a.cc", "a/../../b", "external/x/a.cc",
                                 "bazel-out/k8/bin/a.cc", "./a.cc"}) {
    EXPECT_TRUE(absl::IsNotFound((*read)("acme", commit, path).status())) << path;
  }
  for (const std::string bad : {"--output=x", "HEAD", "main", ""}) {
    EXPECT_TRUE(absl::IsNotFound((*read)("acme", bad, "a.cc").status())) << bad;
  }
}

TEST(SourceReaderTest, WithoutCheckoutsAndForgesThereIsNone) {
  const auto read = MakeSourceReader({}, {}, kNoNetwork);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, nullptr);
  EXPECT_TRUE(absl::IsInvalidArgument(MakeSourceReader({"acme"}, {}, kNoNetwork).status()));
}

}  // namespace
}  // namespace gprofhub::cli
