// Delivers the store's notifications to one channel: respects quiet hours, retries failures, and
// creates the weekly digests. Each channel has a worker of its own, so that a slow one does not
// delay others. Several workers of a channel, in several processes, may run: the store assigns each
// message to one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/memory_budget.h"
#include "base/stop_token.h"
#include "proto/query.pb.h"
#include "reporter/notify/channels.h"
#include "reporter/notify/config.h"
#include "reporter/notify/plan.h"
#include "reporter/queries/runs.h"
#include "reporter/worker/report_worker.h"
#include "store/gate_records.h"
#include "store/notifications.h"
#include "store/reading.h"
#include "store/records/records.h"
#include "store/report_queue.h"
#include "store/validation.h"

namespace gprofhub::reporter {

// Worker that computes the changes of branches whose runs were analysed, and caches them in the
// store, so that queries read a single row (reporter/queries/changes.h).
//
// The event worker (event_worker.h) also computes and caches them; this worker is for processes
// without notifications. It takes no lease: if it dies, nothing but time is lost.

// Changes of the run's branch in its newest runs, in the run's configuration. Caches them unless
// they are cached already. nullopt: a newer run of these exists, whose job covers this run, too.
// Errors are GetChanges's and the store's.
absl::StatusOr<std::optional<v1::GetChangesResponse>> KeepChangesOf(
    const store::RunRecord& run, const store::ReportQueue& reports, const store::Reading& reading,
    const BlobReader& blobs);

struct ChangesKeeperOptions {
  std::string name;  // for the log
  // Memory limit for decoding profiles; outlives the worker. Null: no limit.
  base::MemoryBudget* decoding = nullptr;
  std::function<absl::Time()> now = absl::Now;
};

class ChangesKeeper {
 public:
  ChangesKeeper(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
                ChangesKeeperOptions options);

  // Processes the branch of one run. False if there is none. Errors are the store's; a branch whose
  // changes cannot be computed is logged, and left to queries; so is one whose computation
  // `stopping` ends.
  absl::StatusOr<bool> RunOnce(const base::StopToken& stopping = {});

 private:
  const store::ReportQueue reports_;
  const store::Reading reading_;
  const store::Blobs blobs_;
  const ChangesKeeperOptions options_;
};

// The channels by name.
using Channels = std::map<std::string, std::unique_ptr<Channel>>;

class DeliveryWorker {
 public:
  DeliveryWorker(store::Notifications notifications, std::unique_ptr<Channel> channel,
                 ChannelConfig config, ReportWorkerOptions options);

  // Creates the due digest, and sends one message. False if none is due. Errors are the store's.
  absl::StatusOr<bool> RunOnce();

 private:
  absl::Status MakeDigest();
  absl::StatusOr<store::NotificationOutcome> Deliver(const store::NotificationRecord& record);

  const store::Notifications notifications_;
  const std::unique_ptr<Channel> channel_;
  const ChannelConfig config_;
  const ReportWorkerOptions options_;
  // The newest digest that was created. After a start all projects are checked once.
  absl::Time digest_ = absl::InfinitePast();
};

// Plans notifications of a branch. The worker claims the report jobs of runs without a pull
// request, computes and caches the changes of the newest runs, and stores new, updated and closed
// notifications. delivery_worker.h sends them.

class EventWorker {
 public:
  // `forges` may lack projects. With a forge, a change is reported only if its commit is on the
  // branch: uploads are untrusted.
  EventWorker(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
              store::GateRecords gate, store::Notifications notifications, ForgeByProject forges,
              NotifyConfig config, FileOwners owners, ReportWorkerOptions options);

  // Claims and executes one job. False if none is due. Errors are the store's. Once `stopping` is
  // set, the job is returned to the queue.
  absl::StatusOr<bool> RunOnce(const base::StopToken& stopping = {});

 private:
  absl::StatusOr<store::ReportOutcome> Report(const store::ReportJob& job,
                                              const base::StopToken& stopping);
  // Whether the channels are notified of changes of the run's branch.
  absl::StatusOr<bool> NotifiesOf(const store::RunRecord& run) const;
  // The input of the plan: the run's branch's changes, and the stored notifications.
  absl::StatusOr<PlanInput> Look(const store::RunRecord& run, v1::GetChangesResponse changes);
  // Removes changes whose commit is not on the branch according to the forge.
  absl::Status DropForeign(const store::RunRecord& run, v1::GetChangesResponse& changes);

  const store::ReportQueue reports_;
  const store::Reading reading_;
  const store::Blobs blobs_;
  const store::GateRecords gate_;
  const store::Notifications notifications_;
  const ForgeByProject forges_;
  const NotifyConfig config_;
  const FileOwners owners_;
  const ReportWorkerOptions options_;
};

}  // namespace gprofhub::reporter
