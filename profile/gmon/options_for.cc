#include "profile/gmon/options_for.h"

#include <array>
#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::profile {
namespace {

struct Architecture {
  absl::string_view name;
  int address_size;
  bool big_endian;
};

constexpr std::array kArchitectures = {
    Architecture{"x86_64", 8, false},  Architecture{"aarch64", 8, false},
    Architecture{"riscv64", 8, false}, Architecture{"ppc64le", 8, false},
    Architecture{"s390x", 8, true},    Architecture{"i386", 4, false},
    Architecture{"arm", 4, false},
};

}  // namespace

absl::StatusOr<GmonReadOptions> GmonOptionsFor(absl::string_view architecture) {
  std::string known;
  for (const Architecture& candidate : kArchitectures) {
    if (candidate.name == architecture) {
      return GmonReadOptions{GmonReadOptions::Format::kGnu, candidate.address_size,
                             candidate.big_endian};
    }
    absl::StrAppend(&known, known.empty() ? "" : ", ", candidate.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("architecture \"", architecture, "\" is not known; known are ", known));
}

}  // namespace gprofhub::profile
