/* The process's recording: the file, its growth, and its state after a fork
 * (profile/format/recording.h has the layout). */
#ifndef GPROFHUB_RUNTIME_RECORDING_RECORDING_H_
#define GPROFHUB_RUNTIME_RECORDING_RECORDING_H_

#include <stdint.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

/* The header, mapped; NULL until gh_recording_ready() returned 1. */
extern struct gprofhub_recording* gh_header;

/* Head of the list of this process's chunks, newest first (chunk->next). */
extern struct gprofhub_chunk* gh_chunks;

enum gh_readiness {
  GH_RECORDING_NONE, /* not even anonymous memory is available, or this rank is not selected, or
                        this very thread is just starting it */
  GH_RECORDING_READY,
  GH_RECORDING_IS_PARENTS /* a forked child still has its parent's: release it first */
};

/* Whether the process has a recording. The first caller starts it: reads the environment,
 * creates the file, maps header and directory. */
enum gh_readiness gh_recording_ready(void);

/* The file's path; NULL if counts are in memory only, or the file was removed. */
const char* gh_recording_path(void);

/* A chunk of zeroed memory: in the file, or, if the file cannot grow, in memory that only an
 * orderly exit can save (recorded as a loss, and reported once on stderr). NULL: out of memory.
 * Call with signals blocked. */
struct gprofhub_chunk* gh_allocate(uint32_t kind, uint64_t bytes, uint32_t thread);

/* The same at an address of the caller's, whose pages are replaced: a multiple of the page, with
 * `bytes` of address space after it that the caller owns. */
struct gprofhub_chunk* gh_allocate_at(void* at, uint32_t kind, uint64_t bytes, uint32_t thread);

/* The same in memory that is never part of the recording. */
struct gprofhub_chunk* gh_allocate_apart(uint32_t kind, uint64_t bytes);

/* The chunk of a directory entry, by its number plus one (chunk->entry); NULL for 0. */
struct gprofhub_chunk* gh_chunk_of_entry(uint32_t entry);

/* Removes the chunk from the recording. It stays mapped: threads may still add to it. */
void gh_drop(struct gprofhub_chunk* chunk);

/* In the child of a fork: releases the parent's recording. The child starts its own when it
 * first counts. `current` are tables that interrupted code may still point to; they become
 * private memory. */
void gh_recording_forget(struct gprofhub_chunk* const* current, int count);

/* Removes the file, or the process from the shared file, and stops recording for good
 * (mondisable). */
void gh_recording_discard(void);

/* Calls `visit` with each part of the file that is this process's: the pages that describe it
 * before the chunks that they name. */
void gh_recording_parts(void (*visit)(void* context, uint64_t offset, uint64_t bytes),
                        void* context);

/* Offset of the header in the file: not 0 in a shared file. */
uint64_t gh_recording_offset(void);

/* Marks the recording as that of a process with an orderly exit. */
void gh_recording_finish(void);

/* 1 in a child that shares its parent's memory (vfork, until it execs). */
int gh_in_vfork_child(void);

/* Fills `to` with the environment of the process. Needs gh_config. The first call makes system
 * calls and asks the processor; the result is kept, so forked children make none, whatever they are
 * still allowed. Not for two threads at once. */
void gh_describe_environment(struct gprofhub_environment* to);

/* An emulator executes the process. 0 until the environment is described. */
int gh_is_emulated(void);

/* Nanoseconds since 1970. */
uint64_t gh_wall_ns(void);

/* Counts a loss of data, by kind. */
void gh_lose(enum gprofhub_loss loss, uint64_t amount);

#pragma GCC visibility pop

#endif
