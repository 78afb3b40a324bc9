// Collects the tests of one invocation from its stream of build events.
// Source: proto/build_events.proto.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ci/upload/results/test_attempt.h"
#include "proto/build_events.pb.h"

namespace gprofhub::ci {

class TestEvents {
 public:
  void Take(build_events::BuildEvent event);

  const build_events::BuildStarted& started() const { return started_; }  // empty before it
  bool ended() const { return ended_; }  // the last event was received

  // Attempts of tests, in the order in which they ended.
  size_t attempts() const { return results_.size(); }
  // The i-th attempt, with the files that are known so far. Events refer only to earlier sets of
  // files.
  TestAttempt Attempt(size_t index) const;
  // Whether the events have named its symbol bundles.
  bool HasSymbols(size_t index) const;

  // Such as "k8-opt"; empty for an unknown id.
  std::string Mnemonic(const std::string& configuration_id) const;

 private:
  using ConfiguredLabel = std::pair<std::string, std::string>;

  void CollectFiles(const build_events::OutputGroup& group, std::set<std::string>& visited,
                    std::vector<std::string>& paths, std::vector<std::string>& uris) const;
  std::vector<std::string> DefaultOutputs(const ConfiguredLabel& target) const;

  // Events name files through nested sets, and configurations by an id: Attempt() resolves both.
  build_events::BuildStarted started_;
  std::map<std::string, build_events::NamedFileSet> file_sets_;
  std::map<std::string, std::string> mnemonics_;
  std::map<ConfiguredLabel, build_events::TargetCompleted> targets_;
  std::map<ConfiguredLabel, std::vector<build_events::OutputGroup>> symbols_;
  std::vector<std::pair<build_events::TestResultId, build_events::TestResult>> results_;
  bool ended_ = false;
  int64_t finished_unix_ms_ = 0;
};

// The path in a file:// URI, its percent escapes decoded; empty for any other
// scheme.
std::string PathOfUri(absl::string_view uri);

}  // namespace gprofhub::ci
