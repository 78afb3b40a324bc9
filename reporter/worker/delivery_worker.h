// Sends what the store says is to be told. It holds back what comes in a channel's quiet hours,
// tries again what did not arrive, and makes the weekly digests. Several workers, in several
// processes, may do so: the store gives each message to one.
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
  // Each channel of `config` is in `channels`.
  DeliveryWorker(store::Notifications notifications, Channels channels, NotifyConfig config,
                 ReportWorkerOptions options);

  // Works until Stop. Any thread may call Stop.
  void Run();
  void Stop();

  // Makes the digests that are due, and sends one message. False if none is due. Errors are the
  // store's.
  absl::StatusOr<bool> RunOnce();

 private:
  absl::Status MakeDigests();
  absl::StatusOr<store::NotificationOutcome> Deliver(const store::NotificationRecord& record);

  const store::Notifications notifications_;
  const Channels channels_;
  const NotifyConfig config_;
  const ReportWorkerOptions options_;
  base::WorkLoop loop_;
  // The newest digest of each channel that is made. After a start all are looked at once.
  std::map<std::string, absl::Time> digests_;
};

}  // namespace gprofhub::reporter
