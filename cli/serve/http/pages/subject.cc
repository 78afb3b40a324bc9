#include "cli/serve/http/pages/subject.h"

#include "absl/strings/str_cat.h"
#include "page/views/addresses.h"

namespace gprofhub::cli {

PageAnswer ShowTarget(const PageCall& call, const Subject& subject, const std::string& title,
                      const std::string& script, const page::Html& content) {
  page::Frame frame = {title, "runs"};
  frame.way.emplace_back(absl::StrCat("Run ", subject.place.run),
                         page::RunUrl(call.context.project, subject.place.run));
  frame.script = script;
  return Show(call, frame, content);
}

}  // namespace gprofhub::cli
