// Macros that pass errors on: the caller returns the status of what failed.
//
//   RETURN_IF_ERROR(Write(file, bytes));
//   ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
//
// They may stand wherever a statement may, in functions and lambdas that return absl::Status or
// absl::StatusOr. ASSIGN_OR_RETURN declares its first argument in the scope around it; a type with
// a comma is written as auto.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define RETURN_IF_ERROR(...)                                                   \
  do {                                                                         \
    if (absl::Status gprofhub_status = (__VA_ARGS__); !gprofhub_status.ok()) { \
      return gprofhub_status;                                                  \
    }                                                                          \
  } while (false)

#define ASSIGN_OR_RETURN(declaration, ...) \
  GPROFHUB_ASSIGN_OR_RETURN(GPROFHUB_JOINED(gprofhub_result_, __LINE__), declaration, __VA_ARGS__)

#define GPROFHUB_ASSIGN_OR_RETURN(result, declaration, ...) \
  auto result = (__VA_ARGS__);                              \
  if (!result.ok()) return std::move(result).status();      \
  declaration = *std::move(result)

#define GPROFHUB_JOINED(first, second) GPROFHUB_JOINED_AGAIN(first, second)
#define GPROFHUB_JOINED_AGAIN(first, second) first##second
