#include "store/sqlite/group_writer.h"

#include <new>
#include <utility>

namespace gprofhub::store::sqlite {
namespace {

// Bounds the time that a group waits for requests that arrive late.
constexpr size_t kMostInGroup = 64;

// Exceptions must be caught: the writers after this one would wait for ever.
absl::Status RunWithinMemory(const sql::Database::Work& work, Connection& connection) {
  try {
    return work(connection);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("the write needs more memory than there is");
  }
}

}  // namespace

absl::Status GroupWriter::Write(const sql::Database::Work& work) {
  Request request{&work, absl::OkStatus()};
  std::unique_lock<std::mutex> lock(mutex_);
  waiting_.push_back(&request);
  ++writing_;
  request.changed.wait(lock, [&] { return request.done || !leading_; });
  if (!request.done) {
    // No thread leads, so this one does.
    leading_ = true;
    lock.unlock();
    const std::vector<Request*> group = Commit();
    lock.lock();
    leading_ = false;
    // The lock is held: a request is there until its thread has it.
    for (Request* each : group) {
      each->done = true;
      each->changed.notify_one();
    }
    if (!waiting_.empty()) waiting_.front()->changed.notify_one();
  }
  --writing_;
  return request.status;
}

size_t GroupWriter::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return writing_ - (leading_ ? 1 : 0);
}

std::vector<GroupWriter::Request*> GroupWriter::Commit() {
  std::vector<Request*> group;
  absl::Status status = connection_->Script("BEGIN IMMEDIATE");
  if (status.ok()) {
    status = RunAll(group);
    if (status.ok()) status = connection_->Script("COMMIT");
    if (!status.ok() && connection_->InTransaction()) {
      (void)connection_->Script("ROLLBACK");  // `status` is what matters
    }
  }
  if (group.empty()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    group.swap(waiting_);
  }
  for (Request* request : group) {
    if (!status.ok() && request->status.ok()) request->status = status;
  }
  return group;
}

// An error here ends the whole transaction. A request that fails does not.
absl::Status GroupWriter::RunAll(std::vector<Request*>& group) {
  while (group.size() < kMostInGroup) {
    std::vector<Request*> next;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      next.swap(waiting_);
    }
    if (next.empty()) break;
    group.insert(group.end(), next.begin(), next.end());
    for (Request* request : next) {
      if (absl::Status status = RunOne(*request); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status GroupWriter::RunOne(Request& request) {
  // Prepared once, as Script is not.
  absl::Status status = connection_->Execute("SAVEPOINT request", {});
  if (!status.ok()) return status;
  request.status = RunWithinMemory(*request.work, *connection_);
  if (!connection_->InTransaction()) {
    return request.status.ok() ? absl::InternalError("a transaction ended by itself")
                               : request.status;
  }
  if (!request.status.ok()) status = connection_->Execute("ROLLBACK TO request", {});
  return status.ok() ? connection_->Execute("RELEASE request", {}) : status;
}

}  // namespace gprofhub::store::sqlite
