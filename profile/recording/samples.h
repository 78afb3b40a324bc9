// The samples of a recording: histograms, and stacks.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "profile/recording/chunks.h"
#include "profile/recording/module_map.h"
#include "profile/recording/recording.h"

namespace gprofhub::profile {

// What the histograms take, in bytes. DataLoss: the samples lie in more text than 256 MiB of
// histogram are for. Found out without making histograms: one takes 500 times as much as a sample.
absl::StatusOr<uint64_t> CheckSampledText(const RecordingBytes& bytes,
                                          const std::vector<RecordingChunk>& chunks,
                                          const ModuleMap& map, const OwnCode& own);

// Adds the histograms to the modules, whose arcs are read already, and to `recording` its
// samples in the runtime's own code and at addresses of no module.
absl::Status ReadSamples(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                         const ModuleMap& map, const OwnCode& own, const gprofhub_recording& header,
                         Recording& recording);

// Fills Recording::stacks. CheckStackDepths has found them sound.
absl::Status ReadStacks(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                        const ModuleMap& map, const OwnCode& own, Recording& recording);

}  // namespace gprofhub::profile
