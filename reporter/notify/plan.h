// Plans notifications from a branch's changes.
//
// A change is the same as one in the store if project, branch and configuration agree, and
// - it came with the same commit, or
// - it has the same cause, and their ranges of commits overlap: later runs may narrow a range.
//
// So it keeps its key, and is reported only once.
//
// A new change is reported if it is confirmed, matches a route, is not acknowledged, is not in the
// test's own code, and its commit is not older than NotifyConfig::max_age. The age limit prevents
// notifications of old changes by a new server, or after old runs are uploaded.
//
// A reported change is tracked until it recovers, is acknowledged, or is withdrawn, which means
// that its commit is still among the examined runs but the change is no longer found.
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

// The owners of a file of the repository; may be empty.
using FileOwners = std::function<std::vector<std::string>(absl::string_view file)>;

// The owners in the configuration.
FileOwners OwnersFrom(const NotifyConfig& config);

struct PlanInput {
  std::string project;
  v1::GetChangesResponse changes;
  // A change after this commit's time would be found if it existed.
  absl::Time looked_at_from = absl::InfinitePast();
  std::vector<store::NotificationRecord> told;  // notifications of the project
  std::vector<store::AcknowledgementRecord> acknowledged;
  absl::Time now;
};

struct Plan {
  std::vector<store::NotificationRecord> tell;
  std::vector<store::NotificationRecord> keep;  // for channels that receive only digests
};

Plan PlanNotifications(const PlanInput& input, const NotifyConfig& config,
                       const FileOwners& owners);

// A channel's digest of the week before `due`: the changes that were opened or updated in it.
// Nothing if there are none.
std::optional<Digest> PlanDigest(const std::string& project,
                                 const std::vector<store::NotificationRecord>& records,
                                 const ChannelConfig& channel, absl::Time due);

}  // namespace gprofhub::reporter
