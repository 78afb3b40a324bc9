// A report as text for a terminal or a log.
#pragma once

#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

struct TextOptions {
  bool color = false;  // ANSI colours: only for a terminal
  // Whether every row is listed. Otherwise the causes that matter most are, as many as fit a screen
  // (kScreenLines) and three at most, and all else is counted.
  bool all = false;
};

// Names from profiles are made printable: no control character of theirs
// reaches the terminal.
std::string RenderText(const v1::Report& report, const TextOptions& options);

}  // namespace gprofhub::reporter
