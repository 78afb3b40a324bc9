#include "cli/bisect/test_profiles.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/target/compute_profile.h"
#include "analyzer/target/target_profile.h"
#include "ci/upload/images/image_search.h"
#include "ci/upload/prepare_execution.h"
#include "ci/upload/results/cases.h"
#include "profile/codec/image_part.h"
#include "profile/codec/recording.h"
#include "profile/symbols.h"

namespace gprofhub::cli {
namespace {

// The last attempt of each run and shard, by run.
using Attempts = std::map<uint32_t, std::map<uint32_t, const ci::TestAttempt*>>;

absl::StatusOr<Attempts> LastAttempts(const ci::BuildLog& log) {
  Attempts attempts;
  for (const ci::TestAttempt& attempt : log.attempts) {
    if (attempt.label != log.attempts.front().label) {
      return absl::FailedPreconditionError(absl::StrCat("the target names several tests, ",
                                                        log.attempts.front().label, " and ",
                                                        attempt.label, "; name one"));
    }
    const ci::TestAttempt*& last = attempts[attempt.run][attempt.shard];
    if (last == nullptr || last->attempt < attempt.attempt) last = &attempt;
  }
  return attempts;
}

// Sums executions. Their data lives as long as this.
class Sum {
 public:
  Sum(ci::ImageSearch& search, ci::ImageBundles& bundles) : search_(search), bundles_(bundles) {}

  // Adds the attempt's profile: that of the part of the test, or, if `part` is empty, of the whole
  // test.
  absl::Status Add(const ci::TestAttempt& attempt, absl::string_view part) {
    const std::string target = ci::TargetOf(attempt.label, part);
    std::vector<std::string> skipped;
    for (ci::PreparedExecution& prepared :
         ci::PrepareExecutions(attempt, search_, bundles_, skipped)) {
      if (!skipped.empty()) return absl::FailedPreconditionError(skipped.front());
      if (prepared.header.execution().target() != target || prepared.profiles.empty()) continue;
      return Add(prepared);
    }
    return absl::FailedPreconditionError(absl::StrCat("no process of ", target, " left a profile"));
  }

  profile::ComputedProfile Compute() {
    analyzer::ComputeOptions options;
    options.profiles = profiles_;
    return analyzer::ComputeProfile(sum_.Take(), options);
  }

 private:
  absl::Status Add(ci::PreparedExecution& prepared) {
    images_.merge(prepared.images);
    std::map<std::string, std::string> build_ids;  // by process; for a recording, any of them
    for (const v1::ProfileRef& ref : prepared.header.profiles()) {
      build_ids[ref.process()] = ref.build_id();
    }
    for (const ci::ProfileFile& profile : prepared.profiles) {
      const absl::Status status = AddProfile(profile, build_ids[profile.name]);
      if (!status.ok()) return status;
    }
    profiles_ += static_cast<uint32_t>(prepared.profiles.size());
    return absl::OkStatus();
  }

  const profile::SymbolTable* SymbolsOf(absl::string_view build_id) const {
    const auto found = images_.find(std::string(build_id));
    return found == images_.end() ? nullptr : &found->second->symbols;
  }

  absl::Status AddProfile(const ci::ProfileFile& profile, const std::string& build_id) {
    const absl::StatusOr<std::optional<profile::Recording>> recording =
        profile::ReadIfRecording(profile.bytes, profile.name);
    if (!recording.ok()) return recording.status();
    if (recording->has_value()) {
      return sum_.AddRecording(**recording, [this](absl::string_view id) { return SymbolsOf(id); });
    }
    const profile::SymbolTable* const symbols = SymbolsOf(build_id);
    if (symbols == nullptr) return absl::InternalError("an image without symbols");
    absl::StatusOr<profile::RawProfile> part =
        profile::ReadImagePart(profile.bytes, profile.name, *symbols);
    return part.ok() ? sum_.AddProfile(*symbols, *std::move(part)) : part.status();
  }

  ci::ImageSearch& search_;
  ci::ImageBundles& bundles_;
  std::map<std::string, std::shared_ptr<const ci::Image>> images_;  // by build-id
  analyzer::TargetSum sum_;
  uint32_t profiles_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<profile::ComputedProfile>> ComputeTestProfiles(
    const ci::BuildLog& log, absl::string_view part, ci::ImageBundles& bundles) {
  if (log.attempts.empty()) return absl::FailedPreconditionError("no test was run");
  const absl::StatusOr<Attempts> attempts = LastAttempts(log);
  if (!attempts.ok()) return attempts.status();
  ci::ImageSearch search({});
  std::vector<profile::ComputedProfile> profiles;
  for (const auto& [run, shards] : *attempts) {
    Sum sum(search, bundles);
    for (const auto& [shard, attempt] : shards) {
      if (absl::Status status = sum.Add(*attempt, part); !status.ok()) return status;
    }
    profiles.push_back(sum.Compute());
  }
  return profiles;
}

}  // namespace gprofhub::cli
