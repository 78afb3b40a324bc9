// Pages that are about no profile: the gate, log-in, errors, licences.
#pragma once

#include <string>
#include <vector>

#include "page/html/html.h"
#include "page/views/shell.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

Html GateView(const Context& context, const v1::GetGateStatsResponse& stats,
              const v1::ListAcknowledgementsResponse& acknowledgements);

// `refusal`: why the last attempt failed; empty: there was none. `next`: where to go then.
Html LoginView(const Context& context, const std::string& refusal, const std::string& next);

// What went wrong, and what to do.
Html MessageView(const std::string& title, const std::string& message);

struct Licence {
  std::string name, version, licence, text;
};
Html LicencesView(const std::vector<Licence>& licences);

}  // namespace gprofhub::page
