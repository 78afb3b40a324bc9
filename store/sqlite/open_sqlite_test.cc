#include "store/sqlite/open_sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "store/blob_name.h"
#include "store/contract/suite.h"
#include "store/store.h"
#include "store/upkeep/upkeep.h"

namespace gprofhub::store::sqlite {
namespace {

using ::testing::HasSubstr;

// A directory that goes at the end.
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

class SqliteHome final : public StoreHome {
 public:
  absl::StatusOr<sql::Engine> Open() override { return OpenSqlite(directory_.path()); }
  std::string location() const override { return "sqlite:" + directory_.path(); }
  void DamageRows(const std::string& statement) override {
    sqlite3* database = nullptr;  // foreign keys are not checked unless asked for
    EXPECT_EQ(sqlite3_open((directory_.path() + "/gprofhub.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }

 private:
  TemporaryDirectory directory_;
};

std::unique_ptr<StoreHome> NewSqliteHome() { return std::make_unique<SqliteHome>(); }

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContractTest, testing::Values(&NewSqliteHome));

const Opening kMigrate = {true, {"operator", "host", 0}, absl::UnixEpoch()};

// Makes a database of version 12 one of version 9.
constexpr char kUndo10To12[] =
    "DROP INDEX job_pending; DROP INDEX job_pending_of_project; DROP INDEX job_leased; "
    "DROP INDEX report_job_of_project; DROP INDEX report_job_leased; "
    "ALTER TABLE job DROP COLUMN project; ALTER TABLE job DROP COLUMN turn; "
    "ALTER TABLE report_job DROP COLUMN project; ALTER TABLE report_job DROP COLUMN claimed_us; "
    "ALTER TABLE report_job DROP COLUMN lost_leases; "
    "CREATE INDEX job_queue ON job (queued_us, id) WHERE state IN ('pending', 'leased'); "
    "DROP TABLE property; DROP TABLE retention; DROP INDEX image_by_bundle; "
    "DROP INDEX profile_by_gmon; DROP INDEX blob_right_by_name; DROP INDEX gated_by_run; "
    "DROP INDEX run_by_base; DROP INDEX job_failed; DROP INDEX report_job_failed; "
    "DROP INDEX blob_unused; DROP INDEX run_with_raw; DROP INDEX execution_by_source; "
    "ALTER TABLE blob DROP COLUMN unused_since_us; ALTER TABLE run DROP COLUMN raw_removed; "
    "ALTER TABLE execution DROP COLUMN profiles_removed; "
    "ALTER TABLE execution DROP COLUMN profiles_from; "
    "DROP INDEX notification_failed; "
    "ALTER TABLE job DROP COLUMN request; ALTER TABLE report_job DROP COLUMN request; "
    "ALTER TABLE notification DROP COLUMN request; ";

// Makes a database of version 9 one of version 8.
constexpr char kUndo9[] =
    "DROP TABLE audit; DROP TABLE blob_right; ALTER TABLE run DROP COLUMN sender; "
    "ALTER TABLE acknowledgement DROP COLUMN token_id; "
    "ALTER TABLE acknowledgement DROP COLUMN taken_back_us; "
    "ALTER TABLE acknowledgement DROP COLUMN taken_back_by; "
    "ALTER TABLE token DROP COLUMN scopes; ALTER TABLE token DROP COLUMN expires_us; "
    "ALTER TABLE token DROP COLUMN last_used_us; ALTER TABLE token DROP COLUMN replaced_by; ";

// Makes a database of version 8 one of version 4.
constexpr char kUndo5To8[] =
    "DROP TABLE rerun_request; DROP TABLE culprit; "
    "DROP INDEX report_job_queue_by_kind; DROP TABLE notification; "
    "ALTER TABLE report_job DROP COLUMN of_branch; "
    "DROP INDEX execution_by_binary; DROP INDEX target_by_profile; DROP INDEX run_by_arrival; "
    "DROP INDEX run_by_rerun; ALTER TABLE run DROP COLUMN rerun; ";

NewExecution ExecutionWith(const std::string& gmon) {
  NewExecution execution;
  execution.run.project = "sqlite";
  execution.run.run_key = "run";
  execution.run.commit = "1111111";
  execution.execution.target = "//db:query_test";
  execution.profiles = {{"gmon.1", "b1d1", NameBlob(gmon)}};
  execution.images = {{"b1d1", NameBlob("symbols")}};
  execution.blobs = {{NameBlob(gmon), gmon}, {NameBlob("symbols"), "symbols"}};
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
    const std::string bytes = absl::StrCat("profile ", i);
    execution.profiles.push_back({absl::StrCat("gmon.more.", i), "b1d1", NameBlob(bytes)});
    execution.blobs.push_back({NameBlob(bytes), bytes});
  }
  {
    const Store store(*OpenSqlite(directory.path()));
    EXPECT_TRUE(store.ingest.RecordExecution(execution, absl::UnixEpoch()).ok());
  }
  const Store store(*OpenSqlite(directory.path()));
  for (const Blob& blob : execution.blobs) EXPECT_EQ(*store.blobs.Read(blob.name), blob.bytes);
  EXPECT_EQ(FilesBelow(directory.path() + "/blobs"), 502);
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
  ASSERT_TRUE(store.ingest.RecordExecution(ExecutionWith("gmon"), absl::UnixEpoch()).ok());
  std::ofstream(BlobPath(directory.path(), "gmon")) << "gm0n";
  EXPECT_EQ(store.blobs.Read(NameBlob("gmon")).status().code(), absl::StatusCode::kDataLoss);
  std::filesystem::remove(BlobPath(directory.path(), "gmon"));
  EXPECT_EQ(store.blobs.Read(NameBlob("gmon")).status().code(), absl::StatusCode::kDataLoss);
}

TEST(SqliteStoreTest, AFileThatNoRowNamesIsNotABlob) {
  const TemporaryDirectory directory;
  const Store store(*OpenSqlite(directory.path()));
  const std::string path = BlobPath(directory.path(), "gmon");
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << "gm";
  EXPECT_EQ(store.blobs.Read(NameBlob("gmon")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store.blobs.FindMissing("sqlite", {NameBlob("gmon")})->size(), 1u);
  ASSERT_TRUE(store.ingest.RecordExecution(ExecutionWith("gmon"), absl::UnixEpoch()).ok());
  EXPECT_EQ(*store.blobs.Read(NameBlob("gmon")), "gmon");
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
  const sql::Engine engine = *OpenSqlite(directory.path());
  const Store store(engine);
  const Upkeep upkeep(engine);
  ASSERT_TRUE(store.ingest.RecordExecution(ExecutionWith("gmon"), absl::UnixEpoch()).ok());
  const std::string orphan = BlobPath(directory.path(), "nobody's");
  std::filesystem::create_directories(std::filesystem::path(orphan).parent_path());
  std::ofstream(orphan) << "nobody's";
  std::ofstream(directory.path() + "/blobs/incoming/" + NameBlob("x") + ".0") << "half";
  std::ofstream(directory.path() + "/blobs/notes.txt") << "not ours";
  {
    std::fstream file(BlobPath(directory.path(), "gmon"));
    file.seekp(2);
    file << '0';  // a byte of the same size
  }
  std::filesystem::remove(BlobPath(directory.path(), "symbols"));
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

  // The collection takes what is old, and leaves what is not ours.
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
  EXPECT_TRUE(std::filesystem::exists(BlobPath(directory.path(), "gmon")));
}

TEST(SqliteStoreTest, AFileThatWentBeforeItsRowCameIsPutBack) {
  const TemporaryDirectory directory;
  const sql::Engine engine = *OpenSqlite(directory.path());
  const Blob blob = {NameBlob("bytes"), "bytes"};
  const Blob* const one = &blob;
  ASSERT_TRUE(engine.blob_bytes->Stage({&one, 1}).ok());
  // Somebody else's collection finds no row.
  const auto removed = engine.blob_bytes->RemoveUnnamed({&blob.name, 1}, absl::InfiniteFuture());
  ASSERT_EQ(removed->count, 1u);
  ASSERT_TRUE(
      engine.database->Write([&](sql::Session& session) { return session.AddBlob(blob); }).ok());
  EXPECT_EQ(*engine.blob_bytes->Read(blob.name), "bytes");
  EXPECT_EQ(engine.blob_bytes->RemoveUnnamed({&blob.name, 1}, absl::InfiniteFuture())->count, 0u);
}

TEST(SqliteStoreTest, AnInspectionFindsADamagedDatabase) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(Store(*OpenSqlite(directory.path()))
                  .ingest.RecordExecution(ExecutionWith("gmon"), absl::UnixEpoch())
                  .ok());
  {
    // Behind the first pages, which have the schema, there is a table or an index on every page.
    std::fstream file(directory.path() + "/gprofhub.db");
    file.seekp(0, std::ios::end);
    const auto size = static_cast<long>(file.tellp());
    file.seekp(size - 4096 * 4);
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
  EXPECT_THAT(std::string(gone.message()), HasSubstr("has gone"));
  std::ofstream(file) << "another";
  EXPECT_FALSE(store.condition.Check().ok());
  std::filesystem::rename(file + ".away", file);
  EXPECT_TRUE(store.condition.Check().ok());
}

TEST(SqliteStoreTest, ADatabaseOfANewerProgramIsRefused) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(OpenSqlite(directory.path()).ok());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((directory.path() + "/gprofhub.db").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database,
                         "PRAGMA user_version = 999; UPDATE property SET value = 999 "
                         "WHERE name = 'min_compatible_version'",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const absl::Status status = OpenSqlite(directory.path()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("version 999"));
}

TEST(SqliteStoreTest, RunsOfADatabaseFromBeforeSampledProfilesAreCounted) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(Store(*OpenSqlite(directory.path()))
                  .ingest.RecordExecution(ExecutionWith("gmon"), absl::UnixEpoch())
                  .ok());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((directory.path() + "/gprofhub.db").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(database,
                   absl::StrCat(kUndo10To12, kUndo9, kUndo5To8,
                                "ALTER TABLE run DROP COLUMN profile_kind; PRAGMA user_version = 3")
                       .c_str(),
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(database);
  const Store store(*OpenSqlite(directory.path(), kMigrate));
  EXPECT_EQ(store.reading.ReadRun(1)->profile_kind, ProfileKind::kCounted);
}

TEST(SqliteStoreTest, ADatabaseFromBeforeScopesGivesBlobsToTheirProjectsAndTokensWhatCiNeeds) {
  const TemporaryDirectory directory;
  NewExecution execution = ExecutionWith("gmon");
  execution.run.committed = absl::FromUnixSeconds(253'000'000'000);  // about the year 9987
  {
    const Store store(*OpenSqlite(directory.path()));
    ASSERT_TRUE(store.ingest.RecordExecution(execution, absl::UnixEpoch()).ok());
    TokenRecord token;
    token.project = "sqlite";
    token.token_sha256 = "hash";
    token.scopes = "admin";
    ASSERT_TRUE(store.tokens.Create(token, {}).ok());
  }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((directory.path() + "/gprofhub.db").c_str(), &database), SQLITE_OK);
  char* error = nullptr;
  ASSERT_EQ(sqlite3_exec(database,
                         absl::StrCat("UPDATE run SET ordered_us = committed_us; ", kUndo10To12,
                                      kUndo9, "PRAGMA user_version = 8")
                             .c_str(),
                         nullptr, nullptr, &error),
            SQLITE_OK)
      << error;
  sqlite3_close(database);
  const Store store(*OpenSqlite(directory.path(), kMigrate));
  const std::vector<BlobName> names = {NameBlob("gmon"), NameBlob("symbols")};
  EXPECT_TRUE(store.blobs.FindMissing("sqlite", names)->empty());
  EXPECT_EQ(*store.blobs.FindMissing("other", names), names);
  EXPECT_EQ(store.tokens.Find("hash")->scopes, "upload,upload-main,read");
  EXPECT_EQ(store.tokens.Find("hash")->expires, absl::InfiniteFuture());
  const absl::StatusOr<RunRecord> run = store.reading.ReadRun(1);
  EXPECT_EQ(run->committed, execution.run.committed) << "the claim stays, for display";
  EXPECT_EQ(run->ordered, absl::UnixEpoch() + kClockSkew);
}

TEST(SqliteStoreTest, ProfilesOfADatabaseFromBeforeTheyWereLookedUpAreFound) {
  const TemporaryDirectory directory;
  NewExecution execution = ExecutionWith("gmon");
  execution.execution.status = "PASSED";
  execution.execution.test_binary_digest = "build-id:0a";
  ASSERT_TRUE(Store(*OpenSqlite(directory.path()))
                  .ingest.RecordExecution(execution, absl::UnixEpoch())
                  .ok());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((directory.path() + "/gprofhub.db").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(database,
                   absl::StrCat(kUndo10To12, kUndo9, kUndo5To8, "PRAGMA user_version = 4").c_str(),
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(database);
  const Store store(*OpenSqlite(directory.path(), kMigrate));
  execution.run.run_key = "again";
  execution.execution.cached = true;
  execution.profiles.clear();
  execution.images.clear();
  execution.blobs.clear();
  const auto recorded = store.ingest.RecordExecution(execution, absl::UnixEpoch());
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  EXPECT_EQ(recorded->profiles, 1u);
}

TEST(SqliteStoreTest, OpeningAnOlderStoreChangesItOnlyIfAsked) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(OpenSqlite(directory.path()).ok());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((directory.path() + "/gprofhub.db").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, absl::StrCat(kUndo10To12, "PRAGMA user_version = 9").c_str(),
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  for (int i = 0; i < 2; ++i) {
    const absl::Status refused = OpenSqlite(directory.path()).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("schema version 9"));
    EXPECT_THAT(std::string(refused.message()), HasSubstr("gprofhub admin migrate"));
  }
  const Store store(*OpenSqlite(directory.path(), kMigrate));
  const auto audit = store.audit.List({});
  ASSERT_TRUE(audit.ok() && audit->size() == 1) << audit.status();
  EXPECT_EQ(audit->front().action, "store.migrate");
  EXPECT_EQ(audit->front().actor, "operator");
  EXPECT_EQ(audit->front().detail, "from version 9");
  sqlite3_close(database);
  EXPECT_TRUE(OpenSqlite(directory.path()).ok());
}

TEST(SqliteStoreTest, ANewerStoreOnWhichThisProgramWorksIsUsed) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(OpenSqlite(directory.path()).ok());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((directory.path() + "/gprofhub.db").c_str(), &database), SQLITE_OK);
  // As the next release leaves it, whose step only adds something.
  ASSERT_EQ(sqlite3_exec(database, "PRAGMA user_version = 999; CREATE TABLE addition (id INTEGER)",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  {
    const Store store(*OpenSqlite(directory.path()));
    EXPECT_TRUE(store.ingest.RecordExecution(ExecutionWith("gmon"), absl::UnixEpoch()).ok());
  }
  ASSERT_EQ(sqlite3_exec(database,
                         "UPDATE property SET value = 999 WHERE name = 'min_compatible_version'",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const absl::Status status = OpenSqlite(directory.path(), kMigrate).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("version 999 is the oldest"));
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
