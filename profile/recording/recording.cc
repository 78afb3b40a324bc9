#include "profile/recording/recording.h"

namespace gprofhub::profile {
namespace {

// By frame of the recording's stacks: whether it is on the path to a sample in the module.
std::vector<bool> FramesUpFrom(const Recording& recording, size_t module) {
  std::vector<bool> is_kept(recording.stacks.size(), false);
  for (size_t i = 0; i < recording.stacks.size(); ++i) {
    const ModuleFrame& leaf = recording.stacks[i];
    if (leaf.frame.samples == 0 || leaf.module != module) continue;
    for (int64_t at = static_cast<int64_t>(i); at >= 0 && !is_kept[at];
         at = recording.stacks[at].frame.parent) {
      is_kept[at] = true;
    }
  }
  return is_kept;
}

}  // namespace

const RecordedModule* FindModule(const Recording& recording, absl::string_view build_id) {
  for (const RecordedModule& module : recording.modules) {
    if (build_id.empty() ? module.is_program : module.build_id == build_id) return &module;
  }
  return nullptr;
}

uint64_t MemoryOf(const Recording& recording) {
  uint64_t memory = recording.cross_arcs.capacity() * sizeof(CrossArc) +
                    recording.stacks.capacity() * sizeof(ModuleFrame);
  for (const RecordedModule& module : recording.modules) {
    memory += sizeof(RecordedModule) + module.path.size() + MemoryOf(module.profile);
  }
  return memory;
}

RawProfile ProfileOfModule(const Recording& recording, size_t module) {
  RawProfile profile = recording.modules[module].profile;
  profile.has_spontaneous = true;
  const std::vector<bool> is_kept = FramesUpFrom(recording, module);
  std::vector<int64_t> rows(recording.stacks.size(), -1);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!is_kept[i]) continue;
    rows[i] = static_cast<int64_t>(profile.stacks.size());
    const ModuleFrame& kept = recording.stacks[i];
    StackFrame frame = kept.frame;
    if (kept.module != module) {
      frame.samples = 0;
      const bool is_end =
          kept.module == recording.modules.size() && kept.frame.pc == kFramesMissing;
      frame.pc = is_end ? kFramesMissing : kFrameElsewhere;
    }
    profile.stacks.push_back(frame);
  }
  for (StackFrame& frame : profile.stacks) {
    if (frame.parent >= 0) frame.parent = rows[frame.parent];
  }
  return profile;
}

}  // namespace gprofhub::profile
