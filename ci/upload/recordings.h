// The runtime's recordings among a test's outputs, as gmon profiles.
#pragma once

#include "ci/upload/profile_files.h"

namespace gprofhub {

// Replaces each recording (profile/recording_format.h) in `found` by the gmon
// profile of its program, under the recording's name. A recording whose process
// came to an orderly exit and left its gmon file beside it is dropped: that file
// says the same. One that cannot be read becomes a problem.
void ReplaceRecordings(FoundProfiles& found);

}  // namespace gprofhub
