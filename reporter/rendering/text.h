// A report as text for a terminal or a log.
#pragma once

#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

struct TextOptions {
  bool color = false;  // ANSI colours: only for a terminal
  // Lists every row. Otherwise lists the most important causes, at most three and at most a screen
  // (kScreenLines), and counts everything else.
  bool all = false;
};

// Names from profiles are made printable: their control characters do not reach the terminal.
std::string RenderText(const v1::Report& report, const TextOptions& options);

}  // namespace gprofhub::reporter
