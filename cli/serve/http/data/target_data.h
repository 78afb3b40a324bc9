// The profile of one target in one run, as pages and downloads want it.
#pragma once

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
absl::StatusOr<profile::ComputedProfile> ReadComputed(const PageStore& store,
                                                      const TargetOfRun& target);

// What the target left, image by image, for what is made of it. NOT_FOUND: nothing.
absl::StatusOr<analyzer::TargetImages> ReadImages(const PageStore& store,
                                                  const TargetOfRun& target);

struct FoldedStacks {
  std::string text;          // "outermost;…;innermost VALUE", in millionths of a second
  bool is_measured = false;  // recorded; false: made of the call graph
  uint32_t repetitions = 1;  // executions of the target that the values are of
};
// Of all images together.
absl::StatusOr<FoldedStacks> ReadStacks(const PageStore& store, const TargetOfRun& target);

// What a profile can be downloaded as. A target of several images has a file of each.
struct ImageFile {
  std::string image;     // its build-id
  std::string name;      // of the file
  std::string type;      // of the content
  std::string contents;  // empty in lists
};
// "gmon", "pprof", "callgrind", "folded", "json" or "speedscope".
std::vector<absl::string_view> ImageFormats();
// The images, with the file's name in this format. INVALID_ARGUMENT for another format.
absl::StatusOr<std::vector<ImageFile>> ListImages(const PageStore& store, const TargetOfRun& target,
                                                  absl::string_view format);
// The file of one image; empty: the only one, else INVALID_ARGUMENT.
absl::StatusOr<ImageFile> MakeImageFile(const PageStore& store, const TargetOfRun& target,
                                        absl::string_view format, absl::string_view image);

// A flat profile line by line (gprof's -l), of all images.
absl::StatusOr<std::string> LinesText(const PageStore& store, const TargetOfRun& target);

}  // namespace gprofhub::cli
