#include "reporter/gate/policy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/glob.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace gprofhub::reporter {

namespace {

constexpr size_t kMaxBytes = 3 << 20;  // GitHub loads no larger file
constexpr size_t kMaxEntries = 20000;
constexpr size_t kMaxPattern = 255;
constexpr size_t kMaxOwners = 20;
constexpr size_t kMaxOwnerBytes = 100;
constexpr size_t kMaxNames = 64;  // of a path

bool IsOwner(absl::string_view word) {
  if (word.size() < 2 || word.size() > kMaxOwnerBytes) return false;
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("@/._+-", c);
  });
  return plain && absl::StrContains(word, "@") && word.back() != '@';
}

// Removes and returns the first word of the line, up to an unescaped blank.
std::string TakePattern(absl::string_view& line) {
  std::string pattern;
  size_t i = 0;
  for (; i < line.size() && line[i] != ' ' && line[i] != '\t'; ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) ++i;
    pattern += line[i];
  }
  line.remove_prefix(i);
  return pattern;
}

// The owners in the line, up to a comment.
std::vector<std::string> OwnersIn(absl::string_view line) {
  std::vector<std::string> owners;
  for (absl::string_view word : absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
    if (absl::StartsWith(word, "#") || owners.size() == kMaxOwners) break;
    if (IsOwner(word)) owners.emplace_back(word);
  }
  return owners;
}

class Parser {
 public:
  void Read(absl::string_view line) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') return;
    if (ReadSection(line) || entries_ == kMaxEntries) return;
    CodeOwnersEntry entry;
    entry.excludes = absl::ConsumePrefix(&line, "!");
    entry.pattern = TakePattern(line);
    if (entry.pattern.empty() || entry.pattern.size() > kMaxPattern) return;
    entry.owners = OwnersIn(line);
    if (entry.owners.empty() && !entry.excludes) entry.owners = default_owners_;
    ++entries_;
    result_.sections[section_].entries.push_back(std::move(entry));
  }

  CodeOwners Take() { return std::move(result_); }

 private:
  // "[Name] @default", "^[Name][2] @default". Sections with equal names, ignoring case, are merged.
  bool ReadSection(absl::string_view line) {
    absl::ConsumePrefix(&line, "^");
    if (!absl::ConsumePrefix(&line, "[")) return false;
    const size_t end = line.find(']');
    if (end == absl::string_view::npos) return false;
    const std::string name = absl::AsciiStrToLower(line.substr(0, end));
    line.remove_prefix(end + 1);
    if (absl::StartsWith(line, "[")) {
      const size_t approvals = line.find(']');
      line.remove_prefix(approvals == absl::string_view::npos ? line.size() : approvals + 1);
    }
    const auto [known, is_new] = sections_.try_emplace(name, result_.sections.size());
    if (is_new) result_.sections.emplace_back();
    section_ = known->second;
    default_owners_ = OwnersIn(line);
    return true;
  }

  CodeOwners result_{{CodeOwnersSection()}};
  std::map<std::string, size_t> sections_;  // by name
  size_t section_ = 0;
  size_t entries_ = 0;
  std::vector<std::string> default_owners_;
};

using Names = std::vector<absl::string_view>;

// '*' matches any bytes or none, '?' one byte. Linear except for backtracking to the last '*'.
bool NameMatches(absl::string_view pattern, absl::string_view name) {
  size_t p = 0, n = 0, star = absl::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != absl::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Whether the pattern matches all names or, with `folders`, a prefix of them. Dynamic programming:
// which prefixes of the path the pattern's prefix matches.
bool NamesMatch(const Names& pattern, const Names& path, bool folders) {
  std::vector<bool> matched(path.size() + 1, false);
  matched[0] = true;
  for (const absl::string_view one : pattern) {
    std::vector<bool> next(path.size() + 1, false);
    for (size_t i = 0; i <= path.size(); ++i) {
      if (one == "**") {
        next[i] = matched[i] || (i > 0 && next[i - 1]);
      } else if (i > 0) {
        next[i] = matched[i - 1] && NameMatches(one, path[i - 1]);
      }
    }
    matched = std::move(next);
  }
  return matched.back() || (folders && std::count(matched.begin() + 1, matched.end(), true) > 0);
}

}  // namespace

CodeOwners ParseCodeOwners(absl::string_view text) {
  Parser parser;
  for (absl::string_view line : absl::StrSplit(text.substr(0, kMaxBytes), '\n')) parser.Read(line);
  return parser.Take();
}

bool OwnerPatternMatches(absl::string_view pattern, absl::string_view path) {
  const Names names = absl::StrSplit(path, '/');
  if (pattern.size() > kMaxPattern || names.size() > kMaxNames) return false;
  const bool is_folder = absl::ConsumeSuffix(&pattern, "/");
  bool at_root = absl::ConsumePrefix(&pattern, "/");
  if (pattern.empty()) return at_root || is_folder;
  Names wanted = absl::StrSplit(pattern, '/');
  at_root = at_root || wanted.size() > 1;
  const bool only_files = wanted.size() > 1 && wanted.back() == "*" && !is_folder;
  if (!at_root) wanted.insert(wanted.begin(), "**");
  // "folder/" matches everything in it, but not a file of that name.
  if (is_folder) wanted.insert(wanted.end(), {"*", "**"});
  return NamesMatch(wanted, names, /*folders=*/!only_files);
}

std::vector<std::string> OwnersOfFile(const CodeOwners& owners, absl::string_view path) {
  std::vector<std::string> all;
  for (const CodeOwnersSection& section : owners.sections) {
    const CodeOwnersEntry* last = nullptr;
    bool excluded = false;
    for (const CodeOwnersEntry& entry : section.entries) {
      if (!OwnerPatternMatches(entry.pattern, path)) continue;
      excluded = excluded || entry.excludes;
      last = &entry;
    }
    if (last == nullptr || excluded) continue;
    for (const std::string& owner : last->owners) {
      if (std::find(all.begin(), all.end(), owner) == all.end()) all.push_back(owner);
    }
  }
  return all;
}

namespace {

constexpr size_t kJsonReaderMaxEntries = 1000;

}  // namespace

absl::StatusOr<nlohmann::json> ParseStrictly(absl::string_view text, absl::string_view file) {
  using Json = nlohmann::json;
  std::vector<std::set<std::string>> open;
  std::string repeated;
  const Json::parser_callback_t watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end && !open.empty()) open.pop_back();
    if (event == Json::parse_event_t::key && !open.empty() && repeated.empty() &&
        !open.back().insert(parsed.get<std::string>()).second) {
      repeated = parsed.get<std::string>();
    }
    return true;
  };
  try {
    Json json = Json::parse(text.begin(), text.end(), watch);
    if (!repeated.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": ", base::Printable(repeated), ": is there twice in one object"));
    }
    return json;
  } catch (const Json::parse_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": byte ", error.byte, ": this is no JSON"));
  } catch (const Json::exception&) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": a number is out of range"));
  }
}

void JsonReader::Fail(absl::string_view path, absl::string_view what) {
  if (!status_.ok()) return;
  status_ = absl::InvalidArgumentError(
      absl::StrCat(file_, ": ", path.empty() ? "" : absl::StrCat(path, ": "), what));
}

bool JsonReader::Object(const Json& value, const std::string& path,
                        const std::set<std::string>& fields) {
  if (!value.is_object()) {
    Fail(path, "must be an object {…}");
    return false;
  }
  for (const auto& [name, field] : value.items()) {
    if (!fields.contains(name)) {
      const std::string meant = base::Closest(name, {fields.begin(), fields.end()});
      Fail(absl::StrCat(path, path.empty() ? "" : ".", base::Printable(name)),
           meant.empty() ? absl::StrCat("unknown field; known are ", absl::StrJoin(fields, ", "))
                         : absl::StrCat("unknown field; did you mean \"", meant, "\"?"));
      return false;
    }
  }
  return true;
}

const JsonReader::Json* JsonReader::List(const Json& object, const std::string& path,
                                         const char* field) {
  const auto found = object.find(field);
  if (found == object.end()) return nullptr;
  if (found->is_array() && found->size() <= kJsonReaderMaxEntries) return &*found;
  Fail(path + field, absl::StrCat("must be a list […] of at most ", kJsonReaderMaxEntries));
  return nullptr;
}

std::string JsonReader::Text(const Json& value, const std::string& path) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    if (!text.empty() && text.size() <= kMaxRuleTextBytes && text.find('\0') == std::string::npos) {
      return text;
    }
  }
  Fail(path, absl::StrCat("must be a text of 1 to ", kMaxRuleTextBytes, " bytes"));
  return "";
}

std::string JsonReader::TextField(const Json& object, const std::string& path, const char* field) {
  const auto found = object.find(field);
  if (found != object.end()) return Text(*found, path + field);
  Fail(path + field, "is missing");
  return "";
}

std::vector<std::string> JsonReader::Texts(const Json& object, const std::string& path,
                                           const char* field) {
  std::vector<std::string> texts;
  const Json* const list = List(object, path, field);
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    texts.push_back(Text((*list)[i], absl::StrCat(path, field, "[", i, "]")));
  }
  return texts;
}

double JsonReader::Number(const Json& object, const std::string& path, const char* field,
                          double most, double otherwise) {
  const auto found = object.find(field);
  if (found == object.end()) return otherwise;
  if (found->is_number()) {
    const double number = found->get<double>();
    if (number >= 0 && number <= most) return number;
  }
  Fail(path + field, absl::StrCat("must be a number from 0 to ", most));
  return otherwise;
}

bool JsonReader::Boolean(const Json& object, const std::string& path, const char* field,
                         bool otherwise) {
  const auto found = object.find(field);
  if (found == object.end()) return otherwise;
  if (found->is_boolean()) return found->get<bool>();
  Fail(path + field, "must be true or false");
  return otherwise;
}

namespace {

using Json = nlohmann::json;

constexpr size_t kPolicyMaxBytes = 1 << 20;

struct MetricWord {
  const char* name;
  v1::Finding::Metric value;
};
constexpr MetricWord kMetrics[] = {{"calls", v1::Finding::CALLS},
                                   {"self_time", v1::Finding::SELF_TIME},
                                   {"total_time", v1::Finding::TOTAL_TIME},
                                   {"instructions", v1::Finding::INSTRUCTIONS},
                                   {"event_instructions", v1::Finding::EVENT_INSTRUCTIONS},
                                   {"library_time", v1::Finding::LIBRARY_TIME}};

GateRule ReadRule(JsonReader& reader, const Json& value, const std::string& path) {
  GateRule rule;
  if (!reader.Object(value, path,
                     {"name", "targets", "functions", "metrics", "verdicts", "min_cpu_percent",
                      "min_calls_percent", "min_effect_percent", "fails"})) {
    return rule;
  }
  const std::string field = path + ".";
  rule.name = reader.TextField(value, field, "name");
  rule.targets = reader.Texts(value, field, "targets");
  rule.functions = reader.Texts(value, field, "functions");
  rule.metrics =
      reader.Words<v1::Finding::Metric>(value, field, "metrics", kMetrics,
                                        {v1::Finding::CALLS, v1::Finding::SELF_TIME,
                                         v1::Finding::LIBRARY_TIME, v1::Finding::INSTRUCTIONS});
  rule.verdicts = reader.Words<v1::Finding::Verdict>(value, field, "verdicts", kVerdictWords,
                                                     {v1::Finding::REGRESSED});
  rule.min_cpu_percent = reader.Number(value, field, "min_cpu_percent", 100, 1);
  if (value.contains("min_calls_percent")) {
    rule.min_calls_percent = reader.Number(value, field, "min_calls_percent", 100, 0);
  }
  rule.min_effect_percent = reader.Number(value, field, "min_effect_percent", 1e9, 0);
  rule.fails = reader.Boolean(value, field, "fails", true);
  return rule;
}

store::AcknowledgementRecord ReadAcknowledgement(JsonReader& reader, const Json& value,
                                                 const std::string& path) {
  store::AcknowledgementRecord record;
  if (!reader.Object(value, path, {"function", "target", "reason", "until", "not_a_regression"})) {
    return record;
  }
  const std::string field = path + ".";
  record.function = reader.TextField(value, field, "function");
  if (value.contains("target")) record.target = reader.TextField(value, field, "target");
  record.reason = reader.TextField(value, field, "reason");
  record.not_a_regression = reader.Boolean(value, field, "not_a_regression", false);
  record.author = kPolicyFile;
  const std::string until = reader.TextField(value, field, "until");
  std::string error;
  absl::Time day;
  if (absl::ParseTime("%Y-%m-%d", until, &day, &error)) {
    record.expires = day + absl::Hours(24);  // the given day is included
  } else {
    reader.Fail(field + "until", "must be a day such as \"2027-01-31\"");
  }
  return record;
}

OrderingPolicy ReadOrdering(JsonReader& reader, const Json& value) {
  OrderingPolicy ordering;
  const std::string field = "ordering.";
  if (!reader.Object(value, "ordering",
                     {"workloads", "exclude", "with_tests", "history", "half_life_days"})) {
    return ordering;
  }
  if (const Json* list = reader.List(value, field, "workloads"); list != nullptr) {
    for (size_t i = 0; i < list->size(); ++i) {
      const std::string path = absl::StrCat(field, "workloads[", i, "]");
      if (!reader.Object((*list)[i], path, {"target", "weight"})) break;
      ordering.workloads.push_back({reader.TextField((*list)[i], path + ".", "target"),
                                    reader.Number((*list)[i], path + ".", "weight", 1e6, 1)});
    }
  }
  ordering.exclude = reader.Texts(value, field, "exclude");
  ordering.with_tests = reader.Boolean(value, field, "with_tests", false);
  const double history = reader.Number(value, field, "history", 100, 1);
  if (history < 1 || history != std::floor(history)) {
    reader.Fail(field + "history", "must be a whole number from 1 to 100");
  }
  ordering.history = static_cast<uint32_t>(history);
  ordering.half_life_days = reader.Number(value, field, "half_life_days", 1e6, 0);
  return ordering;
}

std::vector<OwnerRule> ReadOwners(JsonReader& reader, const Json& document) {
  std::vector<OwnerRule> rules;
  const Json* const list = reader.List(document, "", "owners");
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const std::string path = absl::StrCat("owners[", i, "]");
    if (!reader.Object((*list)[i], path, {"files", "functions", "owners"})) break;
    OwnerRule rule;
    rule.files = reader.Texts((*list)[i], path + ".", "files");
    rule.functions = reader.Texts((*list)[i], path + ".", "functions");
    rule.owners = reader.Texts((*list)[i], path + ".", "owners");
    if (rule.owners.empty()) reader.Fail(path + ".owners", "must not be empty");
    if (rule.files.empty() && rule.functions.empty()) {
      reader.Fail(path, "must have files or functions");
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace

Policy DefaultPolicy() {
  Policy policy;
  GateRule more_work;
  more_work.name = "more-work";
  more_work.metrics = {v1::Finding::CALLS, v1::Finding::INSTRUCTIONS};
  more_work.verdicts = {v1::Finding::REGRESSED};
  GateRule slower;
  slower.name = "slower";
  slower.metrics = {v1::Finding::SELF_TIME, v1::Finding::LIBRARY_TIME};
  slower.verdicts = {v1::Finding::REGRESSED};
  policy.gates = {more_work, slower};
  return policy;
}

absl::StatusOr<Policy> ParsePolicy(absl::string_view text, absl::string_view file) {
  if (text.size() > kPolicyMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": is longer than ", kPolicyMaxBytes, " bytes"));
  }
  ASSIGN_OR_RETURN(const Json json, ParseStrictly(text, file));
  JsonReader reader(file);
  Policy policy = DefaultPolicy();
  if (reader.Object(json, "",
                    {"version", "comment_above_percent", "gates", "acknowledged", "ordering",
                     "owners", "project", "rerun", "server"})) {
    const auto version = json.find("version");
    if (version == json.end() || !version->is_number_integer() || *version != 1) {
      reader.Fail("version", "must be 1");
    }
    policy.comment_above_percent = reader.Number(json, "", "comment_above_percent", 100, 0.5);
    if (const Json* gates = reader.List(json, "", "gates"); gates != nullptr) {
      policy.gates.clear();
      std::set<std::string> names;
      for (size_t i = 0; i < gates->size(); ++i) {
        const std::string path = absl::StrCat("gates[", i, "]");
        policy.gates.push_back(ReadRule(reader, (*gates)[i], path));
        if (!names.insert(policy.gates.back().name).second) {
          reader.Fail(path + ".name", "is the name of another rule, too");
        }
      }
    }
    if (const Json* list = reader.List(json, "", "acknowledged"); list != nullptr) {
      for (size_t i = 0; i < list->size(); ++i) {
        policy.acknowledged.push_back(
            ReadAcknowledgement(reader, (*list)[i], absl::StrCat("acknowledged[", i, "]")));
      }
    }
    if (json.contains("ordering")) policy.ordering = ReadOrdering(reader, json["ordering"]);
    policy.owners = ReadOwners(reader, json);
    if (json.contains("rerun") && reader.Object(json["rerun"], "rerun", {"job"})) {
      policy.rerun_job = reader.TextField(json["rerun"], "rerun.", "job");
    }
  }
  if (!reader.status().ok()) return reader.status();
  return policy;
}

namespace {

bool BelongsTo(const OwnerRule& rule, const v1::Finding& finding, absl::string_view file) {
  const bool file_fits =
      rule.files.empty() ||
      std::any_of(rule.files.begin(), rule.files.end(), [&](const std::string& pattern) {
        return !file.empty() && OwnerPatternMatches(pattern, file);
      });
  const bool function_fits =
      rule.functions.empty() ||
      std::any_of(rule.functions.begin(), rule.functions.end(), [&](const std::string& glob) {
        return base::GlobMatches(glob, finding.function()) ||
               base::GlobMatches(glob, finding.function_display());
      });
  return file_fits && function_fits;
}

}  // namespace

std::vector<std::string> OwnersOf(const Policy& policy, const CodeOwners& code_owners,
                                  const v1::Finding& finding) {
  absl::string_view file = finding.site().file();
  absl::ConsumePrefix(&file, "./");
  for (const OwnerRule& rule : policy.owners) {
    if (BelongsTo(rule, finding, file)) return rule.owners;
  }
  if (file.empty()) return {};
  return OwnersOfFile(code_owners, file);
}

}  // namespace gprofhub::reporter
