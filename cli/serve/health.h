// grpc.health.v1.Health, for monitoring.
//
// Needs no token. Check returns SERVING, NOT_SERVING, or NOT_FOUND for a name that this process
// does not have. Watch streams that status, and every change of it, for an hour at most. As any
// client may hold streams open for that time, there are few, and peers share them. Source:
// https://github.com/grpc/grpc/blob/v1.51.1/doc/health-checking.md
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "collector/calls/fair_share.h"
#include "collector/calls/method.h"
#include "proto/health.pb.h"

namespace gprofhub::cli {

// Whether a service is serving, "" being the server as a whole; nullopt: this process has no
// service of that name. Must not block.
using IsServing = std::function<std::optional<bool>(const std::string& service)>;

class HealthService {
 public:
  struct Options {
    // Streams of Watch at one time; a peer has at most half.
    uint64_t watchers = 512;
    // Polling interval of statuses.
    absl::Duration look_every = absl::Seconds(1);
  };

  explicit HealthService(IsServing is_serving) : HealthService(std::move(is_serving), Options()) {}
  HealthService(IsServing is_serving, const Options& options);
  // The call server that has its methods has ended.
  ~HealthService();
  HealthService(const HealthService&) = delete;
  HealthService& operator=(const HealthService&) = delete;

  // For a CallServer; the service outlives it.
  std::vector<collector::Method> Methods();

  // Ends all streams, and accepts no more: watchers move to another process.
  void Stop();

 private:
  class Watcher;
  using Status = v1::HealthCheckResponse::ServingStatus;

  struct Watched {
    std::string service;
    std::function<void(std::string message)> send;
    std::function<void(const absl::Status& status)> fail;
    std::optional<Status> sent;
  };

  Status StatusOf(const std::string& service) const;
  // Sends the status soon, and whenever it changes; the errors are Stop's and those of too many.
  absl::Status Add(const Watcher& watcher, Watched watched);
  void Remove(const Watcher& watcher);
  void TellOfChanges();

  const IsServing is_serving_;
  const absl::Duration look_every_;
  collector::FairShare places_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex. Writes to watchers happen outside it, on one thread.
  std::map<const Watcher*, Watched> watchers_;
  bool has_new_ = false;
  bool stopping_ = false;
  std::thread telling_;
};

}  // namespace gprofhub::cli
