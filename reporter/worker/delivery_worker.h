// Delivers the store's notifications to one channel: respects quiet hours, retries failures, and
// creates the weekly digests. Each channel has a worker of its own, so that a slow one does not
// delay others. Several workers of a channel, in several processes, may run: the store assigns each
// message to one.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/work_loop.h"
#include "reporter/notify/channels/channel.h"
#include "reporter/notify/config.h"
#include "reporter/worker/report_jobs.h"
#include "store/notifications.h"

namespace gprofhub::reporter {

// The channels by name.
using Channels = std::map<std::string, std::unique_ptr<Channel>>;

class DeliveryWorker {
 public:
  DeliveryWorker(store::Notifications notifications, std::unique_ptr<Channel> channel,
                 ChannelConfig config, ReportWorkerOptions options);

  // Works until Stop, which is thread-safe.
  void Run();
  void Stop();

  // Creates the due digest, and sends one message. False if none is due. Errors are the store's.
  absl::StatusOr<bool> RunOnce();

  // As in base::WorkLoop.
  absl::Duration BusyFor() const { return loop_.BusyFor(); }

 private:
  absl::Status MakeDigest();
  absl::StatusOr<store::NotificationOutcome> Deliver(const store::NotificationRecord& record);

  const store::Notifications notifications_;
  const std::unique_ptr<Channel> channel_;
  const ChannelConfig config_;
  const ReportWorkerOptions options_;
  base::WorkLoop loop_;
  // The newest digest that was created. After a start all projects are checked once.
  absl::Time digest_ = absl::InfinitePast();
};

}  // namespace gprofhub::reporter
