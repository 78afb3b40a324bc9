#include "cli/order/options.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "reporter/policy/policy.h"

namespace gprofhub::cli {
namespace {

void AddSourceOptions(CLI::App& command, OrderArguments& arguments) {
  OrderSource& source = arguments.source;
  command
      .add_option("run", source.sources,
                  "Local folders as for `gprofhub diff`, and files of stacks that perf sampled; or "
                  "run ids, commits or latest on a server. All are taken together. Or one ordering "
                  "file, for another --format or --verify")
      ->capture_default_str();
  command.add_option("--target", source.target, "One target only (default: all of the run)");
  command
      .add_option("--format", arguments.format,
                  "For which linker; link orders object files, text is for people")
      ->check(CLI::IsMember({"lld", "lld-call-graph", "gold", "gnu-ld", "link", "text"}))
      ->capture_default_str();
  command.add_option("--image", source.image, "Program that wrote the local profiles")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
}

void AddPolicyOptions(CLI::App& command, OrderArguments& arguments) {
  command
      .add_option("--weight", arguments.weights,
                  "Count the runs of this folder, or of the targets that match, FACTOR times; 0 "
                  "leaves them out (repeatable)")
      ->type_name("PATTERN=FACTOR")
      ->allow_extra_args(false);
  command
      .add_option("--exclude", arguments.exclude,
                  "Leave out functions whose name or source file matches (repeatable)")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command.add_flag("--with-tests", arguments.with_tests,
                   "Keep test frameworks and the tests' own functions");
  command
      .add_option("--history", arguments.history,
                  "On a server: take so many runs of the main branch together, up to this one")
      ->check(CLI::Range(1, 100))
      ->type_name("RUNS");
  command
      .add_option("--half-life", arguments.half_life_days,
                  "On a server: what is so much older counts half")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("DAYS");
  command
      .add_option("--policy", arguments.policy_file,
                  absl::StrCat("Policy file (default: ", reporter::kPolicyFile,
                               " in this folder, if there is one)"))
      ->type_name("FILE");
}

void AddLinkingOptions(CLI::App& command, OrderArguments& arguments) {
  command
      .add_option("--map", arguments.map_file,
                  "For --format=link: the object files' functions, as nm --print-file-name prints "
                  "them")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command
      .add_option("--verify", arguments.verify,
                  "Say whether this linked program has the functions in order, instead")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
}

void AddReplayOptions(CLI::App& command, OrderArguments& arguments) {
  CLI::Option* replay =
      command
          .add_option("--replay", arguments.replay.trace,
                      "Replay this instruction trace under each order named in the place of runs "
                      "(symbol files or linked programs); - for standard input")
          ->type_name("TRACE");
  command
      .add_option(
          "--binary", arguments.replay.binary,
          "Linked program: the one that was traced; for an order, the release that it is for")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command
      .add_option("--load-bias", arguments.replay.load_bias,
                  "What was added to the traced program's addresses, hexadecimal")
      ->needs(replay)
      ->capture_default_str();
  command
      .add_option("--store-trace", arguments.store_trace,
                  "Write the trace to this file, in its small form")
      ->needs(replay)
      ->type_name("FILE");
  command
      .add_option("--report", arguments.report,
                  "Print a table, and write NAME.svg and NAME.png: the pages touched before and "
                  "after")
      ->needs(replay)
      ->type_name("NAME");
  command
      .add_option("--max-drift", arguments.max_drift,
                  "Exit with 6 if the first order has so much more of a metric of the replay than "
                  "the last (repeatable)")
      ->needs(replay)
      ->type_name("METRIC=PERCENT")
      ->allow_extra_args(false);
}

void AddOutputOptions(CLI::App& command, OrderArguments& arguments) {
  CLI::Option* output =
      command.add_option("--output", arguments.output, "Write to this file (default: stdout)")
          ->type_name("FILE");
  command.add_option("--write", arguments.label, "Write to this file of the Bazel workspace")
      ->excludes(output)
      ->type_name("//PATH:FILE");
}

void SetOrderExamples(CLI::App& command) {
  SetExamples(
      command,
      {"gprofhub order --output app.order",
       "g++ -ffunction-sections … -fuse-ld=lld -Wl,--symbol-ordering-file=app.order",
       "gprofhub order --history=20 --half-life=14 --output app.order",
       "gprofhub order profiles/ --format=gold --output app.sections",
       "gprofhub order profiles/ production.folded --image app --weight production.folded=3",
       "gprofhub order app.order --format=gnu-ld --binary app --output app.ld",
       "gprofhub order app.order --verify app",
       "gprofhub order --replay app.trace --binary app old.order new.order",
       "gprofhub order --replay app.trace --binary app old.order new.order --max-drift pages=5"});
}

}  // namespace

void AddOrderOptions(CLI::App& command, OrderArguments& arguments) {
  AddSourceOptions(command, arguments);
  AddPolicyOptions(command, arguments);
  AddLinkingOptions(command, arguments);
  AddReplayOptions(command, arguments);
  AddOutputOptions(command, arguments);
  AddServerOptions(command, arguments.source.server);
  SetOrderExamples(command);
}

}  // namespace gprofhub::cli
