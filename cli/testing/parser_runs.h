// Runs of testdata/parser.c, of which there are two builds: parse calls next 10
// times in the one and 80 times in the other.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/memory_budget.h"
#include "cli/command/command.h"
#include "collector/access/authorizer.h"
#include "collector/upload_session.h"
#include "server/grpc_server.h"
#include "server/queries/served_listing.h"
#include "store/open_store.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Subcommands as a user types them, run in this process.

struct CommandResult {
  int exit_code = 0;  // an ExitCode
  std::string out;
  std::string err;
};

// Declares a subcommand, as each command's header does.
using AddCommand = void (*)(CLI::App&, CommandMain&);

// Runs what follows "gprofhub" on a command line.
CommandResult RunCommandLine(absl::Span<const AddCommand> commands,
                             const std::vector<std::string>& words);

// An empty folder of the running test's own.
std::filesystem::path EmptyTestFolder();

// Fails the running test if the file cannot be read.
std::string ReadTestFile(const std::string& path);

// The server that commands talk to, in this process: on loopback, with a store of
// its own and no worker but RunWorker.

class CommandServer {
 public:
  // With an SQLite store in the folder. Fails the running test, and returns null, if it does not
  // start.
  static std::unique_ptr<CommandServer> Start(const std::filesystem::path& folder);

  const store::Store& store() const { return store_; }

  // The words of a command line, and the option that names this server.
  std::vector<std::string> Asked(std::vector<std::string> words) const;

  // Until nothing is left to analyse.
  void RunWorker();

  // From now on there is source to be had, of this reader.
  void ReadSourceBy(server::ReadSource read_source);

  // From now on every upload is analysed before it is acknowledged.
  void AnalyseOnArrival();

  void Stop();

 private:
  explicit CommandServer(store::Store store);
  collector::CollectorService::Options ServiceOptions();

  const store::Store store_;
  std::atomic<bool> analyses_on_arrival_ = false;
  collector::Authorizer authorizer_;
  // Set before the first call.
  std::shared_ptr<server::ReadSource> read_source_ = std::make_shared<server::ReadSource>();
  base::MemoryBudget decoding_{uint64_t{768} << 20};
  collector::CollectorService collector_;
  std::unique_ptr<server::GrpcServer> server_;
};

inline constexpr char kParserBefore[] = "cli/testdata/before";
inline constexpr char kParserAfter[] = "cli/testdata/after";

// All commands that query profiles: runs, report, diff, explain, trend, changes, listing, order.
CommandResult AskForProfiles(const std::vector<std::string>& words);

// The function of testdata/parser.c that a copy gives another name, and a hostile one.
inline constexpr char kRenamed[] = "read_token";
inline constexpr char kHostileName[] = "r\x1b[2J\nok\xE9n";
inline constexpr char kHostileNameShown[] = "r<U+001B>[2J<U+000A>ok<0xE9>n";
static_assert(sizeof(kRenamed) == sizeof(kHostileName), "nothing else in the file may move");

// A copy of the program and its profile in the folder, in which `kRenamed` has another name
// of as many bytes.
std::string RenamedCopy(const std::string& program, const std::filesystem::path& folder,
                        const std::string& name);

// The same with a name that is not UTF-8, commands the terminal and has two lines.
std::string HostileCopy(const std::string& program, const std::filesystem::path& folder);

// A folder `name` in the test's own with a run in each of `runs` folders; with the
// program in each.
std::filesystem::path RunsFolder(const std::string& name, const std::string& program, int runs);

// For commands against a server with such runs.
class ParserRunsTest : public testing::Test {
 protected:
  void SetUp() override;

  // Records a run at a commit of one digit: of the main branch, or with a base of a
  // pull request.
  void Upload(const std::string& program, char commit, const std::string& base);

  // A run of the main branch and one of a pull request, analysed.
  void UploadBoth();

  CommandResult Run(const std::vector<std::string>& words);

  std::filesystem::path folder_;
  std::unique_ptr<CommandServer> server_;
};

// For tests that upload single files to a server in this process, and query them there.

// `upload`, and all commands that query profiles: runs, report, diff, trend, listing, order.
CommandResult RunUploadOrQuestion(const std::vector<std::string>& words);

class UploadsTest : public testing::Test {
 protected:
  void SetUp() override;

  CommandResult Ask(const std::vector<std::string>& words);

  // Uploads files of `image` as a run of the main branch at a commit of one digit, and analyses
  // it.
  CommandResult Upload(const std::string& target, const std::string& image, char commit,
                       const std::vector<std::string>& files,
                       const std::vector<std::string>& more = {});

  std::filesystem::path folder_;
  std::unique_ptr<CommandServer> server_;
};

}  // namespace gprofhub::cli
