// The samples of a recording: histograms, and stacks.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "profile/recording/chunks.h"
#include "profile/recording/module_map.h"
#include "profile/recording/recording.h"

namespace gprofhub::profile {

// Memory of the histograms in bytes, computed without allocating them: a histogram takes 500 times
// as much as a sample. DataLoss: the samples span more text than 256 MiB of histogram cover.
absl::StatusOr<uint64_t> CheckSampledText(const RecordingBytes& bytes,
                                          const std::vector<RecordingChunk>& chunks,
                                          const ModuleMap& map, const OwnCode& own);

// Adds the histograms to the modules, whose arcs must have been read already, and to `recording`
// its samples in the runtime's own code and at addresses outside all modules.
absl::Status ReadSamples(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                         const ModuleMap& map, const OwnCode& own, const gprofhub_recording& header,
                         Recording& recording);

// Fills Recording::stacks. CheckStackDepths must have accepted them.
absl::Status ReadStacks(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                        const ModuleMap& map, const OwnCode& own, Recording& recording);

}  // namespace gprofhub::profile
