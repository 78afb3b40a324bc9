#include "profile/recording/module_map.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/escaping.h"

namespace gprofhub::profile {

// If a module was loaded at the addresses of an unloaded one, the later one counts: each elementary
// interval between bounds belongs to the latest that covers it.
void ModuleMap::Build() {
  // (address, begins, load)
  std::vector<std::tuple<uint64_t, bool, size_t>> bounds;
  for (size_t i = 0; i < loads_.size(); ++i) {
    bounds.emplace_back(loads_[i].low, true, i);
    bounds.emplace_back(loads_[i].high, false, i);
  }
  std::sort(bounds.begin(), bounds.end());
  std::set<std::pair<uint64_t, size_t>> open;  // by order, the latest last
  for (const auto& [address, begins, load] : bounds) {
    if (begins) {
      open.insert({loads_[load].order, load});
    } else {
      open.erase({loads_[load].order, load});
    }
    intervals_[address] = open.empty() ? -1 : static_cast<int64_t>(open.rbegin()->second);
  }
}

std::optional<ModulePlace> ModuleMap::Find(uint64_t pc) const {
  auto next = intervals_.upper_bound(pc);
  if (next == intervals_.begin()) return std::nullopt;
  const int64_t load = std::prev(next)->second;
  if (load < 0) return std::nullopt;
  return ModulePlace{loads_[load].module, pc - loads_[load].bias};
}

absl::Status ReadModules(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                         Recording& recording, ModuleMap& map) {
  std::map<std::pair<std::string, std::string>, uint32_t> known;
  absl::Status status = ForEach<gprofhub_module>(
      bytes, chunks, GPROFHUB_MODULES, 0,
      [&](const gprofhub_module& record, size_t, uint64_t, uint64_t at) {
        if (record.state == 0) return absl::OkStatus();
        if (record.low >= record.high || record.text_low >= record.text_high ||
            record.build_id_bytes > sizeof record.build_id) {
          return bytes.Broken("an impossible module", at);
        }
        const std::string path = TextOf(record.path, sizeof record.path);
        const std::string build_id = absl::BytesToHexString(absl::string_view(
            reinterpret_cast<const char*>(record.build_id), record.build_id_bytes));
        const uint32_t fresh = static_cast<uint32_t>(recording.modules.size());
        const auto [entry, is_new] = known.insert({{path, build_id}, fresh});
        if (is_new) {
          RecordedModule module;
          module.path = path;
          module.build_id = build_id;
          module.is_program = path == recording.program;
          module.text_low = record.text_low;
          module.text_high = record.text_high;
          recording.modules.push_back(std::move(module));
        }
        map.Add(record.low, record.high, record.bias, record.order, entry->second);
        return absl::OkStatus();
      });
  if (status.ok()) map.Build();
  return status;
}

}  // namespace gprofhub::profile
