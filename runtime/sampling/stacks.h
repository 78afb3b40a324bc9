/* Call stacks of samples, unwound by frame pointers. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_STACKS_H_
#define GPROFHUB_RUNTIME_SAMPLING_STACKS_H_

#include <stdint.h>
#include <ucontext.h>

#include "profile/format/recording.h"

/* Adds a sample of `weight` at the stack of the interrupted thread, whose record this is. */
__attribute__((visibility("hidden"))) void gh_stack_count(struct gprofhub_thread* thread,
                                                          const ucontext_t* interrupted,
                                                          uint64_t weight);

/* Must be called at least once for every arc: stacks end at the call of main. */
__attribute__((visibility("hidden"))) void gh_stack_note_call(uint64_t self, uint64_t from);

#endif
