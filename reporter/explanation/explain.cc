#include "reporter/explanation/explain.h"

#include <utility>

#include "reporter/explanation/call_path.h"

namespace gprofhub::reporter {
namespace {

void Fill(const v1::Compared::Side& about, const std::vector<profile::ComputedProfile>& runs,
          const v1::Finding& finding, v1::Explanation::Side& side) {
  side.set_run_id(about.run_id());
  side.set_commit(about.commit());
  for (v1::Explanation::Step& step : PathTo(runs, finding)) *side.add_path() = std::move(step);
}

}  // namespace

v1::Explanation Explain(const v1::Compared& compared, const v1::Finding& finding,
                        const ExplainedSides& sides) {
  v1::Explanation explanation;
  *explanation.mutable_finding() = finding;
  Fill(compared.base(), sides.base, finding, *explanation.mutable_base());
  Fill(compared.head(), sides.head, finding, *explanation.mutable_head());
  return explanation;
}

}  // namespace gprofhub::reporter
