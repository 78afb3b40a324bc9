// `gprofhub admin delta-encode`.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::cli {

namespace {

using reporter::CountOfNoun;

using Json = nlohmann::ordered_json;

struct DeltaEncodeArguments {
  server::StoreOptions store;
  std::string format = "text";
  std::string older_than = "7d";
};

std::string EncodedText(const store::DeltaResult& encoded) {
  if (encoded.targets == 0) return "nothing is due\n";
  return absl::StrCat("delta-encoded ", CountOfNoun(encoded.blobs, "blob"), " of ",
                      CountOfNoun(encoded.targets, "target"), ": ", BytesText(encoded.bytes_before),
                      " became ", BytesText(encoded.bytes_after), "\n");
}

int Encode(const DeltaEncodeArguments& arguments) {
  const absl::StatusOr<absl::Duration> older_than = ParseAge("--older-than", arguments.older_than);
  if (!older_than.ok()) return ReportUsage(older_than.status());
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  ProgressLine progress(std::cerr, StderrIsTerminal());
  store::DeltaOptions options;
  options.older_than = *older_than;
  options.now = [] { return absl::Now(); };
  options.pause = [&progress](const store::DeltaResult& so_far) {
    if (StderrIsTerminal())
      progress.Show(absl::StrCat("delta encoding: ", CountOfNoun(so_far.targets, "target")));
    return absl::OkStatus();
  };
  const absl::StatusOr<store::DeltaResult> encoded = store->upkeep.delta_encoding.Encode(options);
  progress.End();
  if (!encoded.ok()) return ReportStatus(encoded.status());
  if (arguments.format != "json") return PrintOutput(EncodedText(*encoded));
  return PrintOutput(JsonText(Json({{"schema", 1},
                                    {"targets", encoded->targets},
                                    {"blobs", encoded->blobs},
                                    {"bytes_before", encoded->bytes_before},
                                    {"bytes_after", encoded->bytes_after}})));
}

}  // namespace

void AddDeltaEncodeAction(CLI::App& admin, CommandMain& run) {
  const auto delta_encode = AddAction(
      admin, "delta-encode",
      "Store old profiles, symbols and results as differences from earlier ones; servers may run "
      "meanwhile",
      run, Encode);
  server::AddArchiveOption(*delta_encode.app, delta_encode.arguments->store);
  delta_encode.app
      ->add_option(
          "--older-than", delta_encode.arguments->older_than,
          "Minimum age of the runs whose blobs are encoded, or 0; deltas are slower to read")
      ->type_name("SPAN")
      ->capture_default_str();
  AddFormatOption(*delta_encode.app, delta_encode.arguments->format);
  SetExamples(*delta_encode.app, {"gprofhub admin delta-encode",
                                  "gprofhub admin delta-encode --older-than 1h --format=json"});
}

}  // namespace gprofhub::cli
