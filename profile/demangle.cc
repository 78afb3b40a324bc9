#include "profile/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/match.h"

namespace gprofhub {
namespace {

// The demangler recurses over the name, and names come from uploads.
constexpr size_t kLongestName = 16384;

struct Free {
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

std::string Demangle(absl::string_view name) {
  std::string linkage_name(name);
  if (!absl::StartsWith(name, "_Z") || name.size() > kLongestName) return linkage_name;
  int status = 0;
  const std::unique_ptr<char, Free> text(
      abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status));
  return status == 0 && text != nullptr ? std::string(text.get()) : linkage_name;
}

}  // namespace gprofhub
