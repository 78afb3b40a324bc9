#include "store/postgres/session.h"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

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

namespace {

// OIDs of the non-text types in the catalog.
constexpr Oid kBytea = 17;
constexpr Oid kInt8 = 20;
constexpr Oid kInt2 = 21;
constexpr Oid kInt4 = 23;

struct FreeBytes {
  void operator()(unsigned char* bytes) const { PQfreemem(bytes); }
};

void AddField(const PGresult* result, int row, int column, sql::Rows& rows) {
  if (PQgetisnull(result, row, column) != 0) return rows.Add(std::monostate());
  const char* value = PQgetvalue(result, row, column);
  const auto size = static_cast<size_t>(PQgetlength(result, row, column));
  switch (PQftype(result, column)) {
    case kInt2:
    case kInt4:
    case kInt8: {
      int64_t number = 0;
      (void)absl::SimpleAtoi(absl::string_view(value, size), &number);  // the server wrote it
      return rows.Add(number);
    }
    case kBytea: {
      size_t length = 0;
      const std::unique_ptr<unsigned char, FreeBytes> bytes(
          PQunescapeBytea(reinterpret_cast<const unsigned char*>(value), &length));
      return rows.Add(absl::string_view(reinterpret_cast<const char*>(bytes.get()), length));
    }
    default:
      return rows.Add(absl::string_view(value, size));
  }
}

sql::Rows ToRows(const PGresult* result) {
  const int columns = PQnfields(result);
  sql::Rows rows(static_cast<size_t>(std::max(1, columns)));
  for (int row = 0; row < PQntuples(result); ++row) {
    for (int column = 0; column < columns; ++column) AddField(result, row, column, rows);
  }
  return rows;
}

uint64_t SizeOf(absl::Span<const sql::Parameter> parameters) {
  uint64_t size = 0;
  for (const sql::Parameter& parameter : parameters) {
    if (const auto* text = std::get_if<absl::string_view>(&parameter)) size += text->size();
    if (const auto* bytes = std::get_if<sql::Bytes>(&parameter)) size += bytes->value.size();
  }
  return size;
}

// Lower bound of the bandwidth to a healthy database.
constexpr uint64_t kBytesPerSecond = 1 << 20;

}  // namespace

absl::Status PostgresSession::Send(absl::string_view sql,
                                   absl::Span<const sql::Parameter> parameters) {
  return Send(sql, parameters, Pipeline::Keep::kYes);
}

absl::Status PostgresSession::Send(absl::string_view sql,
                                   absl::Span<const sql::Parameter> parameters,
                                   Pipeline::Keep keep) {
  // libpq may write to the socket now, and wait for that.
  unread_bytes_ += SizeOf(parameters);
  watched_.Allow(answer_ + absl::Seconds(unread_bytes_ / kBytesPerSecond));
  if (!begun_) {
    begun_ = true;
    ++unread_;
    RETURN_IF_ERROR(pipeline_.Begin());
  }
  ++unread_;
  return pipeline_.Send(sql, parameters, keep);
}

absl::StatusOr<std::vector<ResultHandle>> PostgresSession::Wait() {
  unread_ = 0;
  unread_bytes_ = 0;
  return pipeline_.Wait();
}

absl::StatusOr<sql::Rows> PostgresSession::Query(absl::string_view sql,
                                                 absl::Span<const sql::Parameter> parameters) {
  RETURN_IF_ERROR(Send(sql, parameters, Pipeline::Keep::kNo));
  ASSIGN_OR_RETURN(const std::vector<ResultHandle> answers, Wait());
  return ToRows(answers.back().get());
}

absl::StatusOr<std::vector<sql::Rows>> PostgresSession::QueryAll(
    absl::Span<const sql::Statement> statements) {
  const size_t before = unread_ + (begun_ ? 0 : 1);
  for (const sql::Statement& statement : statements) {
    RETURN_IF_ERROR(Send(statement.sql, statement.parameters));
  }
  ASSIGN_OR_RETURN(const std::vector<ResultHandle> answers, Wait());
  std::vector<sql::Rows> all;
  for (size_t i = before; i < answers.size(); ++i) all.push_back(ToRows(answers[i].get()));
  return all;
}

// A transaction that encodes or archives the blob at this time holds its row: the first statement
// waits for that transaction's end, and the second one sees the result.
absl::Status PostgresSession::AddBlob(const Blob& blob) {
  RETURN_IF_ERROR(
      Send("INSERT INTO blob (name, size, bytes) VALUES ($1, $2, $3) "
           "ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes WHERE blob.bytes IS NULL",
           {blob.name, static_cast<int64_t>(blob.bytes.size()), sql::Bytes{blob.bytes}}));
  return Send(
      "WITH unarchived AS (DELETE FROM archived_blob WHERE name = $1) "
      "DELETE FROM blob_delta WHERE name = $1",
      {blob.name});
}

absl::Status PostgresSession::RemoveBlobBytes(const BlobName& name) {
  return Send("UPDATE blob SET bytes = NULL WHERE name = $1", {name});
}

absl::Status PostgresSession::TakeAnyTime() {
  answer_ = absl::InfiniteDuration();
  return Script("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0");
}

absl::Status PostgresSession::Script(absl::string_view sql) {
  // The transaction has begun, and nothing is on its way.
  RETURN_IF_ERROR(Execute("SELECT 1", {}));
  watched_.Allow(answer_);
  return pipeline_.Script(sql);
}

absl::Status PostgresSession::Commit() {
  if (!begun_) return absl::OkStatus();
  absl::Status status = Send("COMMIT", {}, Pipeline::Keep::kNo);
  if (status.ok()) {
    const absl::StatusOr<std::vector<ResultHandle>> answers = Wait();
    status = answers.status();
    // So the server answers when a statement before has failed.
    if (answers.ok() && absl::string_view(PQcmdStatus(answers->back().get())) != "COMMIT") {
      status = absl::InternalError("a statement of the transaction had failed");
    }
  }
  begun_ = !status.ok();
  if (pipeline_.TakeUnconfirmed() && status.ok()) {
    return absl::UnknownError("no standby has confirmed the commit");
  }
  return pipeline_.Broken() ? absl::UnknownError(status.message()) : status;
}

void PostgresSession::RollBack(bool wait) {
  if (!begun_ || pipeline_.Broken()) return;
  const bool sent = Send("ROLLBACK", {}, Pipeline::Keep::kNo).ok();
  begun_ = false;
  if (!sent) return;
  if (wait) {
    (void)Wait();  // if it failed, the connection is lost, and the transaction with it
  } else {
    pipeline_.Leave();
  }
}

}  // namespace gprofhub::store::postgres
