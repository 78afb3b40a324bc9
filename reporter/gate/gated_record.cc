#include "reporter/gate/gated_record.h"

#include <cstddef>

#include "base/printable.h"

namespace gprofhub::reporter {
namespace {

// Limits of the store.
constexpr size_t kMaxNameBytes = 1000;

// A name within the store's limits.
std::string CutName(const std::string& name) {
  const std::string printable = base::Printable(name);
  return printable.size() <= kMaxNameBytes ? printable
                                           : base::Shortened(printable, kMaxNameBytes / 4);
}

}  // namespace

store::GatedRecord MakeGatedRecord(const store::RunRecord& run, const std::string& rule,
                                   const std::string& target, const std::string& function,
                                   const std::string& function_display) {
  return {run.project,       run.pull_request,          rule,  CutName(target),
          CutName(function), CutName(function_display), run.id};
}

}  // namespace gprofhub::reporter
