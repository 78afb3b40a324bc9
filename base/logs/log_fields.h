// Structured fields of log lines, such as the id of a request.
//
// Code that starts a piece of work sets the fields for its scope. Every line that this thread logs
// within the scope has them, including lines from code that is unaware of requests. The log
// formatter reads the fields.
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
  // The names must outlive the scope. Fields with an empty value are omitted.
  LogFields(std::initializer_list<LogField> fields);
  ~LogFields();
  LogFields(const LogFields&) = delete;
  LogFields& operator=(const LogFields&) = delete;

  // Fields of this thread, outermost scope first. If scopes set the same name, the inner value
  // counts.
  static std::vector<LogField> Current();

 private:
  const std::vector<LogField> fields_;
  const LogFields* const outer_;
};

}  // namespace gprofhub::base
