#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "analyzer/exports/exports.h"
#include "base/text.h"
#include "cli/client/query_client.h"
#include "cli/commands.h"

namespace gprofhub::cli {

namespace {

struct ListingArguments {
  ServerOptions server;
  std::string run = "latest";
  bool flat = false;
  bool graph = false;
  bool source = false;
  bool counts = false;
  bool brief = false;
  bool by_line = false;
  bool all_lines = false;
  std::string target;
  std::string format;
  std::string image;
};

v1::GetListingRequest::Kind KindOf(const ListingArguments& arguments) {
  if (arguments.graph) return v1::GetListingRequest::CALL_GRAPH;
  if (arguments.source) return v1::GetListingRequest::ANNOTATED_SOURCE;
  if (arguments.counts) return v1::GetListingRequest::EXECUTION_COUNTS;
  return v1::GetListingRequest::FLAT;
}

int RunListing(const ListingArguments& arguments) {
  v1::GetListingRequest request;
  request.set_run(arguments.run);
  request.set_target(arguments.target);
  request.set_kind(KindOf(arguments));
  request.set_brief(arguments.brief);
  request.set_by_line(arguments.by_line);
  request.set_all_lines(arguments.all_lines);
  request.set_format(arguments.format);
  request.set_image(arguments.image);
  const absl::StatusOr<std::string> listing =
      QueryClient(arguments.server).Call(&QueryStub::GetListing, request);
  if (!listing.ok()) return ReportStatus(listing.status());
  // Machine-readable output is not changed. Text for people is sanitized: its source is a remote
  // server.
  const bool is_for_people = arguments.format.empty() || isatty(STDOUT_FILENO) != 0;
  return PrintOutput(is_for_people ? base::PrintableLines(*listing) : *listing);
}

}  // namespace

void AddListingCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "listing", "Print gprof's listing of a target of a run, or export its profile");
  auto arguments = std::make_shared<ListingArguments>();
  command->add_option("run", arguments->run, kRunNames)->capture_default_str();
  command->add_option("--target", arguments->target,
                      "Bazel label (default: the only target of the run)");
  CLI::Option* flat = command->add_flag("-p,--flat", arguments->flat, "The flat profile (default)");
  CLI::Option* graph = command->add_flag("-q,--graph", arguments->graph, "The call graph");
  CLI::Option* source = command->add_flag("-A,--source", arguments->source,
                                          "The annotated source, as far as the server can read it");
  CLI::Option* counts =
      command->add_flag("-C,--counts", arguments->counts, "Execution counts of functions");
  flat->excludes(graph)->excludes(source)->excludes(counts);
  graph->excludes(source)->excludes(counts);
  source->excludes(counts);
  command->add_flag("-l,--lines", arguments->by_line, "By line instead of by function");
  command
      ->add_flag("-x,--all-lines", arguments->all_lines,
                 "With --source: print a block's count on each of its lines")
      ->needs(source);
  command->add_flag("-b,--brief", arguments->brief, "Omit the explanations");
  CLI::Option* format =
      command->add_option("--format", arguments->format,
                          "Export the whole profile in this format instead of text; json also "
                          "contains the listing of --source or --counts");
  format->check(CLI::IsMember(analyzer::NamesOf(analyzer::DownloadFormats())));
  command
      ->add_option("--image", arguments->image,
                   "With --format: build-id of the image, if the target has several")
      ->needs(format);
  AddServerOptions(*command, arguments->server);
  SetExamples(*command,
              {"gprofhub listing -b | head -20",
               "gprofhub listing 3fa41c2 --target //db:query_test --graph",
               "gprofhub listing -A -l -x", "gprofhub listing --format=pprof > profile.pb"});
  command->callback([arguments, &run] { run = [arguments] { return RunListing(*arguments); }; });
}

}  // namespace gprofhub::cli
