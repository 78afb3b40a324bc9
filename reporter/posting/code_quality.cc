#include "reporter/posting/code_quality.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "reporter/posting/posting.h"

namespace gprofhub::reporter {

std::string RenderCodeQuality(const GateResult& gate) {
  nlohmann::json list = nlohmann::json::array();
  for (const GatedFinding& gated : gate.gated) {
    const v1::Finding& finding = *gated.finding;
    if (gated.acknowledged.has_value() || finding.site().line() == 0 ||
        !IsRepositoryPath(finding.site().file())) {
      continue;
    }
    const std::string identity =
        absl::StrCat(gated.rule, "\n", finding.target(), "\n", finding.function(), "\n",
                     finding.caller(), "\n", static_cast<int>(finding.metric()));
    list.push_back(
        {{"type", "issue"},
         {"check_name", absl::StrCat("gprofhub/", gated.rule)},
         {"description", DescribeFinding(finding)},
         {"fingerprint", base::Sha256Hex(identity)},
         {"severity", "major"},
         {"location",
          {{"path", finding.site().file()}, {"lines", {{"begin", finding.site().line()}}}}}});
  }
  return list.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace gprofhub::reporter
