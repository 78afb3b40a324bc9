#include "runtime/recording/marks.h"

#include "runtime/recording/recording.h"

static int broken; /* some words of the mark in progress are missing */

uint32_t gh_mark_begin(void) {
  const uint32_t place = (uint32_t)(gh_header->marks_taken % GPROFHUB_MARKS);
  broken = 0;
  /* Before any of its words is reused. */
  __atomic_store_n(&gh_header->marks[place].number, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  gh_header->marks[place].ns = gh_wall_ns();
  return place;
}

uint64_t* gh_mark_words(struct gprofhub_chunk* chunk, uint64_t count, uint32_t place) {
  struct gprofhub_chunk* marks = gh_chunk_of_entry(chunk->marks);
  if (!marks) {
    marks = gh_allocate(GPROFHUB_MARKED, sizeof *marks + GPROFHUB_MARKS * count * sizeof(uint64_t),
                        chunk->thread);
    if (!marks || !marks->entry) {
      broken = 1;
      return 0;
    }
    marks->words = sizeof *marks;
    __atomic_store_n(&marks->capacity, count, __ATOMIC_RELEASE);
    __atomic_store_n(&chunk->marks, marks->entry, __ATOMIC_RELEASE);
  }
  return (uint64_t*)((char*)marks + marks->words) + place * count;
}

void gh_mark_end(uint32_t place) {
  struct gprofhub_mark* const mark = &gh_header->marks[place];
  for (int i = 0; i < GPROFHUB_LOSSES; ++i) {
    mark->losses[i] = __atomic_load_n(&gh_header->losses[i], __ATOMIC_RELAXED);
  }
  gh_header->marks_taken += 1;
  if (!broken) __atomic_store_n(&mark->number, gh_header->marks_taken, __ATOMIC_RELEASE);
}

void gh_marks_reset(void) {
  for (uint32_t i = 0; i < GPROFHUB_MARKS; ++i) {
    __atomic_store_n(&gh_header->marks[i].number, 0, __ATOMIC_RELEASE);
  }
}
