#include "cli/testing/uploads_test_base.h"

#include <cstdlib>

#include "cli/commands/diff.h"
#include "cli/commands/listing.h"
#include "cli/commands/report.h"
#include "cli/commands/runs.h"
#include "cli/commands/trend.h"
#include "cli/commands/upload.h"
#include "cli/order/command.h"

namespace gprofhub::cli {

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
