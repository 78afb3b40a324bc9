// From the changes that a branch has to what channels are told.
//
// A change that is found is the one that was told before if it is of the same project, branch and
// configuration, and
// - it came with the same commit, or
// - it has the same cause, and their ranges of commits overlap: later runs may narrow a range.
// So it keeps its key, and what was told is told once.
//
// What is new is told if it is confirmed, a route has it, nobody has acknowledged it, it is not the
// test's own, and its commit is not older than NotifyConfig::max_age. The last keeps a server that
// gets old runs, or is new, from telling old stories.
//
// What was told stays in view. It recovers, is acknowledged, or is withdrawn: its commit is still
// among the runs looked at, and the change is not there any more.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/query.pb.h"
#include "reporter/notify/config.h"
#include "reporter/notify/notification.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// The owners of a file of the repository; none: nobody.
using OwnersOfFile = std::function<std::vector<std::string>(absl::string_view file)>;

// The owners that the configuration names.
OwnersOfFile OwnersFrom(const NotifyConfig& config);

struct PlanInput {
  std::string project;
  v1::GetChangesResponse changes;
  // A change after this commit's time would be found if it were there.
  absl::Time looked_at_from = absl::InfinitePast();
  std::vector<store::NotificationRecord> told;  // of the project
  std::vector<store::AcknowledgementRecord> acknowledged;
  absl::Time now;
};

struct Plan {
  std::vector<store::NotificationRecord> tell;
  std::vector<store::NotificationRecord> keep;  // of channels that get a digest only
};

Plan PlanNotifications(const PlanInput& input, const NotifyConfig& config,
                       const OwnersOfFile& owners);

// The changes that a channel's digest of the week before `due` tells: those that came in or changed
// in it. Nothing if there are none.
std::optional<Digest> PlanDigest(const std::string& project,
                                 const std::vector<store::NotificationRecord>& records,
                                 const ChannelConfig& channel, absl::Time due);

}  // namespace gprofhub::reporter
