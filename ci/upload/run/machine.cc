#include "ci/upload/run/machine.h"

#include <cstddef>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gprofhub::ci {
namespace {

constexpr size_t kLongestModel = 150;

}  // namespace

std::string MachineKind(absl::string_view cpuinfo) {
  std::map<absl::string_view, std::string> first;
  size_t processors = 0;
  for (const absl::string_view line : absl::StrSplit(cpuinfo, '\n')) {
    const std::pair<absl::string_view, absl::string_view> field =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    const absl::string_view key = absl::StripAsciiWhitespace(field.first);
    if (key == "processor") ++processors;
    first.try_emplace(key, absl::StripAsciiWhitespace(field.second));
  }
  std::string model = first["model name"];
  if (model.empty() && !first["CPU part"].empty()) {
    model = absl::StrCat("Arm implementer ", first["CPU implementer"], " part ", first["CPU part"]);
  }
  if (model.empty() || processors == 0) return "";
  for (char& c : model) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  if (model.size() > kLongestModel) model.resize(kLongestModel);
  return absl::StrCat(model, ", ", processors, processors == 1 ? " processor" : " processors");
}

}  // namespace gprofhub::ci
