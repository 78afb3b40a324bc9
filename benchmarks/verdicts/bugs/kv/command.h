#pragma once

#include "log.h"
#include "store.h"

// Runs one line, such as "set key value": the size of its answer.
size_t run_command(struct store* store, struct log* log, const char* line);
