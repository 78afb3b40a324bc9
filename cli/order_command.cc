#include "cli/order_command.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/local_profile.h"
#include "cli/ordering_text.h"
#include "cli/query_client.h"

namespace gprofhub {
namespace {

struct OrderArguments {
  ServerOptions server;
  std::string source = "latest";
  std::string target;
  std::string algorithm = "c3";
  std::string image;
  std::string output;
};

absl::StatusOr<std::string> OrderLocal(const OrderArguments& arguments) {
  const absl::StatusOr<ComputedProfile> sum = ReadLocalSum(arguments.source, arguments.image);
  if (!sum.ok()) return sum.status();
  return SymbolFileOf({*sum}, arguments.algorithm);
}

absl::StatusOr<std::string> OrderAtServer(const OrderArguments& arguments) {
  v1::GetOrderingRequest request;
  request.set_run(arguments.source);
  request.set_target(arguments.target);
  request.set_algorithm(arguments.algorithm);
  return QueryClient(arguments.server).GetOrdering(request);
}

int RunOrder(const OrderArguments& arguments) {
  std::error_code error;
  const absl::StatusOr<std::string> order = std::filesystem::exists(arguments.source, error)
                                                ? OrderLocal(arguments)
                                                : OrderAtServer(arguments);
  if (!order.ok()) return ReportStatus(order.status());
  if (arguments.output.empty()) {
    std::cout << *order << std::flush;
    return kExitOk;
  }
  std::ofstream file(arguments.output, std::ios::binary | std::ios::trunc);
  file << *order << std::flush;
  if (!file) {
    return ReportStatus(
        absl::PermissionDeniedError(absl::StrCat(arguments.output, " cannot be written")));
  }
  return kExitOk;
}

}  // namespace

void AddOrderCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "order", "Print the functions in the order in which they should be linked");
  auto arguments = std::make_shared<OrderArguments>();
  command
      ->add_option("run", arguments->source,
                   "Run id, commit, latest, or a local folder as for `gprofhub diff`")
      ->capture_default_str();
  command->add_option("--target", arguments->target, "One target only (default: all of the run)");
  command->add_option("--algorithm", arguments->algorithm, "How to order")
      ->check(CLI::IsMember({"c3", "gprof"}))
      ->capture_default_str();
  command->add_option("--image", arguments->image, "Program that wrote the local profiles")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command->add_option("--output", arguments->output, "Write to this file (default: stdout)")
      ->type_name("FILE");
  AddServerOptions(*command, arguments->server);
  SetExamples(*command,
              {"gprofhub order --output app.order",
               "gprofhub order 3fa41c2 --target //db:query_test --output db.order",
               "g++ -ffunction-sections … -fuse-ld=lld -Wl,--symbol-ordering-file=app.order"});
  command->callback([arguments, &run] { run = [arguments] { return RunOrder(*arguments); }; });
}

}  // namespace gprofhub
