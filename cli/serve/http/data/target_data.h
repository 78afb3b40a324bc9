// The profile of one target in one run, for pages and downloads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/worker/target_images.h"
#include "cli/serve/http/data/page_sources.h"
#include "profile/computed.h"
#include "store/records/records.h"

namespace gprofhub::cli {

// Which target. Errors are FindRun's and FindTarget's.
struct TargetOfRun {
  store::RunRecord run;
  store::TargetRecord target;
};
absl::StatusOr<TargetOfRun> FindTargetOfRun(const PageStore& store, absl::string_view project,
                                            absl::string_view run, absl::string_view target);

// FAILED_PRECONDITION where it is not analysed.
using KeptProfile = std::shared_ptr<const profile::ComputedProfile>;
absl::StatusOr<KeptProfile> ReadComputed(const PageStore& store, const TargetOfRun& target);

// The target's profiles, image by image, for derived views. NOT_FOUND: none.
absl::StatusOr<analyzer::TargetImages> ReadImages(const PageStore& store,
                                                  const TargetOfRun& target);

// Of all images together; `base`, if there is one, is the same target of another run.
absl::StatusOr<std::shared_ptr<const FlameGraph>> ReadFlameGraph(const PageStore& store,
                                                                 const TargetOfRun& target,
                                                                 const TargetOfRun* base);

// Download formats of a profile. A target of several images has a file of each.
struct ImageFile {
  std::string name;
  std::string type;  // of the content
  std::string contents;
};
// "gmon", "pprof", "callgrind", "folded", "json" or "speedscope".
std::vector<absl::string_view> ImageFormats();
// The content's type, for HTTP. INVALID_ARGUMENT for another format.
absl::StatusOr<absl::string_view> TypeOfFormat(absl::string_view format);
struct ListedFile {
  absl::string_view format;
  std::string image;  // its build-id; empty where there is only one
  std::string name;
};
// All that MakeImageFile can make of the target.
absl::StatusOr<std::vector<ListedFile>> ListFiles(const PageStore& store,
                                                  const TargetOfRun& target);
// The file of one image; empty: the only one, else INVALID_ARGUMENT.
absl::StatusOr<ImageFile> MakeImageFile(const PageStore& store, const TargetOfRun& target,
                                        absl::string_view format, absl::string_view image);

}  // namespace gprofhub::cli
