#include "cli/gprof/options/symspec_arguments.h"

namespace gprofhub::cli {
namespace {

// A slash separates the functions of a call. For options about functions, the text behind it is
// ignored.
analyzer::Symspec FirstOf(absl::string_view text) {
  return analyzer::Symspec::Parse(text.substr(0, text.find('/')));
}

void AddArcs(absl::string_view text,
             std::vector<std::pair<analyzer::Symspec, analyzer::Symspec>>& arcs) {
  const size_t slash = text.find('/');
  if (slash == absl::string_view::npos) return;
  arcs.emplace_back(FirstOf(text), analyzer::Symspec::Parse(text.substr(slash + 1)));
}

}  // namespace

void SymspecArguments::Add(SymspecTable table, absl::string_view text) {
  packed_.push_back(static_cast<char>(table));
  packed_.append(text.data(), text.size());
  packed_.push_back('\0');
}

void SymspecArguments::ForEach(Visit visit) const {
  for (size_t at = 0; at < packed_.size();) {
    const size_t end = packed_.find('\0', at + 1);
    visit(static_cast<SymspecTable>(packed_[at]),
          absl::string_view(packed_).substr(at + 1, end - at - 1));
    at = end + 1;
  }
}

std::vector<SymspecArgument> SymspecArguments::All() const {
  std::vector<SymspecArgument> all;
  ForEach([&](SymspecTable table, absl::string_view text) {
    all.push_back({table, std::string(text)});
  });
  return all;
}

analyzer::SymspecLists SymspecArguments::Lists() const {
  analyzer::SymspecLists lists;
  ForEach([&](SymspecTable table, absl::string_view text) {
    if (table == SymspecTable::kIncludeArcs) return AddArcs(text, lists.included_arcs);
    if (table == SymspecTable::kExcludeArcs) return AddArcs(text, lists.excluded_arcs);
    for (size_t choice = 0; choice < analyzer::kChoices; ++choice) {
      const ChoiceTables tables = TablesOf(static_cast<analyzer::Choice>(choice));
      if (tables.include == table) lists.include[choice].push_back(FirstOf(text));
      if (tables.exclude == table) lists.exclude[choice].push_back(FirstOf(text));
    }
  });
  return lists;
}

bool SymspecArguments::NamePlaces() const {
  bool any = false;
  const auto look_at = [&](absl::string_view text) {
    const analyzer::Symspec spec = analyzer::Symspec::Parse(text);
    any |= spec.file || spec.line;
  };
  ForEach([&](SymspecTable, absl::string_view text) {
    const size_t slash = text.find('/');
    look_at(text.substr(0, slash));
    if (slash != absl::string_view::npos) look_at(text.substr(slash + 1));
  });
  return any;
}

}  // namespace gprofhub::cli
