// All commands of `gprofhub`; gprof is here for its option -c, main.cc runs it otherwise.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "cli/ack_command.h"
#include "cli/changes_command.h"
#include "cli/check_command.h"
#include "cli/command.h"
#include "cli/diff_command.h"
#include "cli/gmon_command.h"
#include "cli/gprof/image_calls.h"
#include "cli/gprof_command.h"
#include "cli/info_command.h"
#include "cli/listing_command.h"
#include "cli/order_command.h"
#include "cli/report_command.h"
#include "cli/runs_command.h"
#include "cli/serve_command.h"
#include "cli/token_command.h"
#include "cli/trend_command.h"
#include "cli/upload_command.h"
#include "cli/version/version.h"

int main(int argc, char** argv) {
  // gprof's name as it was started is its messages' first word.
  if (argc > 1 && std::filesystem::path(argv[1]).filename() == "gprof") {
    return gprofhub::GprofMain(argc - 1, argv + 1, gprofhub::ReadStaticCalls);
  }
  CLI::App app("gprofhub: call-graph performance knowledge from every `bazel test`");
  app.set_version_flag("--version", std::string("gprofhub ") + gprofhub::kVersion);
  app.require_subcommand(1);
  gprofhub::CommandMain run;
  gprofhub::AddServeCommand(app, run);
  gprofhub::AddTokenCommand(app, run);
  gprofhub::AddUploadCommand(app, run);
  gprofhub::AddRunsCommand(app, run);
  gprofhub::AddReportCommand(app, run);
  gprofhub::AddDiffCommand(app, run);
  gprofhub::AddCheckCommand(app, run);
  gprofhub::AddAckCommand(app, run);
  gprofhub::AddStatsCommand(app, run);
  gprofhub::AddTrendCommand(app, run);
  gprofhub::AddChangesCommand(app, run);
  gprofhub::AddListingCommand(app, run);
  gprofhub::AddOrderCommand(app, run);
  gprofhub::AddInfoCommand(app, run);
  gprofhub::AddGmonCommand(app, run);
  gprofhub::AddGprofCommand(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 has codes of its own; scripts get ours.
    return app.exit(error) == 0 ? gprofhub::kExitOk : gprofhub::kExitUsage;
  }
  return run();
}
