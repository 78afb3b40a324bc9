#include "base/log_fields.h"

#include <algorithm>

namespace gprofhub::base {

namespace {

// The thread's innermost scope, which is on the thread's stack.
thread_local const LogFields* innermost = nullptr;

std::vector<LogField> WithValues(std::vector<LogField> fields) {
  fields.erase(std::remove_if(fields.begin(), fields.end(),
                              [](const LogField& field) { return field.second.empty(); }),
               fields.end());
  return fields;
}

}  // namespace

LogFields::LogFields(std::initializer_list<LogField> fields)
    : fields_(WithValues(std::move(fields))), outer_(innermost) {
  innermost = this;
}

LogFields::~LogFields() { innermost = outer_; }

std::vector<LogField> LogFields::Current() {
  std::vector<const LogFields*> scopes;
  for (const LogFields* scope = innermost; scope != nullptr; scope = scope->outer_) {
    scopes.push_back(scope);
  }
  std::vector<LogField> all;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    for (const LogField& field : (*scope)->fields_) {
      const auto known = std::find_if(all.begin(), all.end(), [&field](const LogField& other) {
        return other.first == field.first;
      });
      if (known == all.end()) {
        all.push_back(field);
      } else {
        known->second = field.second;
      }
    }
  }
  return all;
}

}  // namespace gprofhub::base
