/* Marks: what was counted until a moment is kept beside what is counted since, so that a reader
 * can tell the one from the other (profile/recording/format.h, gprofhub_mark). The last
 * GPROFHUB_MARKS of them are kept, each at a place of its own. */
#ifndef GPROFHUB_RUNTIME_RECORDING_MARKS_H_
#define GPROFHUB_RUNTIME_RECORDING_MARKS_H_

#include <stdint.h>

#include "profile/recording/format.h"

#pragma GCC visibility push(hidden)

/* Begins a mark. It has a place, which is the oldest mark's, and that mark is gone. Who counts
 * has its words put down there then. One at a time. */
uint32_t gh_mark_begin(void);

/* The words of the mark at `place` that belong to a chunk: `count` of them, the same number each
 * time. NULL: there is no memory, and gh_mark_end will not let the mark stand. */
uint64_t* gh_mark_words(struct gprofhub_chunk* chunk, uint64_t count, uint32_t place);

/* The mark is whole. */
void gh_mark_end(uint32_t place);

/* No mark stands any more. */
void gh_marks_reset(void);

#pragma GCC visibility pop

#endif
