// `gprofhub admin fsck` and `gc`.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/text.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::cli {

namespace {

using reporter::CountOfNoun;

using Json = nlohmann::ordered_json;

struct FsckArguments {
  server::StoreOptions store;
  std::string format = "text";
  bool quick = false;
};

struct GcArguments {
  server::StoreOptions store;
  std::string format = "text";
  std::string grace = "24h";
  bool dry_run = false;
};

std::string FindingText(const store::InspectionFinding& finding) {
  return absl::StrCat(finding.is_damage ? "damage: " : "note: ", finding.kind, ": ",
                      base::Printable(finding.subject), "\n    what to do: ", finding.advice, "\n");
}

std::string SummaryText(const store::InspectionSummary& summary) {
  return absl::StrCat(
      summary.damages == 0 ? "no damage" : absl::StrCat(summary.damages, " damages"), ", ",
      CountOfNoun(summary.notes, "note"), "; checked ", CountOfNoun(summary.blobs, "blob"), " (",
      BytesText(summary.blob_bytes), "), ", summary.references, " kinds of references, ",
      CountOfNoun(summary.files, "file"), " and ", CountOfNoun(summary.segments, "segment"), "\n",
      summary.unread == 0 ? "" : absl::StrCat(summary.unread, " archived blobs were not read\n"));
}

Json FindingJson(const store::InspectionFinding& finding) {
  return {{"damage", finding.is_damage},
          {"kind", finding.kind},
          {"subject", finding.subject},
          {"advice", finding.advice}};
}

Json SummaryJson(const store::InspectionSummary& summary, Json findings) {
  return {{"schema", 1},
          {"damages", summary.damages},
          {"notes", summary.notes},
          {"blobs", summary.blobs},
          {"blob_bytes", summary.blob_bytes},
          {"references", summary.references},
          {"files", summary.files},
          {"segments", summary.segments},
          {"unread", summary.unread},
          {"findings", std::move(findings)}};
}

int Fsck(const FsckArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) {
    const int code = ReportStatus(store.status());
    return absl::IsDataLoss(store.status()) ? kExitDamaged : code;
  }
  ProgressLine progress(std::cerr, StderrIsTerminal());
  Json findings = Json::array();
  int printed = kExitOk;
  store::InspectionOptions options;
  options.hashes = !arguments.quick;
  options.now = absl::Now();
  options.on_finding = [&](const store::InspectionFinding& finding) {
    if (arguments.format == "json") {
      findings.push_back(FindingJson(finding));
      return;
    }
    progress.End();
    if (printed == kExitOk) printed = PrintOutput(FindingText(finding));
  };
  std::string phase;
  options.on_progress = [&](absl::string_view what, uint64_t done, uint64_t all) {
    // In a log only a phase has a line.
    if (!StderrIsTerminal() && phase == what) return;
    phase = std::string(what);
    progress.Show(StderrIsTerminal() ? absl::StrCat("checking ", what, ": ", done, " of ", all)
                                     : absl::StrCat("checking ", what));
  };
  const absl::StatusOr<store::InspectionSummary> summary = store->upkeep.inspection.Run(options);
  progress.End();
  if (!summary.ok()) return ReportStatus(summary.status());
  if (printed == kExitOk) {
    printed = arguments.format == "json"
                  ? PrintOutput(JsonText(SummaryJson(*summary, std::move(findings))))
                  : PrintText(SummaryText(*summary));
  }
  if (printed != kExitOk) return printed;
  return summary->damages == 0 ? kExitOk : kExitDamaged;
}

std::string CollectedText(const store::Collected& collected, const GcArguments& arguments) {
  const std::string would = arguments.dry_run ? "would remove " : "removed ";
  std::string text = absl::StrCat(would, CountOfNoun(collected.blobs, "blob"), " (",
                                  BytesText(collected.blob_bytes), ") and ", collected.files,
                                  " unreferenced files (", BytesText(collected.file_bytes), ")\n");
  if (collected.transfers > 0) {
    absl::StrAppend(&text, would, CountOfNoun(collected.transfers, "file"), " uploaded by Bazel (",
                    BytesText(collected.transfer_bytes), ")\n");
  }
  if (collected.marked > 0) {
    absl::StrAppend(&text, arguments.dry_run ? "would mark " : "marked ", collected.marked,
                    " more unreferenced blobs; `gprofhub admin gc` in ", arguments.grace,
                    " or later removes them\n");
  }
  if (collected.waiting > 0) {
    absl::StrAppend(&text, CountOfNoun(collected.waiting, "blob"),
                    collected.waiting == 1 ? " was" : " were", " marked less than ",
                    arguments.grace, " ago\n");
  }
  return text;
}

int Gc(const GcArguments& arguments) {
  const absl::StatusOr<absl::Duration> grace = ParseSpan("--grace", arguments.grace);
  if (!grace.ok()) return ReportUsage(grace.status());
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  store::CollectOptions options;
  options.dry_run = arguments.dry_run;
  options.grace = *grace;
  options.now = [] { return absl::Now(); };
  const absl::StatusOr<store::Collected> collected =
      store->upkeep.garbage.Collect(options, LocalActor());
  if (!collected.ok()) return ReportStatus(collected.status());
  if (arguments.format != "json") return PrintOutput(CollectedText(*collected, arguments));
  return PrintOutput(JsonText(Json({{"schema", 1},
                                    {"dry_run", arguments.dry_run},
                                    {"blobs", collected->blobs},
                                    {"blob_bytes", collected->blob_bytes},
                                    {"files", collected->files},
                                    {"file_bytes", collected->file_bytes},
                                    {"transfers", collected->transfers},
                                    {"transfer_bytes", collected->transfer_bytes},
                                    {"marked", collected->marked},
                                    {"waiting", collected->waiting}})));
}

}  // namespace

void AddInspectionActions(CLI::App& admin, CommandMain& run) {
  const auto fsck = AddAction(
      admin, "fsck",
      "Verify every reference and the bytes of every blob, read-only. Exits with 7 on damage", run,
      Fsck);
  server::AddArchiveOption(*fsck.app, fsck.arguments->store);
  fsck.app->add_flag("--quick", fsck.arguments->quick,
                     "Check only that every blob is present with the right size; skip the hashes");
  AddFormatOption(*fsck.app, fsck.arguments->format);
  SetExamples(*fsck.app, {"gprofhub admin fsck", "gprofhub admin fsck --quick --format=json"});

  const auto gc = AddAction(
      admin, "gc", "Remove unreferenced blobs and files; servers may keep running", run, Gc);
  gc.app->add_flag("--dry-run", gc.arguments->dry_run, "Only print what would be removed");
  gc.app
      ->add_option("--grace", gc.arguments->grace,
                   "Time an unreferenced blob is kept after it is marked; should be longer than "
                   "any upload takes")
      ->type_name("SPAN")
      ->capture_default_str();
  AddFormatOption(*gc.app, gc.arguments->format);
  SetExamples(*gc.app, {"gprofhub admin gc --dry-run", "gprofhub admin gc",
                        "gprofhub admin gc --grace 1h --format=json"});
}

}  // namespace gprofhub::cli
