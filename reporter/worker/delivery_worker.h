// Sends to one channel what the store says is to be told. It holds back what comes in the channel's
// quiet hours, tries again what did not arrive, and makes the weekly digests. Each channel has a
// worker of its own, so none waits for a slow one. Several workers of a channel, in several
// processes, may work: the store gives each message to one.
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

  // Works until Stop. Any thread may call Stop.
  void Run();
  void Stop();

  // Makes the digest that is due, and sends one message. False if none is due. Errors are the
  // store's.
  absl::StatusOr<bool> RunOnce();

  // As base::WorkLoop has it.
  absl::Duration BusyFor() const { return loop_.BusyFor(); }

 private:
  absl::Status MakeDigest();
  absl::StatusOr<store::NotificationOutcome> Deliver(const store::NotificationRecord& record);

  const store::Notifications notifications_;
  const std::unique_ptr<Channel> channel_;
  const ChannelConfig config_;
  const ReportWorkerOptions options_;
  base::WorkLoop loop_;
  // The newest digest that is made. After a start all projects are looked at once.
  absl::Time digest_ = absl::InfinitePast();
};

}  // namespace gprofhub::reporter
