// `gprofhub admin backup` and `restore`.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/admin/time_options.h"
#include "cli/client/output.h"
#include "reporter/rendering/row_words.h"
#include "store/copy_rows.h"

namespace gprofhub::cli {

namespace {

using reporter::CountOfNoun;

struct BackupArguments {
  server::StoreOptions store;
  std::string file;
};

// Shows on stderr how far it is.
store::BackupOptions Options(ProgressLine& progress) {
  store::BackupOptions options;
  options.by = LocalActor();
  options.now = [] { return absl::Now(); };
  options.on_progress = [&progress, phase = std::string()](absl::string_view what, uint64_t done,
                                                           uint64_t all) mutable {
    if (!StderrIsTerminal() && phase == what) return;
    phase = std::string(what);
    progress.Show(StderrIsTerminal() && all > 0 ? absl::StrCat(what, ": ", done, " of ", all)
                                                : std::string(what));
  };
  return options;
}

std::string Size(const store::BackupResult& result) {
  std::string all =
      absl::StrCat(CountOfNoun(result.blobs, "blob"), " (", BytesText(result.blob_bytes), ")");
  if (result.archived == 0) return all;
  return absl::StrCat(all, ", of which the archive has ", result.archived);
}

int Backup(const BackupArguments& arguments) {
  const absl::StatusOr<std::string> location = server::StoreLocation(arguments.store);
  if (!location.ok()) return ReportStatus(location.status());
  ProgressLine progress(std::cerr, StderrIsTerminal());
  const absl::StatusOr<store::BackupResult> made =
      store::MakeBackup(*location, arguments.file, Options(progress));
  progress.End();
  if (!made.ok()) return ReportStatus(made.status());
  return PrintOutput(
      absl::StrCat(arguments.file, ": complete and verified; snapshot of the store at ",
                   absl::FormatTime("%Y-%m-%d %H:%M:%S", made->begun, absl::UTCTimeZone()),
                   " UTC, with ", Size(*made), "\n"));
}

int Restore(const BackupArguments& arguments) {
  const absl::StatusOr<std::string> location = server::StoreLocation(arguments.store);
  if (!location.ok()) return ReportStatus(location.status());
  ProgressLine progress(std::cerr, StderrIsTerminal());
  const absl::StatusOr<store::BackupResult> made =
      store::RestoreBackup(arguments.file, *location, Options(progress));
  progress.End();
  if (!made.ok()) return ReportStatus(made.status());
  return PrintOutput(absl::StrCat("restored and verified, with ", Size(*made), "\n",
                                  made->archived == 0
                                      ? ""
                                      : "the store only reads the archive; to write to it, run "
                                        "`gprofhub admin archive --take-over`\n"));
}

}  // namespace

void AddBackupActions(CLI::App& admin, CommandMain& run) {
  const auto backup = AddAction(
      admin, "backup", "Copy the store to a file and verify the copy; servers may keep running",
      run, Backup);
  backup.app->add_option("file", backup.arguments->file, "Backup file to create; must not exist")
      ->required();
  SetExamples(
      *backup.app,
      {"gprofhub admin backup /backups/gprofhub-2027-01-31.db",
       "gprofhub admin backup --store postgresql://gprofhub@db/gprofhub /backups/today.db"});

  const auto restore = AddAction(
      admin, "restore",
      "Restore a backup into an empty store, embedded or PostgreSQL; the backup may be of either",
      run, Restore);
  restore.app->add_option("file", restore.arguments->file, "Backup file")->required();
  SetExamples(
      *restore.app,
      {"gprofhub admin restore /backups/today.db --data-dir /var/lib/gprofhub",
       "gprofhub admin restore --store postgresql://gprofhub@db/gprofhub /backups/today.db"});
}

}  // namespace gprofhub::cli
