/* Marks: the counts at a moment are saved next to the running counts, so that a reader can
 * separate earlier from later ones (profile/format/recording.h, gprofhub_mark). The last
 * GPROFHUB_MARKS marks are kept, each in a slot of its own. */
#ifndef GPROFHUB_RUNTIME_RECORDING_MARKS_H_
#define GPROFHUB_RUNTIME_RECORDING_MARKS_H_

#include <stdint.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

/* Begins a mark and returns its slot, which replaces the oldest mark. The counting modules then
 * save their words there. One at a time. */
uint32_t gh_mark_begin(void);

/* The `count` words of a chunk for the mark at `place`; `count` must be the same each time. NULL
 * if memory is exhausted; gh_mark_end then discards the mark. */
uint64_t* gh_mark_words(struct gprofhub_chunk* chunk, uint64_t count, uint32_t place);

/* Completes the mark. */
void gh_mark_end(uint32_t place);

/* Discards all marks. */
void gh_marks_reset(void);

#pragma GCC visibility pop

#endif
