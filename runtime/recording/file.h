/* A recording's file on disk, and mapped memory. */
#ifndef GPROFHUB_RUNTIME_RECORDING_FILE_H_
#define GPROFHUB_RUNTIME_RECORDING_FILE_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Creates <directory>/<program>.<pid>[.<n>].gprofhub, never an existing file: a process that
 * execs itself keeps its pid, and pids repeat. 0, or -errno. */
long gh_file_create(uint64_t process_id);

/* Opens the file that the processes of a test share, created by the first of them, and maps its
 * first page, a gprofhub_shared. NULL: not available to this process, with -errno in *error. */
struct gprofhub_shared* gh_file_join(long* error);

/* Maps [offset, offset + bytes) of the file, allocated on disk and read as zero: at `where`,
 * whose pages are replaced, or, if it is NULL, anywhere. NULL on failure, with -errno in *error. */
void* gh_file_map(void* where, uint64_t offset, uint64_t bytes, long* error);

/* The descriptor that is kept open for growth; -1: none. */
int gh_file_descriptor(void);

/* Whether `fd` is that descriptor. */
int gh_file_keeps(int fd);

/* Closes what is kept open for growth: in a forked child, which has its own file. */
void gh_file_close(void);

/* 1: the file is known to be removed, so what is recorded will be lost. */
int gh_file_is_removed(void);

void gh_file_remove(void);

/* Absolute. */
const char* gh_file_path(void);

/* Private memory at `where`, whose pages are replaced, or, if it is NULL, anywhere. NULL on
 * failure. */
void* gh_map_anonymous(void* where, uint64_t bytes);

/* Address space that nothing else gets, without access. 0: some of it is in use, and stays so. */
int gh_reserve(uint64_t low, uint64_t bytes);

#pragma GCC visibility pop

#endif
