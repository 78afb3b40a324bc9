#include "cli/command/project_file.h"

#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace gprofhub::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr size_t kMostBytes = 3 << 20;

bool IsShared(const fs::path& folder) {
  struct stat about = {};
  return stat(folder.c_str(), &about) == 0 && (about.st_mode & S_ISVTX) != 0 &&
         (about.st_mode & S_IWOTH) != 0;
}

absl::Status Bad(const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(base::Printable(path), ": ", why));
}

absl::StatusOr<std::string> TextField(const Json& object, const std::string& path,
                                      const char* name) {
  const auto field = object.find(name);
  if (field == object.end()) return "";
  if (field->is_string() && !field->get_ref<const std::string&>().empty()) {
    return field->get<std::string>();
  }
  return Bad(path, absl::StrCat(name, ": must be a text in quotation marks"));
}

}  // namespace

std::string FindProjectFile(const fs::path& folder) {
  std::error_code error;
  const fs::path here = fs::absolute(folder, error).lexically_normal();
  fs::path at = here;
  while (!error) {
    if ((at == here || !IsShared(at)) && fs::is_regular_file(at / kProjectFile, error)) {
      return at == here ? (folder / kProjectFile).lexically_normal() : at / kProjectFile;
    }
    error.clear();
    if (at == at.parent_path()) break;
    at = at.parent_path();
  }
  return "";
}

absl::StatusOr<ProjectFile> ReadProjectFile(const std::string& path) {
  ProjectFile file;
  if (path.empty()) return file;
  file.path = path;
  const absl::StatusOr<std::string> text = base::ReadFile(path, kMostBytes);
  if (!text.ok()) return Bad(path, text.status().message());
  const Json json = Json::parse(*text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Bad(path, "not valid JSON");
  if (!json.is_object()) return Bad(path, "must be an object {…}");
  for (const auto& [name, value] : json.items()) {
    const std::string meant = base::Closest(name, {"server", "project"});
    if (meant.empty() || meant == name) continue;
    return Bad(path, absl::StrCat(base::Printable(name), ": unknown field; did you mean \"", meant,
                                  "\"?"));
  }
  ASSIGN_OR_RETURN(file.server, TextField(json, path, "server"));
  ASSIGN_OR_RETURN(file.project, TextField(json, path, "project"));
  return file;
}

}  // namespace gprofhub::cli
