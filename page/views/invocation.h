// Bazel invocations that send build events, while they run and afterwards.
#pragma once

#include <optional>
#include <vector>

#include "page/html.h"
#include "page/views/shell.h"
#include "proto/query.pb.h"
#include "store/invocations.h"

namespace gprofhub::page {

struct InvocationShown {
  store::InvocationRecord invocation;
  std::vector<store::InvocationTarget> targets;  // by label
  std::optional<v1::Run> run;                    // with its targets; nothing: not yet created
};

// Whether the page will change soon.
bool IsUnderWay(const InvocationShown& shown);
// Whether everything succeeded, so that the comparison is complete.
bool IsWhole(const InvocationShown& shown);

Html InvocationView(const Context& context, const InvocationShown& shown);

// The newest invocations of the project.
Html InvocationsView(const std::vector<store::InvocationRecord>& invocations);

// Invocations of several projects with the same id.
Html SameInvocationView(const std::vector<store::InvocationRecord>& invocations);

}  // namespace gprofhub::page
