// All commands of `gprofhub`; gprof is here for its option -c, main.cc runs it otherwise.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/admin/admin.h"
#include "cli/bisect/command.h"
#include "cli/command/command.h"
#include "cli/command/command_line.h"
#include "cli/command/version.h"
#include "cli/commands.h"
#include "cli/gprof/command.h"
#include "cli/order/command.h"
#include "cli/static_calls/static_calls.h"
#include "cli/verify/verify.h"
#include "server/signals.h"

namespace gprofhub::cli {

namespace {

constexpr char kCompare[] = "Compare runs";
constexpr char kFollow[] = "Follow a history";
constexpr char kProfiles[] = "Read profiles";
constexpr char kSend[] = "Send profiles";
constexpr char kServer[] = "Run a server";
constexpr char kOther[] = "Help";

// In the order of the help.
constexpr struct {
  const char* group;
  void (*add)(CLI::App&, CommandMain&);
} kCommands[] = {
    {kSend, AddUploadCommand},
    {kSend, AddBazelStatusCommand},
    {kSend, AddCredentialHelperCommand},
    {kSend, AddSymbolsCommand},
    {kCompare, AddRunsCommand},
    {kCompare, AddReportCommand},
    {kCompare, AddDiffCommand},
    {kCompare, AddExplainCommand},
    {kCompare, AddGetCommand},
    {kCompare, AddVerifyCommand},
    {kCompare, AddOpenCommand},
    {kCompare, AddCheckCommand},
    {kCompare, AddAckCommand},
    {kCompare, AddStatsCommand},
    {kCompare, AddRerunListCommand},
    {kFollow, AddTrendCommand},
    {kFollow, AddChangesCommand},
    {kFollow, AddBisectCommand},
    {kFollow, AddBisectJudgeCommand},
    {kProfiles, AddListingCommand},
    {kProfiles, AddOrderCommand},
    {kProfiles, AddGprofCommand},
    {kProfiles, AddLiveCommand},
    {kProfiles, AddInfoCommand},
    {kProfiles, AddWindowCommand},
    {kProfiles, AddGmonCommand},
    {kServer, AddServeCommand},
    {kServer, AddHealthCommand},
    {kServer, AddTokenCommand},
    {kServer, AddAdminCommand},
    {kServer, AddMcpCommand},
    {kServer, AddAuditCommand},
    {kOther, AddHelpCommand},
    {kOther, AddCompletionCommand},
};

int Main(int argc, char** argv) {
  // gprof's messages begin with the name it was started by.
  if (argc > 1 && std::filesystem::path(argv[1]).filename() == "gprof") {
    return GprofMain(argc - 1, argv + 1, ReadStaticCalls);
  }
  // An internal argument: a server starts itself so.
  if (argc > 1 && std::string(argv[1]) == server::kAnalysisProcess) {
    return server::RunAnalysisProcess(argc, argv);
  }
  // gRPC's own log repeats errors that the commands report.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  CLI::App app("gprofhub: call-graph performance knowledge from every `bazel test`");
  PrepareApp(app);
  app.set_version_flag("--version", std::string("gprofhub ") + kVersion);
  CommandMain run;
  for (const auto& [group, add] : kCommands) {
    add(app, run);
    app.get_subcommands({}).back()->group(group);
  }
  const std::vector<std::string> words(argv + 1, argv + std::max(argc, 1));
  if (!words.empty() && words.front() == kCompleteArgument) {
    return PrintCompletions(app, {words.begin() + 1, words.end()});
  }
  const int code = ParseAndRun(app, run, words);
  // git bisect run ends only with this one.
  const bool is_wrong = code == kExitUsage;
  return is_wrong && app.got_subcommand(kJudgeCommand) ? kJudgeAbort : code;
}

}  // namespace

}  // namespace gprofhub::cli

int main(int argc, char** argv) { return gprofhub::cli::Main(argc, argv); }
