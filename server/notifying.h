// Notifies channels of a branch's changes. Some threads of the process find new notifications, and
// one thread for each channel delivers them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/http/http.h"
#include "base/memory_budget.h"
#include "base/work_loop.h"
#include "reporter/notify/config.h"
#include "reporter/worker/delivery_worker.h"
#include "reporter/worker/report_worker.h"
#include "store/gate_records.h"
#include "store/notifications.h"
#include "store/reading.h"
#include "store/report_queue.h"
#include "store/validation.h"

namespace gprofhub::server {

// The channels of a file for `gprofhub serve --notify`, with their secrets.

// One channel for each of the configuration. INVALID_ARGUMENT for a forbidden secret URL, a secret
// that is too short, or an issue channel without a forge; NOT_FOUND for a file that cannot be read.
// Messages contain no secrets.
absl::StatusOr<reporter::Channels> MakeChannels(const reporter::NotifyConfig& config,
                                                const reporter::ForgeByProject& forges,
                                                const base::HttpClient& http,
                                                const std::function<absl::Time()>& now);

// The parts of the store that telling needs.
struct NotifyingStore {
  const store::ReportQueue& reports;
  const store::Reading& reading;
  const store::Blobs& blobs;
  const store::GateRecords& gate;
  const store::Notifications& notifications;
  // Memory limit for decoding blobs; outlives its users. Null: unlimited.
  base::MemoryBudget* decoding = nullptr;
};

// Called after each delivery attempt (reporter/worker/report_worker.h).
using OnEndedReport = std::function<void(const reporter::EndedReport&)>;

class Notifying {
 public:
  // Delivers notifications until destruction. `file` is the configuration (docs/notifications.md),
  // and `process` names the process among those of the store. Once `stopping` returns true, calls
  // of channels end. Errors are ReadFile's, ParseNotifyConfig's and MakeChannels's.
  static absl::StatusOr<std::unique_ptr<Notifying>> Start(const NotifyingStore& store,
                                                          const std::string& file,
                                                          const reporter::ForgeByProject& forges,
                                                          const std::string& process,
                                                          const std::function<bool()>& stopping,
                                                          const OnEndedReport& on_ended);
  // Stops, after the current step.
  ~Notifying();
  Notifying(const Notifying&) = delete;
  Notifying& operator=(const Notifying&) = delete;

  // Notifies the searching threads that a report may be due.
  void Wake();

  // How long the thread that is longest at a job has been at it.
  absl::Duration BusyFor() const;

 private:
  Notifying(const NotifyingStore& store, const reporter::NotifyConfig& config,
            reporter::Channels channels, const reporter::ForgeByProject& forges,
            const std::string& process, const OnEndedReport& on_ended);

  base::WorkLoops events_, deliveries_;
};

// A secret from its file: every user of the machine could read a command line.

// The file's text without the blanks around it. NOT_FOUND if it is empty; else ReadFile's errors.
absl::StatusOr<std::string> ReadSecret(const std::string& path);

// The same for a secret that is sent in a header, or compared with one: INVALID_ARGUMENT if it is
// not printable ASCII.
absl::StatusOr<std::string> ReadHeaderSecret(const std::string& path);

}  // namespace gprofhub::server
