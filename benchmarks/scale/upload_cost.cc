// Cost of making an upload durable: threads record executions, each with one new profile of 64 KiB.
// Compared, in turns and with the same number of threads, with the limits of the disk and the
// engine:
//
//   one sync each   a file of 64 KiB for each, written, synced and closed
//   group log       one file to which all threads append 64 KiB; one sync serves all waiters
//
//   raw insert      a transaction that inserts 64 KiB into a table, with PostgreSQL
//   rows alone      the same bytes and the rows of an upload, and nothing is looked up. With SQLite
//                   eight statements in the engine's group commit; with PostgreSQL one statement,
//                   into copies of the tables, with their indexes, but without foreign keys
//
//   upload_cost FOLDER SECONDS           on SQLite; the folder is on the disk to measure
//   upload_cost FOLDER SECONDS SYNC_MS   the same, with this delay of each sync
//   upload_cost postgres SECONDS         on a PostgreSQL server that it starts, below TMPDIR
//
// A disk with slow syncs is simulated on a fast one: each sync of the process, the engine's and the
// peers', is delayed, one after the other, as they would be on a disk with one queue.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "benchmarks/scale/measuring.h"
#include "store/open_store.h"
#include "store/sql/engine.h"
#include "store/testing/temp_store.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::scale {
namespace {

// Extra delay of a sync. A global, because functions of libc's names have no other parameter.
std::atomic<int64_t> sync_milliseconds = 0;

int SyncAndWait(long call, int file) {
  static std::mutex queue;
  const std::lock_guard<std::mutex> lock(queue);
  absl::SleepFor(absl::Milliseconds(sync_milliseconds.load()));
  return static_cast<int>(syscall(call, file));
}

}  // namespace
}  // namespace gprofhub::scale

// They take the place of libc's, for SQLite too.
extern "C" int fsync(int file) { return gprofhub::scale::SyncAndWait(SYS_fsync, file); }
extern "C" int fdatasync(int file) { return gprofhub::scale::SyncAndWait(SYS_fdatasync, file); }
extern "C" int syncfs(int file) { return gprofhub::scale::SyncAndWait(SYS_syncfs, file); }

namespace gprofhub::scale {
namespace {

constexpr size_t kBytes = 64 << 10;
constexpr int kTargetsOfRun = 100;

// Unique, incompressible bytes: the same random ones, except for their number.
std::string NewBytes(uint64_t number) {
  static const std::string kRandom = [] {
    std::mt19937_64 random(1);
    std::string bytes;
    while (bytes.size() < kBytes) bytes.push_back(static_cast<char>(random() & 0xff));
    return bytes;
  }();
  std::string bytes = kRandom;
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

void WriteAndSync(int file, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t written = write(file, bytes.data() + at, bytes.size() - at);
    if (written < 0) Die("cannot write");
    at += static_cast<size_t>(written);
  }
  if (fdatasync(file) != 0) Die("cannot sync");
}

// Group commit: one leader at a time writes the data of all waiting threads, and syncs once.
class GroupLog {
 public:
  explicit GroupLog(const std::string& path)
      : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)) {
    if (file_ < 0) Die("cannot make " + path);
  }
  ~GroupLog() { close(file_); }
  GroupLog(const GroupLog&) = delete;
  GroupLog& operator=(const GroupLog&) = delete;

  void Append(const std::string& bytes) {
    std::unique_lock<std::mutex> lock(mutex_);
    waiting_ += bytes;
    const uint64_t mine = ++brought_;
    changed_.wait(lock, [&] { return durable_ >= mine || !leading_; });
    if (durable_ >= mine) return;
    leading_ = true;
    const std::string group = std::move(waiting_);
    waiting_.clear();
    const uint64_t last = brought_;
    lock.unlock();
    WriteAndSync(file_, group);
    lock.lock();
    leading_ = false;
    durable_ = last;
    changed_.notify_all();
  }

 private:
  const int file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  uint64_t brought_ = 0;
  uint64_t durable_ = 0;
  bool leading_ = false;
};

// Rate of `work` per second with `threads` threads. It gets the thread's number and a number unique
// to the call.
double RateOf(int threads, absl::Duration time, const std::function<void(int, uint64_t)>& work) {
  static std::atomic<uint64_t> next = 0;
  std::atomic<uint64_t> done = 0;
  const absl::Time begun = absl::Now();
  const absl::Time end = begun + time;
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      while (absl::Now() < end) {
        work(thread, next++);
        ++done;
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  return static_cast<double>(done) / absl::ToDoubleSeconds(absl::Now() - begun);
}

store::NewExecution ExecutionOf(uint64_t number, std::string bytes) {
  store::NewExecution execution;
  const uint64_t run = number / kTargetsOfRun;
  execution.run.project = "scale";
  execution.run.run_key = absl::StrCat("run-", run);
  execution.run.commit = absl::StrFormat("%040x", run + 1);
  execution.run.branch = "main";
  execution.run.configuration = "k8-opt";
  execution.run.started = execution.run.committed = absl::FromUnixSeconds(1'600'000'000);
  execution.execution.target = absl::StrCat("//t", number % kTargetsOfRun, ":test");
  execution.execution.status = "PASSED";
  const store::Blob profile = store::MakeBlob(std::move(bytes));
  const store::Blob bundle = store::MakeBlob("symbols");
  execution.profiles = {{"gmon.1", "b1d1", profile.name}};
  execution.images = {{"b1d1", bundle.name}};
  execution.blobs = {profile, bundle};
  return execution;
}

using Work = std::function<void(int thread, uint64_t number)>;
struct Peer {
  std::string name;
  Work work;
};

// Measures uploads and the peers in turns.
void Measure(const store::Store& store, const std::vector<Peer>& peers, absl::Duration time) {
  std::cout << MachineNow() << "\n";
  absl::PrintF("%8s %10s", "threads", "uploads/s");
  for (const Peer& peer : peers) absl::PrintF(" %20s", peer.name);
  absl::PrintF("\n");
  for (const int threads : {1, 4, 16}) {
    const double uploads = RateOf(threads, time, [&](int, uint64_t number) {
      OrDie(store.ingest.RecordExecution(ExecutionOf(number, NewBytes(number)), absl::Now()));
    });
    absl::PrintF("%8d %10.0f", threads, uploads);
    for (const Peer& peer : peers) {
      const double rate = RateOf(threads, time, peer.work);
      absl::PrintF(" %10.0f (x %.2f)", rate, uploads / rate);
    }
    absl::PrintF("\n");
  }
}

// The rows of an upload to the store's first run. Ids are far from those of the store's own rows.
absl::Status InsertRows(store::sql::Session& session, uint64_t number, const std::string& bytes) {
  const store::BlobName name = absl::StrFormat("%064x", number + 1);
  const auto id = static_cast<int64_t>(number) + 1'000'000;
  RETURN_IF_ERROR(session.AddBlob({name, bytes}));
  const std::pair<const char*, std::vector<store::sql::Parameter>> rows[] = {
      {"INSERT INTO blob_right (project, name) VALUES ('scale', $1)", {name}},
      {"INSERT INTO target (id, run_id, label) VALUES ($1, 1, '//t' || $1 || ':test')", {id}},
      {"INSERT INTO execution (id, target_id, run_number, shard, attempt, cached, status, "
       "test_binary_digest, row_bytes) VALUES ($1, $1, 1, 0, 1, 0, 'PASSED', '', 500)",
       {id}},
      {"INSERT INTO image (execution_id, build_id, bundle) VALUES ($1, 'b1d1', $2)", {id, name}},
      {"INSERT INTO profile (execution_id, process, build_id, gmon) "
       "VALUES ($1, 'gmon.1', 'b1d1', $2)",
       {id, name}},
      {"INSERT INTO job (target_id, state, queued_us, arrived_us, generation, project, turn) "
       "VALUES ($1, 'pending', $1, $1, 1, 'scale', $1)",
       {id}}};
  for (const auto& [statement, values] : rows) {
    RETURN_IF_ERROR(session.Execute(statement, values));
  }
  return absl::OkStatus();
}

void MeasureEmbedded(const std::string& folder, absl::Duration time) {
  const std::string place = absl::StrCat(folder, "/upload_cost.peers");
  std::filesystem::create_directories(place);
  GroupLog group_log(place + "/log");
  const auto sync_one = [&place](int thread, uint64_t number) {
    const std::string path = absl::StrCat(place, "/", thread);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) Die("cannot make " + path);
    WriteAndSync(file, NewBytes(number));
    close(file);
  };
  const auto append = [&group_log](int, uint64_t number) { group_log.Append(NewBytes(number)); };
  const std::string rows = place + "/rows";
  OrDie(OrDie(store::OpenStore(rows, store::OpenMode::kCreate))
            .ingest.RecordExecution(ExecutionOf(0, "bytes"), absl::Now()));
  const store::sql::Engine engine = OrDie(store::OpenEngine(rows, store::OpenMode::kCreate));
  const auto insert_rows = [&engine](int, uint64_t number) {
    const std::string bytes = NewBytes(number);
    OrDie(engine.database->Write(
        [&](store::sql::Session& session) { return InsertRows(session, number, bytes); }));
  };
  Measure(OrDie(store::OpenStore(folder, store::OpenMode::kCreate)),
          {{"one sync each", sync_one}, {"group log", append}, {"rows alone", insert_rows}}, time);
  std::filesystem::remove_all(place);
}

// The tables of an upload to a known run with a known bundle.
constexpr const char* kTables[] = {"blob",  "blob_right", "target", "execution",
                                   "image", "profile",    "job"};
constexpr char kRowsAlone[] =
    "WITH a AS (INSERT INTO peer_blob (name, size, bytes) VALUES ($1, 65536, $3)), "
    "b AS (INSERT INTO peer_blob_right (project, name) VALUES ('scale', $1)), "
    "c AS (INSERT INTO peer_target (run_id, label) "
    "VALUES (CAST($2 AS bigint) / 100, '//t' || CAST($2 AS bigint) || ':test') RETURNING id), "
    "d AS (INSERT INTO peer_execution (target_id, run_number, shard, attempt, cached, status, "
    "test_binary_digest, duration_ms, row_bytes) "
    "SELECT id, 1, 0, 1, 0, 'PASSED', '', 0, 500 FROM c RETURNING id), "
    "e AS (INSERT INTO peer_image (execution_id, build_id, bundle) SELECT id, 'b1d1', $1 FROM d), "
    "f AS (INSERT INTO peer_profile (execution_id, process, build_id, gmon) "
    "SELECT id, 'gmon.1', 'b1d1', $1 FROM d) "
    "INSERT INTO peer_job (target_id, state, queued_us, arrived_us, generation, project, turn) "
    "SELECT id, 'pending', $2, $2, 1, 'scale', $2 FROM c";

void MeasureShared(absl::Duration time) {
  const std::unique_ptr<tests::PostgresServer> server = OrDie(tests::PostgresServer::Start());
  const std::string url = OrDie(server->CreateDatabase("uploads"));
  const store::Store store = OrDie(store::OpenStore(url, store::OpenMode::kCreate));
  OrDie(server->Execute("uploads", "CREATE TABLE peer (number bigint PRIMARY KEY, bytes bytea)"));
  OrDie(server->Execute("uploads", "ALTER TABLE peer ALTER COLUMN bytes SET STORAGE EXTERNAL"));
  for (const std::string table : kTables) {
    OrDie(server->Execute(
        "uploads", absl::StrCat("CREATE TABLE peer_", table, " (LIKE ", table, " INCLUDING ALL)")));
  }
  OrDie(server->Execute("uploads", "GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC"));
  OrDie(server->Execute("uploads", "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO PUBLIC"));
  const store::sql::Engine engine = OrDie(store::OpenEngine(url, store::OpenMode::kCreate));
  const auto insert = [&engine](int, uint64_t number) {
    const std::string bytes = NewBytes(number);
    OrDie(engine.database->Write([&](store::sql::Session& session) {
      return session.Execute("INSERT INTO peer (number, bytes) VALUES ($1, $2)",
                             {static_cast<int64_t>(number), store::sql::Bytes{bytes}});
    }));
  };
  const auto insert_rows = [&engine](int, uint64_t number) {
    const std::string bytes = NewBytes(number);
    OrDie(engine.database->Write([&](store::sql::Session& session) {
      return session.Execute(kRowsAlone, {absl::StrFormat("%064x", number),
                                          static_cast<int64_t>(number), store::sql::Bytes{bytes}});
    }));
  };
  Measure(store, {{"raw insert", insert}, {"rows alone", insert_rows}}, time);
}

}  // namespace
}  // namespace gprofhub::scale

int main(int argc, char** argv) {
  int seconds = 0;
  int sync = 0;
  if (argc < 3 || argc > 4 || !absl::SimpleAtoi(argv[2], &seconds) || seconds < 1 ||
      // A server's syncs happen in another process.
      (argc == 4 &&
       (std::string(argv[1]) == "postgres" || !absl::SimpleAtoi(argv[3], &sync) || sync < 0))) {
    std::cerr << "usage: upload_cost FOLDER SECONDS [SYNC_MS]\n"
                 "       upload_cost postgres SECONDS\n";
    return 2;
  }
  gprofhub::scale::sync_milliseconds = sync;
  const std::string where = argv[1];
  if (where == "postgres") {
    gprofhub::scale::MeasureShared(absl::Seconds(seconds));
  } else {
    gprofhub::scale::MeasureEmbedded(where, absl::Seconds(seconds));
  }
}
