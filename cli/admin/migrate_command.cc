// `gprofhub admin migrate`.
#include <CLI/CLI.hpp>
#include <string>

#include "absl/time/clock.h"
#include "analyzer/worker/pack_points.h"
#include "cli/admin/actions.h"
#include "cli/admin/local_actor.h"

namespace gprofhub::cli {
namespace {

struct MigrateArguments {
  StoreOptions store;
};

int Migrate(const MigrateArguments& arguments) {
  const absl::StatusOr<std::string> location = StoreLocation(arguments.store);
  if (!location.ok()) return ReportStatus(location.status());
  const bool was_current = store::OpenWholeStore(*location).ok();
  store::Opening opening;
  opening.migrate = true;
  opening.by = LocalActor();
  opening.now = absl::Now();
  opening.split_sealed_bucket = analyzer::SplitSealedBucket;
  const absl::StatusOr<store::WholeStore> store = store::OpenWholeStore(*location, opening);
  if (!store.ok()) return ReportStatus(store.status());
  return PrintOutput(was_current ? "the store needs no change for this gprofhub\n"
                                 : "the store's schema is that of this gprofhub now\n");
}

}  // namespace

void AddMigrateAction(CLI::App& admin, CommandMain& run) {
  const auto migrate = AddAction(
      admin, "migrate", "Bring the schema of an older gprofhub's store up to date", run, Migrate);
  SetExamples(*migrate.app, {"gprofhub admin migrate",
                             "gprofhub admin migrate --store postgresql://gprofhub@db/gprofhub"});
}

}  // namespace gprofhub::cli
