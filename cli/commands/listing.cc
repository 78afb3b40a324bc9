#include "cli/commands/listing.h"

#include <memory>
#include <string>

#include "base/printable.h"
#include "cli/client/query_client.h"

namespace gprofhub::cli {
namespace {

struct ListingArguments {
  ServerOptions server;
  std::string run = "latest";
  std::string target;
  bool flat = false;
  bool graph = false;
  bool brief = false;
};

int RunListing(const ListingArguments& arguments) {
  v1::GetListingRequest request;
  request.set_run(arguments.run);
  request.set_target(arguments.target);
  request.set_kind(arguments.graph ? v1::GetListingRequest::CALL_GRAPH
                                   : v1::GetListingRequest::FLAT);
  request.set_brief(arguments.brief);
  const absl::StatusOr<std::string> listing = QueryClient(arguments.server).GetListing(request);
  if (!listing.ok()) return ReportStatus(listing.status());
  // Whatever the server at the other end sends.
  return PrintOutput(base::PrintableLines(*listing));
}

}  // namespace

void AddListingCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command =
      app.add_subcommand("listing", "Print the flat profile or the call graph of a run's target");
  auto arguments = std::make_shared<ListingArguments>();
  command->add_option("run", arguments->run, "Run id, commit, or latest")->capture_default_str();
  command->add_option("--target", arguments->target,
                      "Bazel label (default: the run's only target)");
  CLI::Option* flat = command->add_flag("--flat", arguments->flat, "The flat profile (default)");
  command->add_flag("--graph", arguments->graph, "The call graph")->excludes(flat);
  command->add_flag("--brief", arguments->brief, "Without the explanations");
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub listing --flat --brief | head -20",
                         "gprofhub listing 3fa41c2 --target //db:query_test --graph"});
  command->callback([arguments, &run] { run = [arguments] { return RunListing(*arguments); }; });
}

}  // namespace gprofhub::cli
