/* What a program may ask of the profiling runtime. All functions may be called
 * at any time and from any thread; without the runtime they are not there, so
 * declare them weak if the program is also linked without it:
 *
 *     #pragma weak mondisable
 *     if (mondisable) mondisable();
 *
 * monstartup(low, high), which <sys/gmon.h> declares, narrows what is recorded to
 * the addresses in [low, high), from then on: calls of functions there, basic blocks,
 * samples and their stacks. Counts that --config=gprof puts into the text are left
 * out for code outside altogether. Calls of functions outside take longer.
 *
 * Sources: glibc's <sys/gmon.h> for monstartup and moncontrol; "gprof
 * Profiling Tools" for the Blue Gene/Q for the others. */
#ifndef GPROFHUB_RUNTIME_GPROFHUB_H_
#define GPROFHUB_RUNTIME_GPROFHUB_H_

#ifdef __cplusplus
extern "C" {
#endif

/* 0: nothing is counted or sampled from now on; otherwise: it is again. Holds
 * for all threads, at once. */
void moncontrol(int on);

/* This process leaves nothing behind: counting and sampling stop, the
 * recording is removed, no gmon.out is written. Cannot be taken back. */
void mondisable(void);

/* Threads created from now on are sampled, even where GPROFHUB_THREADS=main
 * (or BG_GMON_START_THREAD_TIMERS) says otherwise. Without that variable all
 * threads are sampled from the start and the call changes nothing. */
void gmon_start_all_thread_timers(void);

/* Starts (1) or stops (0) the sampling of the calling thread. Calls are counted
 * regardless. */
void gmon_thread_timer(int start);

/* Writes the gmon.out files now, with all that was counted until now. The end
 * of the program does so by itself; a call is for programs that leave by _exit. */
void gprofhub_write(void);

/* All that was counted and sampled until now is forgotten. The old counts' room in the
 * recording is not used again: about 40 KB for each thread. */
void gprofhub_reset(void);

/* Copies the recording as it is now to <program>.<pid>.<label>.gprofhub-dump beside it, for
 * gprofhub gprof, info and gmon. An older copy of that label is replaced. 0, or -1 if it
 * cannot be written; a line on stderr says why. */
int gprofhub_dump(const char* label);

/* A quantity of the program's own, such as bytes or rows, is a function that nobody calls:
 *
 *     GPROFHUB_QUANTITY(rows_read)
 *
 * gprofhub_count(rows_read, rows) counts it, exactly, for the function that says so: that
 * function is then said to have called rows_read so often. All that is told of calls is
 * told of quantities. */
#define GPROFHUB_QUANTITY(name) \
  __attribute__((noinline, used, no_instrument_function)) void name(void) { __asm__ volatile(""); }
void gprofhub_add(void (*quantity)(void), unsigned long amount);

static __inline__ __attribute__((always_inline)) void gprofhub_count(void (*quantity)(void),
                                                                     unsigned long amount) {
  gprofhub_add(quantity, amount);
  /* The function is known by where the call returns to, so it may not be its last act. */
  __asm__ volatile("");
}

#ifdef __cplusplus
}
#endif

#endif
