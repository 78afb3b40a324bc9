// What a log line tells beside its message, such as which request it belongs to.
//
// Whoever begins a piece of work says the fields once, for its scope. Every line that this thread
// logs within the scope has them, also lines of code that knows nothing of requests. The formatter
// of the lines asks for them.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

using LogField = std::pair<absl::string_view, std::string>;  // name and value

// Adds fields from construction to destruction. Scopes end in reverse order, in the thread that
// began them.
class LogFields {
 public:
  // The names outlive the scope. Fields without a value are left out.
  LogFields(std::initializer_list<LogField> fields);
  ~LogFields();
  LogFields(const LogFields&) = delete;
  LogFields& operator=(const LogFields&) = delete;

  // Of this thread, outermost scope first. Where scopes say the same name, the inner one counts.
  static std::vector<LogField> Current();

 private:
  const std::vector<LogField> fields_;
  const LogFields* const outer_;
};

}  // namespace gprofhub::base
