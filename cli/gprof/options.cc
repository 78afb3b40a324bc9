#include "cli/gprof/options.h"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace gprofhub::cli {

namespace {

namespace fs = std::filesystem;

// Bazel's toolchains substitute it for the directory of the compilation, which differs between
// machines.
constexpr absl::string_view kBazelFolder = "/proc/self/cwd";

// `path` with the directory `from` replaced by `to`; nullopt if `path` is not below `from`.
std::optional<std::string> Moved(absl::string_view path, absl::string_view from,
                                 absl::string_view to) {
  absl::ConsumeSuffix(&from, "/");
  absl::ConsumeSuffix(&to, "/");
  if (!absl::ConsumePrefix(&path, from) || !absl::ConsumePrefix(&path, "/")) return std::nullopt;
  return absl::StrCat(to, "/", path);
}

std::string NameAlone(absl::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

std::vector<std::string> SourcePlaces(const std::string& path, const SourceSearch& search) {
  std::vector<std::string> places = {path};
  for (const PathMapping& mapping : search.path_map) {
    if (auto moved = Moved(path, mapping.from, mapping.to)) places.push_back(*std::move(moved));
  }
  for (const std::string& directory : search.directories) {
    places.push_back(absl::StrCat(directory, "/", NameAlone(path)));
  }
  for (const std::string& root : search.bazel_roots) {
    if (auto moved = Moved(path, kBazelFolder, root)) places.push_back(*std::move(moved));
  }
  return places;
}

std::vector<std::string> BazelRoots(const std::string& image, const char* workspace) {
  std::vector<std::string> roots;
  if (workspace != nullptr && *workspace != '\0') roots.emplace_back(workspace);
  std::error_code error;
  const fs::path real = fs::canonical(image, error);
  if (error) return roots;
  for (fs::path folder = real.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (folder.parent_path().filename() == "execroot") {
      roots.push_back(folder);
      break;
    }
  }
  return roots;
}

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

std::vector<std::string> ReadableProfiles(const GprofOptions& options) {
  std::vector<std::string> names;
  absl::string_view rest = options.profiles;
  while (!rest.empty()) {
    names.emplace_back(rest.data());
    rest.remove_prefix(names.back().size() + 1);
    if (names.back() != "-" && access(names.back().c_str(), R_OK) != 0) break;
  }
  return names;
}

}  // namespace gprofhub::cli
