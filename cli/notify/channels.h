// The channels of a file for `gprofhub serve --notify`, with their secrets.
#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/http/http.h"
#include "reporter/notify/config.h"
#include "reporter/worker/delivery_worker.h"
#include "reporter/worker/report_worker.h"

namespace gprofhub::cli {

// One channel for each of the configuration. INVALID_ARGUMENT for a forbidden secret URL, a secret
// that is too short, or an issue channel without a forge; NOT_FOUND for a file that cannot be read.
// Messages contain no secrets.
absl::StatusOr<reporter::Channels> MakeChannels(const reporter::NotifyConfig& config,
                                                const reporter::ForgeByProject& forges,
                                                const base::HttpClient& http,
                                                const std::function<absl::Time()>& now);

}  // namespace gprofhub::cli
