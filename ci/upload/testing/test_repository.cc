#include "ci/upload/testing/test_repository.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "ci/upload/results/ci_systems.h"

namespace gprofhub::ci {

TestRepository TestRepository::Make(const std::string& folder) {
  TestRepository made(folder);
  made.Git({"init", "--quiet", "--initial-branch=main"});
  made.Commit("m1");
  made.Git({"checkout", "--quiet", "-b", "feature"});
  made.Commit("f");
  made.Git({"checkout", "--quiet", "main"});
  made.Commit("m2");
  made.Git({"tag", "v1.0"});
  for (const char* name : {"merge", "group"}) {
    made.Git({"checkout", "--quiet", "--detach", "main"});
    made.Git({"merge", "--quiet", "--no-ff", "-m", name, "feature"});
    made.Name(name);
  }
  made.Git({"branch", made.queue(), made.At("group")});
  made.Git({"branch", "merged", made.At("merge")});
  made.Git({"checkout", "--quiet", "main"});
  return made;
}

TestRepository TestRepository::CloneTo(const std::string& folder) const {
  TestRepository clone(folder);
  clone.Git({"clone", "--quiet", "file://" + folder_, "."});
  clone.hashes_ = hashes_;
  return clone;
}

std::string TestRepository::queue() const {
  return absl::StrCat("gh-readonly-queue/main/pr-17-", At("m2"));
}

void TestRepository::Git(const std::vector<std::string>& words) const {
  std::vector<std::string> all = {"-c", "user.name=a", "-c", "user.email=a@example"};
  all.insert(all.end(), words.begin(), words.end());
  const auto done = GitIn(folder_)(all);
  ASSERT_TRUE(done.ok()) << done.status();
}

void TestRepository::Name(const std::string& name) {
  const auto hash = GitIn(folder_)({"rev-parse", "HEAD"});
  ASSERT_TRUE(hash.ok()) << hash.status();
  hashes_[name] = *hash;
}

void TestRepository::Commit(const std::string& name) {
  Git({"commit", "--quiet", "--allow-empty", "-m", name});
  Name(name);
}

}  // namespace gprofhub::ci
