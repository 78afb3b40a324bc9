#include "ci/upload/run/run_sources.h"

extern char** environ;

namespace gprofhub::ci {

Environment ProcessEnvironment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return environment;
}

}  // namespace gprofhub::ci
