// GNU gprof's options are parsed by getopt_long, as GNU gprof's own are, so that
// abbreviations and the wording of errors agree. getopt_long gets one argument at a time, and the
// argument behind it: an array of all arguments would be several times as large as the file that
// they may come from. Options that only this program has are removed before. They must be written
// in full, so that they make no abbreviation ambiguous.
#include "cli/gprof/parse_options.h"

#include <getopt.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "cli/gprof/option_meanings.h"

namespace gprofhub::cli {

namespace {

// Limit for files that include each other.
constexpr int kMostFiles = 2000;
constexpr size_t kMostBytes = size_t{16} << 20;

}  // namespace

std::optional<std::string> TakeArgument(absl::string_view text, size_t& position) {
  size_t& i = position;
  while (i < text.size() && absl::ascii_isspace(text[i])) ++i;
  if (i == text.size()) return std::nullopt;
  std::string argument;
  char quote = '\0';
  for (; i < text.size() && (quote != '\0' || !absl::ascii_isspace(text[i])); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      argument += text[++i];
    } else if (c == '\\') {
      // A backslash at the very end is ignored.
    } else if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      argument += c;
    }
  }
  return argument;
}

ArgumentStream::ArgumentStream(std::vector<std::string> arguments)
    : arguments_(std::move(arguments)) {}

std::optional<std::string> ArgumentStream::NextAsWritten() {
  while (!open_.empty()) {
    OpenFile& file = open_.back();
    if (auto argument = TakeArgument(file.text, file.position)) return argument;
    open_.pop_back();
  }
  if (next_ == arguments_.size()) return std::nullopt;
  return std::move(arguments_[next_++]);
}

std::optional<std::string> ArgumentStream::ReadArguments(const std::string& path) {
  // A pipe or a device may never end.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  absl::StatusOr<std::string> text = base::ReadFile(path, kMostBytes - bytes_);
  if (!text.ok()) return std::nullopt;
  bytes_ += text->size();
  return *std::move(text);
}

std::optional<std::string> ArgumentStream::Next() {
  while (true) {
    std::optional<std::string> argument = NextAsWritten();
    if (!argument || argument->size() < 2 || argument->front() != '@' || files_ == kMostFiles) {
      return argument;
    }
    std::optional<std::string> text = ReadArguments(argument->substr(1));
    if (!text) return argument;
    ++files_;
    open_.push_back({*std::move(text)});
  }
}

size_t ArgumentStream::bytes_left() const {
  size_t bytes = 0;
  for (size_t i = next_; i < arguments_.size(); ++i) bytes += arguments_[i].size() + 1;
  for (const OpenFile& file : open_) bytes += file.text.size() - file.position + 1;
  return bytes;
}

namespace {

class OptionParser {
 public:
  ParsedOptions Parse(int argc, char** argv) {
    options_.program = argv[0];
    arguments_.emplace(std::vector<std::string>(argv + 1, argv + argc));
    std::optional<std::string> argument = Next();
    while (argument) {
      std::optional<std::string> following = Next();
      if (options_ended_ || argument->size() < 2 || argument->front() != '-') {
        AddOperand(argument->c_str());
      } else if (*argument == "--") {
        options_ended_ = true;
      } else {
        const std::optional<int> code = ParseOption(argument->data(), following);
        if (code) return *code;
        if (optind == kBehindFollowing) following = Next();
      }
      argument = std::move(following);
    }
    if (!Check()) return kFailed;
    // Regardless of the order of the options, that style uses the linker's names.
    if (options_.listing.traditional) options_.listing.demangling.reset();
    if (options_.sum_series) {
      UseSeries();
    } else if (!profiles_.empty()) {
      options_.profiles = std::move(profiles_);
    }
    return std::move(options_);
  }

 private:
  static constexpr int kFailed = 1;
  static constexpr absl::string_view kFormatOption = "--format=";
  static constexpr absl::string_view kBreakOption = "--break-cycles";
  static constexpr absl::string_view kCutOption = "--cut-cycles";
  static constexpr absl::string_view kPathMapOption = "--path-map=";

  static constexpr int kBehindFollowing = 3;

  // The next argument that is not one of our own options; arguments after "--" are not options.
  std::optional<std::string> Next() {
    while (true) {
      std::optional<std::string> argument = arguments_->Next();
      if (!argument || !may_be_own_) return argument;
      if (*argument == "--") may_be_own_ = false;
      if (!TakeOwn(*argument)) return argument;
    }
  }

  bool TakeOwn(const std::string& argument) {
    if (argument == "--exact-clones") {
      options_.listing.rows.policy = analyzer::SymbolPolicy::kExact;
    } else if (argument == "--sum-series") {
      options_.sum_series = true;
    } else if (argument == "--expected-error") {
      options_.listing.expected_error = true;
    } else if (absl::StartsWith(argument, kBreakOption) || absl::StartsWith(argument, kCutOption)) {
      TakeCycles(argument);
    } else if (absl::StartsWith(argument, kPathMapOption)) {
      const std::pair<std::string, std::string> map =
          absl::StrSplit(argument.substr(kPathMapOption.size()), absl::MaxSplits('=', 1));
      options_.path_map.push_back({map.first, map.second});
    } else if (absl::StartsWith(argument, kFormatOption) && !has_format_) {
      options_.export_format = argument.substr(kFormatOption.size());
      has_format_ = true;
    } else {
      return false;
    }
    return true;
  }

  // --break-cycles or --cut-cycles, with an optional minimum number of functions of a cycle.
  void TakeCycles(absl::string_view argument) {
    constexpr uint64_t kEveryCycle = 2;
    options_.cut_cycles |= absl::ConsumePrefix(&argument, kCutOption);
    absl::ConsumePrefix(&argument, kBreakOption);
    options_.break_cycles = kEveryCycle;
    if (argument.empty()) return;
    if (!absl::ConsumePrefix(&argument, "=") ||
        !absl::SimpleAtoi(argument, &options_.break_cycles) ||
        options_.break_cycles < kEveryCycle) {
      bad_cycles_ = true;
    }
  }

  void AddOperand(const char* operand) {
    if (std::getenv("POSIXLY_CORRECT") != nullptr) options_ended_ = true;
    if (!has_image_) {
      options_.image = operand;
      has_image_ = true;
      return;
    }
    const absl::string_view name = operand;
    if (profiles_.empty()) profiles_.reserve(name.size() + 1 + arguments_->bytes_left());
    absl::StrAppend(&profiles_, name, kNameEnd);
  }

  // The options in one argument. Leaves optind behind the consumed arguments. Returns the exit code
  // if the command line is done.
  std::optional<int> ParseOption(char* argument, std::optional<std::string>& following) {
    char* window[] = {options_.program.data(), argument, nullptr, nullptr};
    if (following) window[2] = following->data();
    optind = 0;  // resets getopt
    do {
      const int choice =
          getopt_long(following ? 3 : 2, window, kShortOptions, kLongOptions, nullptr);
      if (const std::optional<int> code = meanings_.Apply(choice)) return code;
    } while (optind < 2);
    return std::nullopt;
  }

  bool Fail(const std::string& message) {
    std::cerr << options_.program << ": " << message << "\n";
    return false;
  }

  // The profiles are gmon.out.0, gmon.out.1, … up to the first that is missing.
  void UseSeries() {
    options_.wanted |= kSum;
    options_.listing.rows.by_line = true;
    options_.profiles.clear();
    for (int number = 0;; ++number) {
      const std::string next = absl::StrCat("gmon.out.", number);
      if (number > 0 && access(next.c_str(), F_OK) != 0) return;
      absl::StrAppend(&options_.profiles, next, kNameEnd);
    }
  }

  // Whether the options can be combined.
  bool Check() {
    const unsigned orders = kFunctionOrder | kFileOrder;
    if ((options_.wanted & orders) == orders) {
      return Fail("Only one of --function-ordering and --file-ordering may be specified.");
    }
    if (bad_cycles_) {
      return Fail(
          absl::StrCat(kBreakOption, ", ", kCutOption,
                       ": must be a minimum number of functions per cycle, 2 or more, as in ",
                       kBreakOption, "=3"));
    }
    if (options_.break_cycles > 0 && !options_.export_format.empty()) {
      return Fail(absl::StrCat(kBreakOption, " and ", kCutOption,
                               " apply to listings and cannot be combined with ", kFormatOption,
                               options_.export_format));
    }
    for (const PathMapping& map : options_.path_map) {
      if (!map.from.empty() && !map.to.empty()) continue;
      return Fail(
          absl::StrCat(kPathMapOption, map.from, ": not of the form OLD=NEW, with two folders"));
    }
    return true;
  }

  static constexpr absl::string_view kNameEnd = {"", 1};

  std::optional<ArgumentStream> arguments_;
  bool may_be_own_ = true;      // the next argument
  bool options_ended_ = false;  // by "--"
  bool has_format_ = false;
  bool bad_cycles_ = false;  // not a number of functions
  bool has_image_ = false;
  std::string profiles_;  // as in GprofOptions
  GprofOptions options_;
  OptionMeanings meanings_{options_};
};

}  // namespace

ParsedOptions ParseGprofOptions(int argc, char** argv) { return OptionParser().Parse(argc, argv); }

}  // namespace gprofhub::cli
