#include "store/postgres/socket_watch.h"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace gprofhub::store::postgres {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// The clock on the wall may be set meanwhile.
int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

SocketWatch::SocketWatch(absl::Duration tick) : tick_(tick), thread_([this] { Run(); }) {}

SocketWatch::~SocketWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  ending_changed_.notify_all();
  thread_.join();
}

SocketWatch::Watched::Watched(SocketWatch& watch, int socket)
    : watch_(watch), socket_(socket), until_(kNever) {
  const std::lock_guard<std::mutex> lock(watch_.mutex_);
  watch_.watched_.push_back(this);
}

SocketWatch::Watched::~Watched() {
  const std::lock_guard<std::mutex> lock(watch_.mutex_);
  watch_.watched_.erase(std::find(watch_.watched_.begin(), watch_.watched_.end(), this));
}

void SocketWatch::Watched::Allow(absl::Duration time) {
  const int64_t until =
      time == absl::InfiniteDuration() ? kNever : Now() + absl::ToInt64Nanoseconds(time);
  const std::lock_guard<std::mutex> lock(watch_.mutex_);
  until_ = until;
}

bool SocketWatch::Watched::WasCut() const {
  const std::lock_guard<std::mutex> lock(watch_.mutex_);
  return cut_;
}

void SocketWatch::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ending_) {
    const int64_t now = Now();
    for (Watched* each : watched_) {
      if (each->cut_ || now < each->until_) continue;
      each->cut_ = true;
      shutdown(each->socket_, SHUT_RDWR);
    }
    ending_changed_.wait_for(lock, absl::ToChronoNanoseconds(tick_));
  }
}

}  // namespace gprofhub::store::postgres
