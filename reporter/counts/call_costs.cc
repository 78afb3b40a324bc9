// A test of a few milliseconds has at most one sample, and the function it hits is chance. But the
// same functions run in other tests, so the cost of a call is estimated over all targets. If these
// have few samples, too, the prior dominates: a function's samples are Poisson of (calls × cost),
// and the cost has a gamma prior of shape 1 with the mean of all calls. Its posterior mean is
//
//   (samples + 1) / (calls + 1 / mean)
#include "reporter/counts/call_costs.h"

#include "profile/names/quantities.h"

namespace gprofhub::reporter {

void CallCosts::Add(const MatchedTarget& target) {
  for (const FunctionPair& function : target.functions) {
    if (function.is_module) continue;
    // Quantities are not calls and take no time: counted in, they would make calls seem free.
    if (profile::IsQuantity(function.name)) continue;
    Sum* const of_function = tells_functions_apart_ ? &by_function_[function.name] : nullptr;
    for (const FunctionSide* side : {&function.before, &function.after}) {
      // Without calls (main, code without -pg) samples do not give a cost per call.
      if (side->calls.sum == 0) continue;
      const double calls = static_cast<double>(side->calls.sum);
      all_.samples += side->self_samples;
      all_.calls += calls;
      if (of_function == nullptr) continue;
      of_function->samples += side->self_samples;
      of_function->calls += calls;
    }
  }
}

double CallCosts::PerAnyCall() const { return all_.calls == 0 ? 0 : all_.samples / all_.calls; }

double CallCosts::PerCall(absl::string_view function) const {
  const double mean = PerAnyCall();
  if (mean == 0) return 0;
  const auto found = by_function_.find(function);
  if (found == by_function_.end()) return mean;
  return (found->second.samples + 1) / (found->second.calls + 1 / mean);
}

}  // namespace gprofhub::reporter
