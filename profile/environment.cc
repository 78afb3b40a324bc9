#include "profile/environment.h"

#include <algorithm>

namespace gprofhub::profile {

void AddEnvironment(const Environment& environment, std::vector<Environment>& environments) {
  if (environment.architecture.empty()) return;
  const auto place = std::lower_bound(environments.begin(), environments.end(), environment);
  if (place != environments.end() && *place == environment) return;
  environments.insert(place, environment);
  if (environments.size() > kMostEnvironments) environments.pop_back();
}

}  // namespace gprofhub::profile
