#include "store/postgres/wake_ups.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "store/postgres/handles.h"
#include "store/postgres/location.h"
#include "store/postgres/pooler.h"

namespace gprofhub::store::postgres {
namespace {

using sql::Work;

// After a connection that could not be made.
constexpr absl::Duration kRetry = absl::Seconds(5);
// Between two words of this process.
constexpr absl::Duration kPause = absl::Milliseconds(20);

struct FreeNotification {
  void operator()(PGnotify* notification) const { PQfreemem(notification); }
};

absl::string_view NameOf(Work work) { return work == Work::kJobs ? "jobs" : "reports"; }

class PostgresWakeUps final : public sql::WakeUps {
 public:
  explicit PostgresWakeUps(Location location)
      : location_(std::move(location)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  ~PostgresWakeUps() override {
    Stop();
    if (wake_ >= 0) close(wake_);
  }

  void Start(OnWork on_work) override {
    if (wake_ < 0) return;  // no descriptor is left: nobody hears, and who waits looks for work
    on_work_ = std::move(on_work);
    thread_ = std::thread([this] { Run(); });
  }

  void Stop() override {
    stopping_ = true;
    Wake();
    if (thread_.joinable()) thread_.join();
  }

  void Tell(Work work) override {
    (work == Work::kJobs ? jobs_ : reports_) = true;
    Wake();
  }

 private:
  void Wake() const {
    constexpr uint64_t kOne = 1;
    (void)!write(wake_, &kOne, sizeof kOne);  // if it is full, it wakes, too
  }

  void Run() {
    while (!stopping_) {
      const ConnectionHandle connection(PQconnectdb(location_.connection_url.c_str()));
      PQsetNoticeProcessor(
          connection.get(), [](void*, const char*) {}, nullptr);
      const bool connected = PQstatus(connection.get()) == CONNECTION_OK;
      if (connected && !SpeaksToOneProcess(connection.get())) return;
      // A listener that lost its connection reconnects at once.
      if (!connected || !ListenOn(connection.get())) WaitAtMost(kRetry);
    }
  }

  // Until the connection is lost, or this ends. Whether it could listen.
  bool ListenOn(PGconn* connection) {
    const ResultHandle listening(PQexec(connection, "LISTEN gprofhub"));
    if (PQresultStatus(listening.get()) != PGRES_COMMAND_OK) return false;
    on_work_(Work::kJobs);
    on_work_(Work::kReports);
    while (!stopping_) {
      const bool told = TellOthers(connection);
      Hear(connection);
      if (PQstatus(connection) != CONNECTION_OK) break;
      // Work that arrived meanwhile is in the next notification.
      told ? WaitAtMost(kPause) : WaitForNews(connection);
      if (PQconsumeInput(connection) != 1) break;
    }
    return true;
  }

  // Returns whether there was a notification to send.
  bool TellOthers(PGconn* connection) {
    std::string words;
    for (const Work work : {Work::kJobs, Work::kReports}) {
      if (!(work == Work::kJobs ? jobs_ : reports_).exchange(false)) continue;
      absl::StrAppend(&words, "NOTIFY gprofhub, '", NameOf(work), "';");
    }
    if (words.empty()) return false;
    const ResultHandle said(PQexec(connection, words.c_str()));
    return true;
  }

  void Hear(PGconn* connection) {
    while (true) {
      const std::unique_ptr<PGnotify, FreeNotification> notification(PQnotifies(connection));
      if (notification == nullptr) return;
      // Notifications of this process; its own threads know them.
      if (notification->be_pid == PQbackendPID(connection)) continue;
      for (const Work work : {Work::kJobs, Work::kReports}) {
        if (NameOf(work) == notification->extra) on_work_(work);
      }
    }
  }

  // Waits for a notification to receive or to send.
  void WaitForNews(PGconn* connection) const {
    pollfd waits[] = {{wake_, POLLIN, 0}, {PQsocket(connection), POLLIN, 0}};
    while (poll(waits, 2, -1) < 0 && errno == EINTR) {
    }
    Drain();
  }

  void WaitAtMost(absl::Duration time) const {
    pollfd end = {wake_, POLLIN, 0};
    // Notifications to send do not end the wait early; the destructor does.
    const absl::Time until = absl::Now() + time;
    for (absl::Duration left = time; left > absl::ZeroDuration() && !stopping_;
         left = until - absl::Now()) {
      poll(&end, 1, static_cast<int>(absl::ToInt64Milliseconds(left) + 1));
      if (!stopping_) Drain();
    }
  }

  void Drain() const {
    uint64_t count = 0;
    (void)!read(wake_, &count, sizeof count);
  }

  const Location location_;
  const int wake_;  // is written to when there is something to tell, or at the end
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> jobs_ = false, reports_ = false;  // to be told
  OnWork on_work_;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<sql::WakeUps>> MakeWakeUps(absl::string_view url,
                                                          const PostgresOptions& options) {
  absl::StatusOr<Location> location = ParseLocation(url, options);
  if (!location.ok()) return location.status();
  return std::make_unique<PostgresWakeUps>(*std::move(location));
}

}  // namespace gprofhub::store::postgres
