#include "store/sqlite/open_sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "store/contract/suite.h"
#include "store/copy_rows.h"
#include "store/open_store.h"
#include "store/sql/schema.h"
#include "store/sqlite/blob_folder.h"
#include "store/sqlite/connection.h"
#include "store/upkeep.h"
#include "store/validation.h"

namespace gprofhub::store::sqlite {

namespace {

TEST(GroupWriter, AWriteThatRunsOutOfMemoryFailsAloneAndLetsTheNextPass) {
  ASSERT_TRUE(MakeStoreFolder(testing::TempDir()).ok());
  auto connection = Connection::Open(testing::TempDir());
  ASSERT_TRUE(connection.ok()) << connection.status();
  ASSERT_TRUE((*connection)->Script("CREATE TABLE kept (value INTEGER)").ok());
  GroupWriter writer(*std::move(connection));
  const absl::Status failed = writer.Write([](sql::Session& session) -> absl::Status {
    (void)session.Query("INSERT INTO kept VALUES (1)", {});
    throw std::bad_alloc();
  });
  EXPECT_TRUE(absl::IsResourceExhausted(failed)) << failed;
  const absl::Status passed = writer.Write([](sql::Session& session) {
    ASSIGN_OR_RETURN(const auto rows, session.Query("SELECT value FROM kept", {}));
    return rows.empty() ? absl::OkStatus() : absl::InternalError("the failed write was kept");
  });
  EXPECT_TRUE(passed.ok()) << passed;
}

TEST(GroupWriter, WhoComesWhileAGroupIsAtWorkIsCommittedWithIt) {
  ASSERT_TRUE(MakeStoreFolder(testing::TempDir()).ok());
  auto connection = Connection::Open(testing::TempDir());
  ASSERT_TRUE(connection.ok()) << connection.status();
  ASSERT_TRUE((*connection)->Script("CREATE TABLE shared (value INTEGER)").ok());
  GroupWriter writer(*std::move(connection));
  auto other = Connection::Open(testing::TempDir());
  ASSERT_TRUE(other.ok()) << other.status();
  size_t committed = 2, seen = 0;
  std::thread late;
  const absl::Status first = writer.Write([&](sql::Session& session) {
    late = std::thread([&] {
      const absl::Status second = writer.Write([&](sql::Session& same) {
        ASSIGN_OR_RETURN(const auto before, (*other)->Query("SELECT value FROM shared", {}));
        committed = before.size();
        ASSIGN_OR_RETURN(const auto rows, same.Query("SELECT value FROM shared", {}));
        seen = rows.size();
        return absl::OkStatus();
      });
      EXPECT_TRUE(second.ok()) << second;
    });
    while (writer.waiting() == 0) std::this_thread::yield();
    return session.Execute("INSERT INTO shared VALUES (1)", {});
  });
  EXPECT_TRUE(first.ok()) << first;
  late.join();
  EXPECT_EQ(seen, 1u);
  EXPECT_EQ(committed, 0u) << "the first was committed alone";
}

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A directory that is deleted at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(testing::TempDir() + "/store.XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs a statement outside of the store. Foreign keys are not checked.
void Tamper(const std::string& directory, const std::string& statement) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((directory + "/gprofhub.db").c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
}

class SqliteHome final : public StoreHome {
 public:
  absl::StatusOr<sql::Engine> Open() override { return OpenSqlite(directory_.path()); }
  std::string location() const override { return "sqlite:" + directory_.path(); }
  void DamageRows(const std::string& statement) override { Tamper(directory_.path(), statement); }

 private:
  TemporaryDirectory directory_;
};

std::unique_ptr<StoreHome> NewSqliteHome() { return std::make_unique<SqliteHome>(); }

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContractTest, testing::Values(&NewSqliteHome));

// A blob that is a file.
std::string Large(const std::string& begin) {
  return begin + std::string(kMostSmallBytes + 1 - begin.size(), '.');
}

NewExecution ExecutionWith(const std::string& gmon, const std::string& symbols = "symbols") {
  NewExecution execution;
  execution.run.project = "sqlite";
  execution.run.run_key = "run";
  execution.run.commit = "1111111";
  execution.execution.target = "//db:query_test";
  execution.profiles = {{"gmon.1", "b1d1", NameBlob(gmon)}};
  execution.images = {{"b1d1", NameBlob(symbols)}};
  execution.blobs = {{NameBlob(gmon), gmon}, {NameBlob(symbols), symbols}};
  return execution;
}

std::string BlobPath(const std::string& directory, const std::string& bytes) {
  const BlobName name = NameBlob(bytes);
  return absl::StrCat(directory, "/blobs/", name.substr(0, 2), "/", name.substr(2));
}

int FilesBelow(const std::string& directory) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) ++files;
  }
  return files;
}

// Stands for a full disk, which needs no privilege: no file may grow beyond
// `bytes` while this lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    former_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &former_);
    const rlimit limit = {bytes, former_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &former_);
    std::signal(SIGXFSZ, former_handler_);
  }

 private:
  rlimit former_ = {};
  void (*former_handler_)(int);
};

TEST(SqliteStoreTest, ADirectoryMayBeRelativeAndHaveNoParentYet) {
  const std::filesystem::path back = std::filesystem::current_path();
  const std::string home = absl::StrCat(testing::TempDir(), "/relative");
  std::filesystem::create_directories(home);
  std::filesystem::current_path(home);
  for (const char* directory : {"data", "data/", "./other", "new/data"}) {
    EXPECT_TRUE(OpenSqlite(directory, OpenMode::kCreate).ok()) << directory;
  }
  EXPECT_TRUE(std::filesystem::exists(absl::StrCat(home, "/new/data/gprofhub.db")));
  std::filesystem::current_path(back);
}

TEST(SqliteStoreTest, ADiskThatFillsUpWithABlobKeepsNothing) {
  const TemporaryDirectory directory;
  const Store store(*OpenSqlite(directory.path()));
  const NewExecution execution = ExecutionWith(std::string(1 << 20, 'x'));
  {
    const FileSizeLimit limit(512 << 10);
    const absl::Status status = store.ingest.RecordExecution(execution, absl::UnixEpoch()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(directory.path()));
    EXPECT_THAT(std::string(status.message()), HasSubstr("free or add space"));
  }
  EXPECT_EQ(FilesBelow(directory.path() + "/blobs"), 0);
  EXPECT_EQ(store.blobs.FindMissing("sqlite", {execution.blobs[1].name})->size(), 1u);
  EXPECT_TRUE(store.ingest.RecordExecution(execution, absl::UnixEpoch()).ok());
}

TEST(SqliteStoreTest, ManyBlobsOfOneUploadAreKept) {
  const TemporaryDirectory directory;
  NewExecution execution = ExecutionWith("the first");
  for (int i = 0; i < 500; ++i) {
    std::string bytes = absl::StrCat("profile ", i);
    if (i % 25 == 0) bytes = Large(bytes);
    execution.profiles.push_back({absl::StrCat("gmon.more.", i), "b1d1", NameBlob(bytes)});
    execution.blobs.push_back({NameBlob(bytes), bytes});
  }
  {
    const Store store(*OpenSqlite(directory.path()));
    EXPECT_TRUE(store.ingest.RecordExecution(execution, absl::UnixEpoch()).ok());
  }
  const Store store(*OpenSqlite(directory.path()));
  for (const Blob& blob : execution.blobs) EXPECT_EQ(*store.blobs.Read(blob.name), blob.bytes);
  EXPECT_EQ(FilesBelow(directory.path() + "/blobs"), 20);
}

TEST(SqliteStoreTest, ASmallBlobIsARowAndALargeOneAFile) {
  const TemporaryDirectory directory;
  const Store store(*OpenSqlite(directory.path()));
  const std::string just_small(kMostSmallBytes, 'x');
  ASSERT_TRUE(store.ingest.RecordExecution(ExecutionWith(just_small), absl::UnixEpoch()).ok());
  EXPECT_EQ(FilesBelow(directory.path() + "/blobs"), 0);
  EXPECT_EQ(*store.blobs.Read(NameBlob(just_small)), just_small);
  NewExecution large = ExecutionWith(Large("gmon"));
  large.execution.shard = 2;
  ASSERT_TRUE(store.ingest.RecordExecution(large, absl::UnixEpoch()).ok());
  EXPECT_EQ(FilesBelow(directory.path() + "/blobs"), 1);
  EXPECT_EQ(*store.blobs.Read(NameBlob(Large("gmon"))), Large("gmon"));
}

TEST(SqliteStoreTest, ASmallBlobThatIsDamagedIsDataLoss) {
  const TemporaryDirectory directory;
  const Store store(*OpenSqlite(directory.path()));
  ASSERT_TRUE(store.ingest.RecordExecution(ExecutionWith("gmon"), absl::UnixEpoch()).ok());
  Tamper(directory.path(), "UPDATE small_blob SET bytes = x'00'");
  EXPECT_EQ(store.blobs.Read(NameBlob("gmon")).status().code(), absl::StatusCode::kDataLoss);
  Tamper(directory.path(), "DELETE FROM small_blob");
  EXPECT_EQ(store.blobs.Read(NameBlob("gmon")).status().code(), absl::StatusCode::kDataLoss);
}

TEST(SqliteStoreTest, ADiskThatFillsUpWithRowsKeepsNothing) {
  const TemporaryDirectory directory;
  const Store store(*OpenSqlite(directory.path()));
  NewExecution execution = ExecutionWith("small");
  for (int i = 0; i < 5000; ++i) {
    execution.profiles.push_back({absl::StrCat("process ", i), "b1d1", execution.profiles[0].data});
  }
  {
    const FileSizeLimit limit(256 << 10);
    const absl::Status status = store.ingest.RecordExecution(execution, absl::UnixEpoch()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(directory.path()));
  }
  RunFilter filter;
  filter.project = "sqlite";
  EXPECT_TRUE(store.reading.ListRuns(filter)->empty());
  EXPECT_EQ(store.blobs.FindMissing("sqlite", {execution.blobs[0].name})->size(), 1u);
  EXPECT_FALSE(store.ingest.RecordExecution(execution, absl::UnixEpoch())->already_present);
}

TEST(SqliteStoreTest, ADamagedBlobFileIsDataLoss) {
  const TemporaryDirectory directory;
  const Store store(*OpenSqlite(directory.path()));
  const std::string gmon = Large("gmon");
  ASSERT_TRUE(store.ingest.RecordExecution(ExecutionWith(gmon), absl::UnixEpoch()).ok());
  std::ofstream(BlobPath(directory.path(), gmon)) << "gm0n";
  EXPECT_EQ(store.blobs.Read(NameBlob(gmon)).status().code(), absl::StatusCode::kDataLoss);
  std::filesystem::remove(BlobPath(directory.path(), gmon));
  EXPECT_EQ(store.blobs.Read(NameBlob(gmon)).status().code(), absl::StatusCode::kDataLoss);
}

TEST(SqliteStoreTest, AFileThatNoRowNamesIsNotABlob) {
  const TemporaryDirectory directory;
  const Store store(*OpenSqlite(directory.path()));
  const std::string gmon = Large("gmon");
  const std::string path = BlobPath(directory.path(), gmon);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << "gm";
  EXPECT_EQ(store.blobs.Read(NameBlob(gmon)).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store.blobs.FindMissing("sqlite", {NameBlob(gmon)})->size(), 1u);
  ASSERT_TRUE(store.ingest.RecordExecution(ExecutionWith(gmon), absl::UnixEpoch()).ok());
  EXPECT_EQ(*store.blobs.Read(NameBlob(gmon)), gmon);
}

TEST(SqliteStoreTest, FilesOfAnotherOpenStoreStay) {
  const TemporaryDirectory directory;
  const Store store(*OpenSqlite(directory.path()));
  const std::string leftover = directory.path() + "/blobs/incoming/" + NameBlob("x") + ".0";
  std::ofstream(leftover) << "half";
  const Store second(*OpenSqlite(directory.path()));
  EXPECT_TRUE(std::filesystem::exists(leftover)) << "it may be the first store's";
}

TEST(SqliteStoreTest, AnInspectionFindsDamagedAndMissingFilesAndOrphans) {
  const TemporaryDirectory directory;
  const std::string gmon = Large("gmon"), symbols = Large("symbols");
  const sql::Engine engine = *OpenSqlite(directory.path());
  const Store store(engine);
  const Upkeep upkeep(engine);
  ASSERT_TRUE(store.ingest.RecordExecution(ExecutionWith(gmon, symbols), absl::UnixEpoch()).ok());
  const std::string orphan = BlobPath(directory.path(), "nobody's");
  std::filesystem::create_directories(std::filesystem::path(orphan).parent_path());
  std::ofstream(orphan) << "nobody's";
  std::ofstream(directory.path() + "/blobs/incoming/" + NameBlob("x") + ".0") << "half";
  std::ofstream(directory.path() + "/blobs/notes.txt") << "not ours";
  {
    std::fstream file(BlobPath(directory.path(), gmon));
    file.seekp(2);
    file << '0';  // a byte of the same size
  }
  std::filesystem::remove(BlobPath(directory.path(), symbols));
  std::vector<std::string> found;
  InspectionOptions options;
  options.now = absl::Now() + absl::Hours(2);
  options.on_finding = [&](const InspectionFinding& finding) {
    found.push_back(absl::StrCat(finding.is_damage ? "damage " : "note ", finding.kind));
  };
  const auto summary = upkeep.inspection.Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->damages, 2u);
  EXPECT_THAT(found, testing::UnorderedElementsAre("damage blob.damaged", "damage blob.missing",
                                                   "note file.orphan", "note file.left",
                                                   "note file.unknown"));

  // The collection removes old files, and keeps foreign ones.
  CollectOptions collect;
  collect.now = [] { return absl::Now(); };
  EXPECT_EQ(upkeep.garbage.Collect(collect, {})->files, 0u) << "an upload's, it may be";
  collect.now = [] { return absl::Now() + absl::Hours(25); };
  collect.dry_run = true;
  EXPECT_EQ(upkeep.garbage.Collect(collect, {})->files, 2u);
  collect.dry_run = false;
  const auto collected = upkeep.garbage.Collect(collect, {});
  ASSERT_TRUE(collected.ok()) << collected.status();
  EXPECT_EQ(collected->files, 2u);
  EXPECT_EQ(collected->file_bytes, 8u + 4u);
  EXPECT_FALSE(std::filesystem::exists(orphan));
  EXPECT_TRUE(std::filesystem::exists(directory.path() + "/blobs/notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(BlobPath(directory.path(), gmon)));
}

TEST(SqliteStoreTest, AFileThatWentBeforeItsRowCameIsPutBack) {
  const TemporaryDirectory directory;
  const sql::Engine engine = *OpenSqlite(directory.path());
  const Blob blob = {NameBlob(Large("bytes")), Large("bytes")};
  const Blob* const one = &blob;
  ASSERT_TRUE(engine.blob_bytes->Stage({&one, 1}).ok());
  // The collection of another process finds no row.
  const auto removed = engine.blob_bytes->RemoveUnnamed({&blob.name, 1}, absl::InfiniteFuture());
  ASSERT_EQ(removed->count, 1u);
  ASSERT_TRUE(
      engine.database->Write([&](sql::Session& session) { return session.AddBlob(blob); }).ok());
  EXPECT_EQ(*engine.blob_bytes->Read(blob.name), blob.bytes);
  EXPECT_EQ(engine.blob_bytes->RemoveUnnamed({&blob.name, 1}, absl::InfiniteFuture())->count, 0u);
}

// The root page of a table or an index, counted from 1; 0: not found.
long RootPageOf(const std::string& directory, const std::string& name) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open((directory + "/gprofhub.db").c_str(), &database), SQLITE_OK);
  long page = 0;
  const std::string query = "SELECT rootpage FROM sqlite_master WHERE name = '" + name + "'";
  EXPECT_EQ(sqlite3_exec(
                database, query.c_str(),
                [](void* to, int, char** values, char**) {
                  *static_cast<long*>(to) = std::stol(values[0]);
                  return 0;
                },
                &page, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  return page;
}

TEST(SqliteStoreTest, AnInspectionFindsADamagedDatabase) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(Store(*OpenSqlite(directory.path()))
                  .ingest.RecordExecution(ExecutionWith("gmon"), absl::UnixEpoch())
                  .ok());
  {
    // Opening the store does not read this index.
    const long page = RootPageOf(directory.path(), "kept_changes_by_branch");
    ASSERT_GT(page, 0);
    std::fstream file(directory.path() + "/gprofhub.db");
    file.seekp((page - 1) * 4096);
    file << std::string(64, '#');
  }
  const Upkeep upkeep(*OpenSqlite(directory.path()));
  std::vector<std::string> found;
  InspectionOptions options;
  options.now = absl::Now();
  options.on_finding = [&](const InspectionFinding& finding) { found.push_back(finding.kind); };
  const auto summary = upkeep.inspection.Run(options);
  EXPECT_TRUE(summary.ok()) << summary.status();
  EXPECT_THAT(found, testing::Contains("database.damaged"));
}

TEST(SqliteStoreTest, LeftoversOfAnEarlierProcessGo) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(OpenSqlite(directory.path()).ok());
  const std::string leftover = directory.path() + "/blobs/incoming/" + NameBlob("x") + ".0";
  std::ofstream(leftover) << "half";
  const Store store(*OpenSqlite(directory.path()));
  EXPECT_FALSE(std::filesystem::exists(leftover));
}

TEST(SqliteStoreTest, ADatabaseThatWasTakenAwayIsMissed) {
  const TemporaryDirectory directory;
  const Store store(*OpenSqlite(directory.path()));
  EXPECT_TRUE(store.condition.Check().ok());
  EXPECT_EQ(store.condition.folder(), directory.path());
  const std::string file = directory.path() + "/gprofhub.db";
  std::filesystem::rename(file, file + ".away");
  const absl::Status gone = store.condition.Check();
  EXPECT_TRUE(absl::IsUnavailable(gone)) << gone;
  EXPECT_THAT(std::string(gone.message()), HasSubstr("is missing or was replaced"));
  std::ofstream(file) << "another";
  EXPECT_FALSE(store.condition.Check().ok());
  std::filesystem::rename(file + ".away", file);
  EXPECT_TRUE(store.condition.Check().ok());
}

TEST(SqliteStoreTest, TheAuditLogIsAppendOnly) {
  const TemporaryDirectory directory;
  const Store store(*OpenSqlite(directory.path()));
  ASSERT_TRUE(store.audit.Add({AuditRecord()}).ok());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((directory.path() + "/gprofhub.db").c_str(), &database), SQLITE_OK);
  for (const char* change : {"DELETE FROM audit", "UPDATE audit SET actor = 'nobody'"}) {
    EXPECT_EQ(sqlite3_exec(database, change, nullptr, nullptr, nullptr), SQLITE_CONSTRAINT)
        << change;
  }
  sqlite3_close(database);
  EXPECT_EQ(store.audit.List({})->size(), 1u);
}

TEST(SqliteStoreTest, OnlyTheOwnerMayReadAStore) {
  const TemporaryDirectory directory;
  const std::string place = directory.path() + "/parent/store";
  const std::string restored = directory.path() + "/parent/restored";
  const std::string backup = directory.path() + "/parent/backup";
  const mode_t before = umask(0);
  const Store store(*OpenSqlite(place));
  EXPECT_TRUE(store.ingest.RecordExecution(ExecutionWith(Large("gmon")), absl::UnixEpoch()).ok());
  BackupOptions options;
  options.now = [] { return absl::UnixEpoch(); };
  EXPECT_TRUE(MakeBackup("sqlite:" + place, backup, options).ok());
  EXPECT_TRUE(RestoreBackup(backup, "sqlite:" + restored, options).ok());
  umask(before);
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(directory.path() + "/parent")) {
    EXPECT_EQ(entry.status().permissions() & std::filesystem::perms(077),
              std::filesystem::perms::none)
        << entry.path();
  }
}

TEST(SqliteStoreTest, ATamperedSchemaIsDataLoss) {
  for (const auto& [statement, named] : std::vector<std::pair<std::string, std::string>>{
           {"CREATE TRIGGER obey AFTER INSERT ON token BEGIN UPDATE token SET scopes = 'admin'; "
            "END",
            "trigger \"obey\" of token is not part of"},
           {"CREATE VIEW lies AS SELECT 1", "view \"lies\" of lies is not part of"},
           {"CREATE TABLE more (value INTEGER)", "table \"more\" of more is not part of"},
           {"CREATE INDEX slow ON run (commit_hash)", "index \"slow\" of run is not part of"},
           {"DROP TRIGGER audit_keeps_rows",
            "trigger \"audit_keeps_rows\" of audit is missing or differs from"},
           {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', "
            "'') "
            "WHERE name = 'token'",
            "table \"token\""}}) {
    const TemporaryDirectory directory;
    ASSERT_TRUE(OpenSqlite(directory.path()).ok());
    Tamper(directory.path(), statement);
    for (const OpenMode mode : {OpenMode::kServe, OpenMode::kExisting}) {
      const absl::Status refused = OpenSqlite(directory.path(), mode).status();
      EXPECT_TRUE(absl::IsDataLoss(refused)) << statement << ": " << refused;
      EXPECT_THAT(std::string(refused.message()), HasSubstr(named));
    }
  }
}

TEST(SqliteStoreTest, AnotherProgramsDatabaseIsLeftAlone) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() + "/gprofhub.db") << "";
  Tamper(directory.path(), "CREATE TABLE theirs (value INTEGER)");
  EXPECT_TRUE(absl::IsDataLoss(OpenSqlite(directory.path()).status()));
  EXPECT_TRUE(absl::IsNotFound(OpenSqlite(directory.path(), OpenMode::kExisting).status()));
  Tamper(directory.path(), "CREATE TABLE token (value INTEGER)");
}

TEST(SqliteStoreTest, HasOneServer) {
  const TemporaryDirectory directory;
  std::optional<sql::Engine> served = *OpenSqlite(directory.path(), OpenMode::kServe);
  const absl::Status refused = OpenSqlite(directory.path() + "/.", OpenMode::kServe).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("another `gprofhub serve`"));
  EXPECT_TRUE(OpenSqlite(directory.path(), OpenMode::kExisting).ok());
  served.reset();
  EXPECT_TRUE(OpenSqlite(directory.path(), OpenMode::kServe).ok());
}

TEST(SqliteStoreTest, AnEmptyFileIsNotAStore) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() + "/gprofhub.db") << "";
  const absl::Status refused = OpenSqlite(directory.path(), OpenMode::kExisting).status();
  EXPECT_TRUE(absl::IsNotFound(refused)) << refused;
  EXPECT_EQ(FilesBelow(directory.path()), 1);
}

TEST(SqliteStoreTest, ADatabaseOfAnotherSchemaVersionIsRefused) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(OpenSqlite(directory.path()).ok());
  for (const int64_t version : {kSchemaVersion + 1, int64_t{-1}}) {
    Tamper(directory.path(), absl::StrCat("PRAGMA user_version = ", version));
    const absl::Status refused = OpenSqlite(directory.path()).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
    EXPECT_THAT(std::string(refused.message()),
                StartsWith(absl::StrCat(directory.path(), ": cannot open the database")));
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr(absl::StrCat("schema version ", version)));
  }
  Tamper(directory.path(), absl::StrCat("PRAGMA user_version = ", kSchemaVersion));
  EXPECT_TRUE(OpenSqlite(directory.path()).ok());
}

TEST(SqliteStoreTest, AFileThatIsNoDatabaseIsDataLoss) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() + "/gprofhub.db") << std::string(4096, '#');
  EXPECT_EQ(OpenSqlite(directory.path()).status().code(), absl::StatusCode::kDataLoss);
}

TEST(SqliteStoreTest, ADirectoryThatCannotBeMadeSaysWhich) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() + "/file") << "";
  const absl::Status status = OpenSqlite(directory.path() + "/file/data").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/file/data"));
}

}  // namespace

}  // namespace gprofhub::store::sqlite
