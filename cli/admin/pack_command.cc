// `gprofhub admin pack`.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::ordered_json;

struct PackArguments {
  server::StoreOptions store;
  std::string format = "text";
  std::string older_than = "7d";
};

std::string PackedText(const store::Packed& packed) {
  if (packed.targets == 0) return "nothing is due\n";
  return absl::StrCat("packed ", packed.blobs, " blobs of ", packed.targets,
                      " targets: ", BytesText(packed.bytes_before), " became ",
                      BytesText(packed.bytes_after), "\n");
}

int Pack(const PackArguments& arguments) {
  const absl::StatusOr<absl::Duration> older_than = ParseAge("--older-than", arguments.older_than);
  if (!older_than.ok()) return ReportUsage(older_than.status());
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  ProgressLine progress(std::cerr, StderrIsTerminal());
  store::PackOptions options;
  options.older_than = *older_than;
  options.now = [] { return absl::Now(); };
  options.pause = [&progress](const store::Packed& so_far) {
    if (StderrIsTerminal()) progress.Show(absl::StrCat("packing: ", so_far.targets, " targets"));
    return absl::OkStatus();
  };
  const absl::StatusOr<store::Packed> packed = store->upkeep.packing.Pack(options);
  progress.End();
  if (!packed.ok()) return ReportStatus(packed.status());
  if (arguments.format != "json") return PrintOutput(PackedText(*packed));
  return PrintOutput(JsonText(Json({{"schema", 1},
                                    {"targets", packed->targets},
                                    {"blobs", packed->blobs},
                                    {"bytes_before", packed->bytes_before},
                                    {"bytes_after", packed->bytes_after}})));
}

}  // namespace

void AddPackAction(CLI::App& admin, CommandMain& run) {
  const auto pack =
      AddAction(admin, "pack",
                "Write old profiles as what changed since earlier ones; a server may run beside it",
                run, Pack);
  server::AddShelfOption(*pack.app, pack.arguments->store);
  pack.app
      ->add_option("--older-than", pack.arguments->older_than,
                   "Leave runs that came within this time, or 0: what is packed is slower to read")
      ->type_name("SPAN")
      ->capture_default_str();
  AddFormatOption(*pack.app, pack.arguments->format);
  SetExamples(*pack.app,
              {"gprofhub admin pack", "gprofhub admin pack --older-than 1h --format=json"});
}

}  // namespace gprofhub::cli
