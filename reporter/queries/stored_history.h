// A history from the store: the newest runs of a branch, with the runs of one commit merged into a
// release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/decoding/decoding.h"
#include "reporter/history/history.h"
#include "reporter/queries/blob_reader.h"
#include "store/reading.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

class StoredHistory final : public History {
 public:
  // `runs` newest first, with ancestors; `target` empty: all. Returns errors of the store.
  static absl::StatusOr<StoredHistory> Read(const store::Reading& reading, const BlobReader& blobs,
                                            const std::vector<store::RunRecord>& runs,
                                            const std::string& target);

  const std::vector<HistoryRelease>& releases() const override { return releases_; }
  const std::vector<std::string>& targets() const override { return targets_; }
  absl::StatusOr<std::vector<ReleaseSeries>> ReadSeries(const std::string& target,
                                                        uint32_t bucket) override;
  absl::StatusOr<std::vector<profile::ComputedProfile>> ReadProfiles(const std::string& target,
                                                                     size_t release) override;

 private:
  // Number of reads whose profiles may still be in use: twice those of one change.
  static constexpr size_t kReadsInUse = 12;

  // How a run measured a target.
  enum class Kind {
    kMeasured,
    kUnchanged,  // a cached result with the inputs of the run before
    kUnknown,    // a cached result whose profile was not uploaded
  };
  struct AnalyzedTarget {
    store::TargetRecord record;
    Kind kind = Kind::kUnknown;
  };
  struct RunTargets {
    int64_t id = 0;
    size_t release = 0;
    std::map<std::string, AnalyzedTarget> targets;  // by label
  };

  StoredHistory(store::Reading reading, BlobReader blobs);

  static Kind KindOf(const AnalyzedTarget& before, const store::TargetRecord& target);
  void Judge();

  store::Reading reading_;
  BlobReader blobs_;
  std::deque<base::DecodingPart> in_use_;
  base::DecodingPart series_in_use_;
  std::string project_;
  std::string branch_;
  std::vector<HistoryRelease> releases_;
  std::vector<std::string> targets_;
  std::vector<RunTargets> runs_;  // oldest first
};

}  // namespace gprofhub::reporter
