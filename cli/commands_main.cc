// All commands of `gprofhub`; gprof is here for its option -c, main.cc runs it otherwise.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "cli/admin/admin.h"
#include "cli/bisect/command.h"
#include "cli/command/command.h"
#include "cli/command/version.h"
#include "cli/commands.h"
#include "cli/gprof/command.h"
#include "cli/order/command.h"
#include "cli/static_calls/static_calls.h"
#include "server/signals.h"

int main(int argc, char** argv) {
  // gprof's messages begin with the name it was started by.
  if (argc > 1 && std::filesystem::path(argv[1]).filename() == "gprof") {
    return gprofhub::cli::GprofMain(argc - 1, argv + 1, gprofhub::cli::ReadStaticCalls);
  }
  // An internal argument: a server starts itself so.
  if (argc > 1 && std::string(argv[1]) == gprofhub::server::kAnalysisProcess) {
    return gprofhub::server::RunAnalysisProcess(argc, argv);
  }
  CLI::App app("gprofhub: call-graph performance knowledge from every `bazel test`");
  app.set_version_flag("--version", std::string("gprofhub ") + gprofhub::cli::kVersion);
  app.require_subcommand(1);
  gprofhub::cli::CommandMain run;
  gprofhub::cli::AddServeCommand(app, run);
  gprofhub::cli::AddHealthCommand(app, run);
  gprofhub::cli::AddTokenCommand(app, run);
  gprofhub::cli::AddAdminCommand(app, run);
  gprofhub::cli::AddAuditCommand(app, run);
  gprofhub::cli::AddUploadCommand(app, run);
  gprofhub::cli::AddBazelStatusCommand(app, run);
  gprofhub::cli::AddCredentialHelperCommand(app, run);
  gprofhub::cli::AddRunsCommand(app, run);
  gprofhub::cli::AddReportCommand(app, run);
  gprofhub::cli::AddDiffCommand(app, run);
  gprofhub::cli::AddExplainCommand(app, run);
  gprofhub::cli::AddCheckCommand(app, run);
  gprofhub::cli::AddAckCommand(app, run);
  gprofhub::cli::AddStatsCommand(app, run);
  gprofhub::cli::AddRerunListCommand(app, run);
  gprofhub::cli::AddTrendCommand(app, run);
  gprofhub::cli::AddChangesCommand(app, run);
  gprofhub::cli::AddBisectCommand(app, run);
  gprofhub::cli::AddBisectJudgeCommand(app, run);
  gprofhub::cli::AddListingCommand(app, run);
  gprofhub::cli::AddOrderCommand(app, run);
  gprofhub::cli::AddInfoCommand(app, run);
  gprofhub::cli::AddLiveCommand(app, run);
  gprofhub::cli::AddWindowCommand(app, run);
  gprofhub::cli::AddGmonCommand(app, run);
  gprofhub::cli::AddSymbolsCommand(app, run);
  gprofhub::cli::AddGprofCommand(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 has codes of its own; scripts get ours.
    if (app.exit(error) == 0) return gprofhub::cli::kExitOk;
    if (app.got_subcommand(gprofhub::cli::kJudgeCommand)) return gprofhub::cli::kJudgeAbort;
    return gprofhub::cli::kExitUsage;
  }
  return run();
}
