#include "cli/testing/parser_runs.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "analyzer/worker/target_images.h"
#include "analyzer/worker/worker.h"
#include "base/file.h"
#include "cli/command/command_line.h"
#include "cli/commands.h"
#include "cli/order/command.h"
#include "collector/method.h"
#include "collector/upload_session.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/elf/read_image.h"
#include "server/grpc_server.h"
#include "server/queries/query_methods.h"
#include "store/testing/temp_store.h"

namespace gprofhub::cli {

CommandResult RunCommandLine(absl::Span<const AddCommand> commands,
                             const std::vector<std::string>& words) {
  CLI::App app("gprofhub");
  PrepareApp(app);
  CommandMain run;
  for (const AddCommand add : commands) add(app, run);
  CommandResult result;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  result.exit_code = ParseAndRun(app, run, words);
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  return result;
}

std::filesystem::path EmptyTestFolder() {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

std::string ReadTestFile(const std::string& path) {
  const absl::StatusOr<std::string> bytes = base::ReadFile(path);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

std::unique_ptr<CommandServer> CommandServer::Start(const std::filesystem::path& folder) {
  // Keeps the server's log out of the command's output.
  spdlog::set_level(spdlog::level::off);
  absl::StatusOr<store::Store> store =
      store::OpenStore("sqlite:" + folder.string(), store::OpenMode::kCreate);
  EXPECT_TRUE(store.ok()) << store.status();
  if (!store.ok()) return nullptr;
  std::unique_ptr<CommandServer> started(new CommandServer(*std::move(store)));
  std::vector<collector::Method> methods = started->collector_.Methods();
  const store::Store& own = started->store_;
  auto queries = server::QueryMethods(
      own.reading, own.blobs, started->decoding_, own.gate,
      [read = started->read_source_](
          const std::string& project, const std::string& commit,
          const std::string& path) -> absl::StatusOr<server::SourceText> {
        if (*read == nullptr) return absl::NotFoundError("no source here");
        return (*read)(project, commit, path);
      },
      "https://pages.example/p/{project}/compare/{run}");
  EXPECT_TRUE(queries.ok()) << queries.status();
  if (!queries.ok()) return nullptr;
  for (collector::Method& method : *queries) methods.push_back(std::move(method));
  server::GrpcServer::Options options;
  options.calls.roles = "collector, query";
  auto server = server::GrpcServer::Start({"127.0.0.1", 0}, std::move(methods),
                                          collector::AccessOf(started->authorizer_), options);
  EXPECT_TRUE(server.ok()) << server.status();
  if (!server.ok()) return nullptr;
  started->server_ = *std::move(server);
  return started;
}

CommandServer::CommandServer(store::Store store)
    : store_(std::move(store)),
      authorizer_(store_.tokens, store_.audit),
      collector_(store_.blobs, store_.ingest, store_.reading, ServiceOptions()) {}

collector::CollectorService::Options CommandServer::ServiceOptions() {
  collector::CollectorService::Options options;
  options.on_recorded = [this] {
    if (analyses_on_arrival_) RunWorker();
  };
  return options;
}

std::vector<std::string> CommandServer::Asked(std::vector<std::string> words) const {
  words.push_back("--server");
  words.push_back(server_->address().ToString());
  return words;
}

void CommandServer::RunWorker() {
  analyzer::WorkerOptions options;
  options.name = "test";
  options.quiet = absl::ZeroDuration();
  analyzer::Worker worker(store_.jobs, store_.reading, store_.blobs, analyzer::AnalyzeTarget,
                          options);
  for (absl::StatusOr<bool> more = true; more.ok() && *more;) more = worker.RunOnce();
}

void CommandServer::ReadSourceBy(server::ReadSource read_source) {
  *read_source_ = std::move(read_source);
}

void CommandServer::AnalyseOnArrival() { analyses_on_arrival_ = true; }

void CommandServer::Stop() { server_->Stop(absl::ZeroDuration()); }

namespace {

namespace fs = std::filesystem;

const absl::Time kNow = absl::FromUnixSeconds(1700000000);

}  // namespace

CommandResult AskForProfiles(const std::vector<std::string>& words) {
  return RunCommandLine({AddRunsCommand, AddReportCommand, AddDiffCommand, AddExplainCommand,
                         AddTrendCommand, AddChangesCommand, AddListingCommand, AddOrderCommand},
                        words);
}

std::string RenamedCopy(const std::string& program, const fs::path& folder,
                        const std::string& name) {
  EXPECT_EQ(name.size(), sizeof(kRenamed) - 1) << "nothing else in the file may move";
  const std::string copy = (folder / fs::path(program).filename()).string();
  std::ofstream(copy, std::ios::binary)
      << absl::StrReplaceAll(ReadTestFile(program), {{kRenamed, name}});
  fs::copy_file(program + ".gmon", copy + ".gmon");
  return copy;
}

std::string HostileCopy(const std::string& program, const fs::path& folder) {
  return RenamedCopy(program, folder, kHostileName);
}

fs::path RunsFolder(const std::string& name, const std::string& program, int runs) {
  const fs::path folder = fs::path(testing::TempDir()) /
                          testing::UnitTest::GetInstance()->current_test_info()->name() / name;
  for (int i = 0; i < runs; ++i) {
    const fs::path run = folder / absl::StrCat("run", i);
    fs::create_directories(run);
    fs::copy_file(program, run / "program");
    fs::copy_file(program + ".gmon", run / "gmon.out.17");
  }
  return folder;
}

void ParserRunsTest::SetUp() {
  folder_ = EmptyTestFolder();
  server_ = CommandServer::Start(folder_);
  ASSERT_NE(server_, nullptr);
}

void ParserRunsTest::Upload(const std::string& program, char commit, const std::string& base) {
  const auto symbols = profile::ReadElfSymbols(program);
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  const store::Blob gmon = store::MakeBlob(ReadTestFile(program + ".gmon"));
  const store::Blob bundle = store::MakeBlob(profile::EncodeSymbolBundle(*symbols));
  store::NewExecution execution;
  execution.run.project = "default";
  execution.run.run_key = std::string("run-") + commit;
  execution.run.commit = std::string(40, commit);
  execution.run.branch = base.empty() ? "main" : "feature";
  execution.run.base_commit = base;
  execution.run.pull_request = base.empty() ? "" : "12";
  execution.run.configuration = "k8-opt";
  execution.run.started = kNow + absl::Seconds(commit);
  execution.run.committed = execution.run.started;
  execution.execution.target = "//:parser_test";
  execution.execution.status = "PASSED";
  execution.profiles = {{"gmon.1", symbols->build_id, gmon.name}};
  execution.images = {{symbols->build_id, bundle.name}};
  execution.blobs = {gmon, bundle};
  const auto recorded = server_->store().ingest.RecordExecution(execution, kNow);
  ASSERT_TRUE(recorded.ok()) << recorded.status();
}

void ParserRunsTest::UploadBoth() {
  Upload(kParserBefore, 'a', "");
  Upload(kParserAfter, 'b', std::string(40, 'a'));
  server_->RunWorker();
}

CommandResult ParserRunsTest::Run(const std::vector<std::string>& words) {
  return AskForProfiles(server_->Asked(words));
}

CommandResult RunUploadOrQuestion(const std::vector<std::string>& words) {
  return RunCommandLine({AddUploadCommand, AddRunsCommand, AddReportCommand, AddDiffCommand,
                         AddTrendCommand, AddListingCommand, AddOrderCommand},
                        words);
}

void UploadsTest::SetUp() {
  folder_ = EmptyTestFolder();
  ASSERT_EQ(setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1), 0);
  std::filesystem::create_directories(folder_ / "store");
  server_ = CommandServer::Start(folder_ / "store");
  ASSERT_NE(server_, nullptr);
}

CommandResult UploadsTest::Ask(const std::vector<std::string>& words) {
  return RunUploadOrQuestion(server_->Asked(words));
}

CommandResult UploadsTest::Upload(const std::string& target, const std::string& image, char commit,
                                  const std::vector<std::string>& files,
                                  const std::vector<std::string>& more) {
  std::vector<std::string> words = {"upload",
                                    "--target",
                                    target,
                                    "--image",
                                    image,
                                    "--commit",
                                    std::string(40, commit),
                                    "--branch",
                                    "main",
                                    "--configuration",
                                    "k8-opt",
                                    "--workspace",
                                    folder_.string()};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), files.begin(), files.end());
  const CommandResult result = Ask(words);
  server_->RunWorker();
  return result;
}

}  // namespace gprofhub::cli
