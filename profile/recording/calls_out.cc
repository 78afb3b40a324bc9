#include "profile/recording/calls_out.h"

#include <cstdint>
#include <map>
#include <utility>

namespace gprofhub::profile {

std::vector<CallsOut> CallsOutOf(const Recording& recording, size_t module) {
  std::map<uint32_t, CallsOut> by_module;
  for (const CrossArc& arc : recording.cross_arcs) {
    if (arc.from_module != module) continue;
    by_module[arc.to_module].arcs.push_back({arc.from_pc, arc.self_pc, arc.count});
  }
  std::vector<CallsOut> calls;
  for (auto& [to, out] : by_module) {
    out.path = recording.modules[to].path;
    out.build_id = recording.modules[to].build_id;
    calls.push_back(std::move(out));
  }
  return calls;
}

}  // namespace gprofhub::profile
