// `gprofhub admin shelve`.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"
#include "store/open_store.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ShelveArguments {
  server::StoreOptions store;
  std::string format = "text";
  std::string older_than = "7d";
  bool from_start = false;
  bool back = false;
  bool take_over = false;
};

std::string ShelvedText(const store::Shelved& shelved, const store::Tidied& tidied) {
  std::string text =
      shelved.blobs == 0
          ? std::string("nothing is due\n")
          : absl::StrCat("shelved ", shelved.blobs, " blobs of ", shelved.targets, " targets (",
                         BytesText(shelved.bytes), ") in ", shelved.boxes, " boxes\n");
  if (tidied.moved > 0) {
    absl::StrAppend(&text, "moved ", tidied.moved, " blobs (", BytesText(tidied.moved_bytes),
                    ") to new boxes\n");
  }
  if (tidied.removed > 0) {
    absl::StrAppend(&text, "removed ", tidied.removed, " boxes (", BytesText(tidied.removed_bytes),
                    ")\n");
  }
  return text;
}

int PrintShelved(const ShelveArguments& arguments, const store::Shelved& shelved,
                 const store::Tidied& tidied) {
  if (arguments.format != "json") return PrintOutput(ShelvedText(shelved, tidied));
  return PrintOutput(JsonText(Json({{"schema", 1},
                                    {"targets", shelved.targets},
                                    {"blobs", shelved.blobs},
                                    {"bytes", shelved.bytes},
                                    {"boxes", shelved.boxes},
                                    {"moved_blobs", tidied.moved},
                                    {"moved_bytes", tidied.moved_bytes},
                                    {"removed_boxes", tidied.removed},
                                    {"removed_bytes", tidied.removed_bytes}})));
}

int ShelveAndTidy(const ShelveArguments& arguments, const store::WholeStore& store) {
  const absl::StatusOr<absl::Duration> older_than = ParseAge("--older-than", arguments.older_than);
  if (!older_than.ok()) return ReportUsage(older_than.status());
  ProgressLine progress(std::cerr, StderrIsTerminal());
  store::ShelveOptions options;
  options.older_than = *older_than;
  options.from_start = arguments.from_start;
  options.now = [] { return absl::Now(); };
  options.pause = [&progress](const store::Shelved& so_far) {
    if (StderrIsTerminal()) {
      progress.Show(
          absl::StrCat("shelving: ", so_far.targets, " targets, ", so_far.boxes, " boxes"));
    }
    return absl::OkStatus();
  };
  const absl::StatusOr<store::Shelved> shelved = store.upkeep.shelving.Shelve(options);
  if (!shelved.ok()) {
    progress.End();
    return ReportStatus(shelved.status());
  }
  if (StderrIsTerminal()) progress.Show("tidying");
  store::TidyOptions tidying;
  tidying.keep = absl::Hours(24 * int64_t{arguments.store.keep_boxes_days});
  tidying.now = options.now;
  const absl::StatusOr<store::Tidied> tidied = store.upkeep.tidying.Tidy(tidying);
  progress.End();
  if (!tidied.ok()) return ReportStatus(tidied.status());
  return PrintShelved(arguments, *shelved, *tidied);
}

int BringBack(const ShelveArguments& arguments, const store::WholeStore& store) {
  ProgressLine progress(std::cerr, StderrIsTerminal());
  store::BringBackOptions options;
  options.now = [] { return absl::Now(); };
  options.pause = [&progress](const store::BroughtBack& so_far) {
    if (StderrIsTerminal()) {
      progress.Show(absl::StrCat("bringing back: ", so_far.boxes, " boxes"));
    }
    return absl::OkStatus();
  };
  const absl::StatusOr<store::BroughtBack> back =
      store.upkeep.shelving.BringBack(options, LocalActor());
  progress.End();
  if (!back.ok()) return ReportStatus(back.status());
  const int printed =
      arguments.format == "json"
          ? PrintOutput(JsonText(Json({{"schema", 1},
                                       {"blobs", back->blobs},
                                       {"bytes", back->bytes},
                                       {"boxes", back->boxes},
                                       {"damaged", back->damaged}})))
          : PrintOutput(absl::StrCat("brought back ", back->blobs, " blobs (",
                                     BytesText(back->bytes), ") of ", back->boxes, " boxes\n"));
  if (printed != kExitOk || back->damaged == 0) return printed;
  std::cerr << back->damaged
            << " blobs are damaged on the shelf and stay there; `gprofhub admin fsck` lists them\n";
  return kExitDamaged;
}

// The archive may still belong to another store, so the store is opened without it.
int TakeOver(const ShelveArguments& arguments) {
  const absl::StatusOr<std::string> location = server::StoreLocation(arguments.store);
  if (!location.ok()) return ReportStatus(location.status());
  const absl::StatusOr<std::shared_ptr<store::ObjectStore>> shelf =
      server::OpenShelf(arguments.store);
  if (!shelf.ok()) return ReportStatus(shelf.status());
  const absl::StatusOr<store::sql::Engine> engine = store::OpenEngine(*location);
  if (!engine.ok()) return ReportStatus(engine.status());
  const store::Shelving shelving(engine->database, engine->blob_bytes, *shelf);
  const absl::Status taken = shelving.TakeOver(LocalActor(), absl::Now());
  if (!taken.ok()) return ReportStatus(taken);
  return PrintOutput("the shelf is this store's now\n");
}

int Shelve(const ShelveArguments& arguments) {
  if (arguments.take_over) return TakeOver(arguments);
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  return arguments.back ? BringBack(arguments, *store) : ShelveAndTidy(arguments, *store);
}

}  // namespace

void AddShelveAction(CLI::App& admin, CommandMain& run) {
  const auto shelve = AddAction(admin, "shelve",
                                "Move old bytes out of the database, to a folder or an object "
                                "store; a server may run beside it",
                                run, Shelve);
  server::AddShelfOption(*shelve.app, shelve.arguments->store);
  shelve.app
      ->add_option("--older-than", shelve.arguments->older_than,
                   "Leave runs that came within this time, or 0")
      ->type_name("SPAN")
      ->capture_default_str();
  server::AddKeepBoxesOption(*shelve.app, shelve.arguments->store);
  shelve.app->add_flag("--from-start", shelve.arguments->from_start,
                       "Look at the oldest runs again, too: some of what they have may have been "
                       "younger runs' that are deleted now");
  CLI::Option* const back = shelve.app->add_flag(
      "--back", shelve.arguments->back, "Move all bytes back: the store needs no shelf any more");
  shelve.app
      ->add_flag("--take-over", shelve.arguments->take_over,
                 "This store was made of a backup, and its original is out of use for good: the "
                 "shelf is this store's from now on")
      ->excludes(back);
  AddFormatOption(*shelve.app, shelve.arguments->format);
  SetExamples(*shelve.app, {"gprofhub admin shelve --shelf /mnt/old/gprofhub",
                            "gprofhub admin shelve --shelf /mnt/old/gprofhub --older-than 30d",
                            "gprofhub admin shelve --shelf /mnt/old/gprofhub --back"});
}

}  // namespace gprofhub::cli
