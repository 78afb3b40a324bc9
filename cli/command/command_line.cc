#include "cli/command/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/text.h"
#include "cli/command/terminal.h"

namespace gprofhub::cli {

namespace {

// Lists each command in one line: the rest of its description is in its own help.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* command) const override {
    const std::string description = command->get_description();
    std::stringstream out;
    CLI::detail::format_help(out, command->get_name(),
                             description.substr(0, description.find('\n')), get_column_width());
    return out.str();
  }
};

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string FullName(const CLI::App& app) {
  // CLI11 has no const access to the parent.
  const CLI::App* const parent = const_cast<CLI::App&>(app).get_parent();
  if (parent == nullptr) return app.get_name();
  return absl::StrCat(FullName(*parent), " ", app.get_name());
}

std::string HelpOf(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, FullName(app), CLI::AppFormatMode::Normal);
}

std::string DidYouMean(const std::string& word, const std::vector<std::string>& known) {
  const std::string meant = base::Closest(word, known);
  return meant.empty() ? "" : absl::StrCat("; did you mean ", meant, "?");
}

// The first word that no command expects; empty: none.
std::string UnexpectedWord(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(/*recurse=*/true);
  const auto option = std::find_if(rest.begin(), rest.end(), [](const std::string& word) {
    return absl::StartsWith(word, "-") && word != "--";
  });
  if (option != rest.end()) return option->substr(0, option->find('='));
  return rest.empty() ? "" : rest.front();
}

std::string AboutUnexpected(const CLI::App& app, const CLI::App& command, const std::string& word) {
  if (absl::StartsWith(word, "-")) {
    std::vector<std::string> known = OptionNames(command);
    for (const std::string& name : OptionNames(app)) known.push_back(name);
    return absl::StrCat("unknown option ", word, DidYouMean(word, known));
  }
  const std::vector<std::string> commands = CommandNames(command);
  if (commands.empty()) return absl::StrCat("unexpected argument \"", word, "\"");
  return absl::StrCat("unknown command \"", word, "\"", DidYouMean(word, commands));
}

// CLI11's "--format: jsn not in {text,json}", in our words; other messages as they are.
std::string AboutValue(const std::string& message) {
  constexpr char kNotIn[] = " not in {";
  const size_t colon = message.find(": ");
  const size_t not_in = message.rfind(kNotIn);
  if (colon == std::string::npos || not_in == std::string::npos || not_in < colon) return message;
  const std::string value = message.substr(colon + 2, not_in - colon - 2);
  const std::vector<std::string> known = ListedValues(message.substr(not_in));
  const std::string meant = DidYouMean(value, known);
  return absl::StrCat(message.substr(0, colon), ": invalid value \"", value, "\"",
                      meant.empty() ? "; use one of " + absl::StrJoin(known, ", ") : meant);
}

int ReportError(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = ChosenCommand(app);
  const std::string word = UnexpectedWord(app);
  const bool lacks_command = !command.get_subcommands({}).empty();
  const int code = error.get_exit_code();
  const bool is_extra = code == static_cast<int>(CLI::ExitCodes::ExtrasError);
  const bool is_missing = code == static_cast<int>(CLI::ExitCodes::RequiredError);
  std::string message = AboutValue(error.what());
  if (!word.empty() && (lacks_command || is_extra)) {
    message = AboutUnexpected(app, command, word);
  } else if (lacks_command && is_missing) {
    std::cerr << Wrapped(HelpOf(command), StderrScreen().columns);
    message = absl::StrCat(FullName(command), " needs a command");
  }
  return ReportUsage(
      absl::InvalidArgumentError(absl::StrCat(message, " (see ", FullName(command), " --help)")));
}

// Help for the words that name a command, as --help prints it.
int PrintHelp(CLI::App& app, const std::vector<std::string>& words) {
  CLI::App* command = &app;
  for (const std::string& word : words) {
    const std::vector<std::string> known = CommandNames(*command);
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      return ReportUsage(absl::InvalidArgumentError(
          absl::StrCat("unknown command \"", word, "\"", DidYouMean(word, known))));
    }
    command = command->get_subcommand(word);
  }
  return PrintText(HelpOf(*command));
}

}  // namespace

void PrepareApp(CLI::App& app) {
  app.name("gprofhub");
  app.require_subcommand(1);
  // Options of the program may follow the command.
  app.fallthrough();
  app.formatter(std::make_shared<HelpFormatter>());
  AddTerminalOptions(app);
  app.footer("gprofhub help COMMAND lists a command's options. Documents: docs/cli.md\n");
}

void AddHelpCommand(CLI::App& app, CommandMain& run) {
  CLI::App* const command =
      app.add_subcommand("help", "Print the help of gprofhub or of a command");
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("command", *words, "Name of the command")->type_name("COMMAND");
  SetExamples(*command, {"gprofhub help", "gprofhub help report", "gprofhub help token create"});
  command->callback(
      [words, &app, &run] { run = [words, &app] { return PrintHelp(app, *words); }; });
}

const CLI::App& ChosenCommand(const CLI::App& app) {
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return *chosen;
}

std::vector<std::string> ListedValues(const std::string& text) {
  const size_t begin = text.find('{');
  const size_t end = text.find('}', begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return absl::StrSplit(text.substr(begin + 1, end - begin - 1), ',');
}

int ParseAndRun(CLI::App& app, const CommandMain& run, const std::vector<std::string>& words) {
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return PrintText(HelpOf(ChosenCommand(app)));
  } catch (const CLI::CallForVersion& version) {
    return PrintOutput(absl::StrCat(version.what(), "\n"));
  } catch (const CLI::ParseError& error) {
    return ReportError(app, error);
  }
  return run();
}

}  // namespace gprofhub::cli
