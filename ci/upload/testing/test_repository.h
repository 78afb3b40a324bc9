// The git repository of a pull request, for tests of CI jobs.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gprofhub::ci {

// A work tree with named commits:
//
//     m1 --- m2           main; the tag v1.0 is at m2
//       \   /  \          merge: the forge's own merge of a pull request
//        f ---- group     feature, pull request 17; group: of a merge queue
//
// Failures of git fail the running test.
class TestRepository {
 public:
  // In this folder, which is empty. m2 is checked out.
  static TestRepository Make(const std::string& folder);
  // A clone of it in another empty folder, with the same names.
  TestRepository CloneTo(const std::string& folder) const;

  const std::string& folder() const { return folder_; }
  // The hash of a named commit.
  const std::string& At(const std::string& name) const { return hashes_.at(name); }
  const std::map<std::string, std::string>& hashes() const { return hashes_; }
  // The merge queue's branch, which has `group`.
  std::string queue() const;

  void Git(const std::vector<std::string>& words) const;
  // Names the commit that is checked out.
  void Name(const std::string& name);

 private:
  explicit TestRepository(std::string folder) : folder_(std::move(folder)) {}
  void Commit(const std::string& name);

  std::string folder_;
  std::map<std::string, std::string> hashes_;
};

}  // namespace gprofhub::ci
