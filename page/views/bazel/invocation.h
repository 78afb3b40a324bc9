// Invocations of Bazel that send their build events: while they run, and after.
#pragma once

#include <optional>
#include <vector>

#include "page/html/html.h"
#include "page/views/shell.h"
#include "proto/query.pb.h"
#include "store/invocations/invocations.h"

namespace gprofhub::page {

struct InvocationShown {
  store::InvocationRecord invocation;
  std::vector<store::InvocationTarget> targets;  // by label
  std::optional<v1::Run> run;                    // with its targets; nothing: none yet
};

// Whether the page will say more in a moment.
bool IsUnderWay(const InvocationShown& shown);
// Whether everything of it went well, so that its comparison says all.
bool IsWhole(const InvocationShown& shown);

Html InvocationView(const Context& context, const InvocationShown& shown);

// The project's newest.
Html InvocationsView(const std::vector<store::InvocationRecord>& invocations);

// Those of several projects that have one id.
Html SameInvocationView(const std::vector<store::InvocationRecord>& invocations);

}  // namespace gprofhub::page
