#include "cli/serve/worker_pool.h"

#include <unistd.h>

#include <array>
#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub {
namespace {

// Names this process among all that work on one store.
std::string ProcessName() {
  std::array<char, 256> host = {};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return absl::StrCat(host.data(), "/", getpid());
}

}  // namespace

WorkerPool::WorkerPool(Store& store, uint32_t workers, absl::Duration lease) {
  for (uint32_t i = 0; i < workers; ++i) {
    WorkerOptions options;
    options.name = absl::StrCat(ProcessName(), "/", i);
    options.lease = lease;
    options.heartbeat = lease / 4;
    workers_.push_back(std::make_unique<Worker>(store, options));
  }
  for (const auto& worker : workers_) threads_.emplace_back([&worker] { worker->Run(); });
}

WorkerPool::~WorkerPool() {
  for (const auto& worker : workers_) worker->Stop();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Wake() {
  for (const auto& worker : workers_) worker->Wake();
}

}  // namespace gprofhub
