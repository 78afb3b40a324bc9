// Control block shared by a test and the shim: a file that both map. The shim is loaded into a
// program by LD_PRELOAD. See shim.c.
#pragma once

#include <stdint.h>

#define FAULT_CONTROL_VARIABLE "GPROFHUB_FAULT_CONTROL"
#define FAULT_JOURNAL_VARIABLE "GPROFHUB_FAULT_JOURNAL"

enum fault_action {
  FAULT_NONE = 0,
  FAULT_KILL = 1,        // SIGKILL to the program itself, before the operation
  FAULT_ERROR = 2,       // the operation is not done and fails with `error`
  FAULT_DISCONNECT = 3,  // the connection is cut after the operation
};

// All fields are read and written with __atomic operations, but for `directory`, which is set
// before the program starts.
struct fault_control {
  // Only files below this absolute, resolved path count. Empty: no files.
  char directory[1024];
  // Not 0: counts calls on Unix sockets, too, and not calls on files. Such a socket is the
  // connection from a server to its PostgreSQL.
  uint32_t sockets;
  // Operations so far.
  uint64_t operations;
  // Number of the operation that `action` applies to. 0: none.
  uint64_t at;
  uint32_t action;
  // An errno for FAULT_ERROR.
  uint32_t error;
  // Not 0: every operation that makes files longer or new fails with ENOSPC.
  uint32_t full;
  // Added to the real-time clock, in seconds.
  int64_t clock_offset;
};

// One record of the journal: this head, then the path, then the other path, then the data.
// The order of the records is the order of the operations.
enum fault_record_kind {
  FAULT_CREATE = 1,    // a new, empty file
  FAULT_WRITE = 2,     // `size` bytes at `offset`
  FAULT_TRUNCATE = 3,  // the file has `offset` bytes now
  FAULT_SYNC = 4,      // the file, or the folder's list of names, is on the disk
  FAULT_RENAME = 5,    // `other` is the new path
  FAULT_UNLINK = 6,
  FAULT_MKDIR = 7,
  FAULT_SYNC_ALL = 8,  // everything
};

struct fault_record {
  uint32_t kind;
  uint32_t path_size;
  uint32_t other_size;
  uint32_t reserved;
  uint64_t offset;
  uint64_t size;
};
