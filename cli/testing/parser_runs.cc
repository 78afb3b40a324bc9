#include "cli/testing/parser_runs.h"

#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/commands/changes.h"
#include "cli/commands/diff.h"
#include "cli/commands/listing.h"
#include "cli/commands/report.h"
#include "cli/commands/runs.h"
#include "cli/commands/trend.h"
#include "cli/explain/command.h"
#include "cli/order/command.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/image/read_image.h"
#include "store/testing/temp_store.h"

namespace gprofhub::cli {
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

}  // namespace gprofhub::cli
