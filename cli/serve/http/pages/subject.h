// The run and target of a page.
#pragma once

#include <string>

#include "cli/serve/http/data/target_data.h"
#include "cli/serve/http/pages/page_call.h"
#include "page/views/target/target.h"

namespace gprofhub::cli {

struct Subject {
  TargetOfRun found;
  page::TargetPlace place;
};

// With a link back to the run. `script` as for page::Frame.
PageAnswer ShowTarget(const PageCall& call, const Subject& subject, const std::string& title,
                      const std::string& script, const page::Html& content);

}  // namespace gprofhub::cli
