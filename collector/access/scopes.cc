#include "collector/access/scopes.h"

#include <array>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gprofhub::collector {
namespace {

constexpr std::array<std::pair<Scope, absl::string_view>, 5> kNames = {
    {{Scope::kUpload, "upload"},
     {Scope::kUploadMain, "upload-main"},
     {Scope::kRead, "read"},
     {Scope::kAcknowledge, "acknowledge"},
     {Scope::kAdmin, "admin"}}};

uint32_t BitOf(Scope scope) { return uint32_t{1} << static_cast<uint32_t>(scope); }

}  // namespace

absl::string_view NameOf(Scope scope) { return kNames[static_cast<size_t>(scope)].second; }

Scopes Scopes::All() {
  Scopes scopes;
  for (const auto& [scope, name] : kNames) scopes = scopes.With(scope);
  return scopes;
}

absl::StatusOr<Scopes> Scopes::Parse(absl::string_view names) {
  Scopes scopes;
  for (const absl::string_view given : absl::StrSplit(names, ',')) {
    bool known = false;
    for (const auto& [scope, name] : kNames) {
      if (given != name) continue;
      scopes = scopes.With(scope);
      known = true;
    }
    if (!known) {
      return absl::InvalidArgumentError(
          absl::StrCat("scopes: '", absl::CHexEscape(given.substr(0, 40)),
                       "' is none of upload, upload-main, read, acknowledge, admin"));
    }
  }
  return scopes;
}

Scopes Scopes::With(Scope scope) const {
  Scopes more = *this;
  more.bits_ |= BitOf(scope);
  return more;
}

bool Scopes::Has(Scope scope) const {
  if (scope == Scope::kUpload && (bits_ & BitOf(Scope::kUploadMain)) != 0) return true;
  return (bits_ & BitOf(scope)) != 0;
}

std::string Scopes::Names() const {
  std::string names;
  for (const auto& [scope, name] : kNames) {
    if ((bits_ & BitOf(scope)) != 0) absl::StrAppend(&names, names.empty() ? "" : ",", name);
  }
  return names;
}

}  // namespace gprofhub::collector
