#include "store/sqlite/group_writer.h"

#include <new>
#include <utility>

namespace gprofhub::store::sqlite {
namespace {

// An exception must not pass: the writers behind this one would wait for ever.
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
  changed_.wait(lock, [&] { return request.done || !leading_; });
  if (request.done) {
    --writing_;
    return request.status;
  }

  // No thread leads, so this one does. It takes all requests that wait, and its own.
  leading_ = true;
  const std::vector<Request*> batch = std::exchange(waiting_, {});
  lock.unlock();
  Commit(batch);
  lock.lock();
  leading_ = false;
  --writing_;
  for (Request* each : batch) each->done = true;
  changed_.notify_all();
  return request.status;
}

size_t GroupWriter::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return writing_ - (leading_ ? 1 : 0);
}

void GroupWriter::Commit(const std::vector<Request*>& batch) {
  absl::Status status = connection_->Script("BEGIN IMMEDIATE");
  if (status.ok()) {
    status = RunAll(batch);
    if (status.ok()) status = connection_->Script("COMMIT");
    if (!status.ok() && connection_->InTransaction()) {
      (void)connection_->Script("ROLLBACK");  // `status` is what matters
    }
  }
  if (status.ok()) return;
  for (Request* request : batch) {
    if (request->status.ok()) request->status = status;
  }
}

// An error here ends the whole transaction. A request that fails does not.
absl::Status GroupWriter::RunAll(const std::vector<Request*>& batch) {
  for (Request* request : batch) {
    absl::Status status = connection_->Script("SAVEPOINT request");
    if (!status.ok()) return status;
    request->status = RunWithinMemory(*request->work, *connection_);
    if (!connection_->InTransaction()) {
      return request->status.ok() ? absl::InternalError("a transaction ended by itself")
                                  : request->status;
    }
    status = connection_->Script(request->status.ok() ? "RELEASE request"
                                                      : "ROLLBACK TO request; RELEASE request");
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::store::sqlite
