#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "ci/upload/image_search.h"
#include "cli/client/output.h"
#include "cli/commands.h"

namespace gprofhub::cli {

namespace {

struct SymbolsArguments {
  std::string image;
  std::string output;
  bool may_be_empty = false;
};

absl::StatusOr<std::string> MakeBundle(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string id, ci::IdentifyImage(path));
  ASSIGN_OR_RETURN(ci::Image image, ci::ReadImage(path, id));
  return std::move(image.bundle);
}

// Whether the file was read, and is one that a build may have among its programs: a script, a
// library without symbols.
bool HasNothing(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status);
}

// Whether the file was read, but cannot be used.
bool IsUnusable(const absl::Status& status) {
  return absl::IsDataLoss(status) || absl::IsResourceExhausted(status);
}

int RunSymbols(const SymbolsArguments& arguments) {
  absl::StatusOr<std::string> bundle = MakeBundle(arguments.image);
  if (!bundle.ok() && arguments.may_be_empty &&
      (HasNothing(bundle.status()) || IsUnusable(bundle.status()))) {
    if (IsUnusable(bundle.status())) Warn(bundle.status().message());
    bundle = std::string();
  }
  if (!bundle.ok()) return ReportStatus(bundle.status());
  return ReportStatus(WriteFile(arguments.output, *bundle));
}

}  // namespace

void AddSymbolsCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "symbols", "Write the symbol bundle that upload sends for a program or library");
  auto arguments = std::make_shared<SymbolsArguments>();
  command->add_option("image", arguments->image, "ELF file of the program or library")
      ->required()
      ->type_name("FILE");
  command->add_option("--output", arguments->output, "Output file")->required()->type_name("FILE");
  command->add_flag(
      "--may-be-empty", arguments->may_be_empty,
      "Write an empty file and exit with 0 if the image has no symbols or is not an ELF file");
  SetExamples(*command, {"gprofhub symbols bazel-bin/db/query_test --output query_test.symbols"});
  command->callback([arguments, &run] { run = [arguments] { return RunSymbols(*arguments); }; });
}

}  // namespace gprofhub::cli
