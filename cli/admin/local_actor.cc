#include "cli/admin/local_actor.h"

#include <pwd.h>
#include <unistd.h>

#include <array>

#include "absl/strings/str_cat.h"

namespace gprofhub::cli {

store::Actor LocalActor() {
  store::Actor actor;
  const uid_t user = getuid();
  std::array<char, 4096> storage;
  passwd entry = {};
  passwd* found = nullptr;
  const bool named =
      getpwuid_r(user, &entry, storage.data(), storage.size(), &found) == 0 && found != nullptr;
  actor.name = named ? absl::StrCat("user ", found->pw_name) : absl::StrCat("user ", user);
  std::array<char, 256> host = {};
  const bool has_host = gethostname(host.data(), host.size() - 1) == 0;
  actor.origin = has_host ? absl::StrCat("on ", host.data()) : "on this machine";
  return actor;
}

}  // namespace gprofhub::cli
