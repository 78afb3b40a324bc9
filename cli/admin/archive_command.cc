// `gprofhub admin archive`.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"
#include "reporter/rendering/row_words.h"
#include "store/open_store.h"

namespace gprofhub::cli {

namespace {

using reporter::CountOfNoun;

using Json = nlohmann::ordered_json;

struct ArchiveArguments {
  server::StoreOptions store;
  std::string format = "text";
  std::string older_than = "7d";
  bool from_start = false;
  bool back = false;
  bool take_over = false;
};

std::string ArchivedText(const store::ArchiveResult& archived,
                         const store::CompactionResult& compacted) {
  std::string text =
      archived.blobs == 0
          ? std::string("nothing is due\n")
          : absl::StrCat("archived ", CountOfNoun(archived.blobs, "blob"), " of ",
                         CountOfNoun(archived.targets, "target"), " (", BytesText(archived.bytes),
                         ") in ", CountOfNoun(archived.segments, "segment"), "\n");
  if (compacted.moved > 0) {
    absl::StrAppend(&text, "moved ", CountOfNoun(compacted.moved, "blob"), " (",
                    BytesText(compacted.moved_bytes), ") to new segments\n");
  }
  if (compacted.removed > 0) {
    absl::StrAppend(&text, "removed ", CountOfNoun(compacted.removed, "segment"), " (",
                    BytesText(compacted.removed_bytes), ")\n");
  }
  return text;
}

int PrintArchived(const ArchiveArguments& arguments, const store::ArchiveResult& archived,
                  const store::CompactionResult& compacted) {
  if (arguments.format != "json") return PrintOutput(ArchivedText(archived, compacted));
  return PrintOutput(JsonText(Json({{"schema", 1},
                                    {"targets", archived.targets},
                                    {"blobs", archived.blobs},
                                    {"bytes", archived.bytes},
                                    {"segments", archived.segments},
                                    {"moved_blobs", compacted.moved},
                                    {"moved_bytes", compacted.moved_bytes},
                                    {"removed_segments", compacted.removed},
                                    {"removed_bytes", compacted.removed_bytes}})));
}

int ArchiveAndCompact(const ArchiveArguments& arguments, const store::WholeStore& store) {
  const absl::StatusOr<absl::Duration> older_than = ParseAge("--older-than", arguments.older_than);
  if (!older_than.ok()) return ReportUsage(older_than.status());
  ProgressLine progress(std::cerr, StderrIsTerminal());
  store::ArchiveOptions options;
  options.older_than = *older_than;
  options.from_start = arguments.from_start;
  options.now = [] { return absl::Now(); };
  options.pause = [&progress](const store::ArchiveResult& so_far) {
    if (StderrIsTerminal()) {
      progress.Show(absl::StrCat("archiving: ", CountOfNoun(so_far.targets, "target"), ", ",
                                 CountOfNoun(so_far.segments, "segment")));
    }
    return absl::OkStatus();
  };
  const absl::StatusOr<store::ArchiveResult> archived = store.upkeep.archiving.Archive(options);
  if (!archived.ok()) {
    progress.End();
    return ReportStatus(archived.status());
  }
  if (StderrIsTerminal()) progress.Show("compaction");
  store::CompactionOptions compaction;
  compaction.keep = absl::Hours(24 * int64_t{arguments.store.keep_segments_days});
  compaction.now = options.now;
  const absl::StatusOr<store::CompactionResult> compacted =
      store.upkeep.compaction.Compact(compaction);
  progress.End();
  if (!compacted.ok()) return ReportStatus(compacted.status());
  return PrintArchived(arguments, *archived, *compacted);
}

int BringBack(const ArchiveArguments& arguments, const store::WholeStore& store) {
  ProgressLine progress(std::cerr, StderrIsTerminal());
  store::BringBackOptions options;
  options.now = [] { return absl::Now(); };
  options.pause = [&progress](const store::BroughtBack& so_far) {
    if (StderrIsTerminal()) {
      progress.Show(absl::StrCat("moving back: ", CountOfNoun(so_far.segments, "segment")));
    }
    return absl::OkStatus();
  };
  const absl::StatusOr<store::BroughtBack> back =
      store.upkeep.archiving.BringBack(options, LocalActor());
  progress.End();
  if (!back.ok()) return ReportStatus(back.status());
  const int printed =
      arguments.format == "json"
          ? PrintOutput(JsonText(Json({{"schema", 1},
                                       {"blobs", back->blobs},
                                       {"bytes", back->bytes},
                                       {"segments", back->segments},
                                       {"damaged", back->damaged}})))
          : PrintOutput(absl::StrCat("moved back ", CountOfNoun(back->blobs, "blob"), " (",
                                     BytesText(back->bytes), ") of ",
                                     CountOfNoun(back->segments, "segment"), "\n"));
  if (printed != kExitOk || back->damaged == 0) return printed;
  std::cerr << back->damaged
            << " blobs are damaged and stay in the archive; `gprofhub admin fsck` lists them\n";
  return kExitDamaged;
}

// The archive may still belong to another store, so the store is opened without it.
int TakeOver(const ArchiveArguments& arguments) {
  const absl::StatusOr<std::string> location = server::StoreLocation(arguments.store);
  if (!location.ok()) return ReportStatus(location.status());
  const absl::StatusOr<std::shared_ptr<store::ObjectStore>> archive =
      server::OpenArchive(arguments.store);
  if (!archive.ok()) return ReportStatus(archive.status());
  const absl::StatusOr<store::sql::Engine> engine =
      store::OpenEngine(*location, store::OpenMode::kExisting);
  if (!engine.ok()) return ReportStatus(engine.status());
  const store::Archiving archiving(engine->database, engine->blob_bytes, *archive);
  const absl::Status taken = archiving.TakeOver(LocalActor(), absl::Now());
  if (!taken.ok()) return ReportStatus(taken);
  return PrintOutput("this store owns the archive now\n");
}

int Archive(const ArchiveArguments& arguments) {
  if (arguments.take_over) return TakeOver(arguments);
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  return arguments.back ? BringBack(arguments, *store) : ArchiveAndCompact(arguments, *store);
}

}  // namespace

void AddArchiveAction(CLI::App& admin, CommandMain& run) {
  const auto archive = AddAction(admin, "archive",
                                 "Move old blobs out of the database to a directory or an object "
                                 "store; servers may keep running",
                                 run, Archive);
  server::AddArchiveOption(*archive.app, archive.arguments->store);
  archive.app
      ->add_option("--older-than", archive.arguments->older_than,
                   "Minimum age of the runs whose blobs are archived, or 0")
      ->type_name("SPAN")
      ->capture_default_str();
  server::AddKeepSegmentsOption(*archive.app, archive.arguments->store);
  archive.app->add_flag(
      "--from-start", archive.arguments->from_start,
      "Also rescan the oldest runs: blobs they shared with younger, now deleted runs may be due");
  CLI::Option* const back = archive.app->add_flag("--back", archive.arguments->back,
                                                  "Move all blobs back into the database");
  archive.app
      ->add_flag("--take-over", archive.arguments->take_over,
                 "Take ownership of the archive: for a store restored from a backup whose original "
                 "is permanently out of use")
      ->excludes(back);
  AddFormatOption(*archive.app, archive.arguments->format);
  SetExamples(*archive.app, {"gprofhub admin archive --archive /mnt/old/gprofhub",
                             "gprofhub admin archive --archive /mnt/old/gprofhub --older-than 30d",
                             "gprofhub admin archive --archive /mnt/old/gprofhub --back"});
}

}  // namespace gprofhub::cli
