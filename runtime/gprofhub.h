/* API of the profiling runtime for programs. All functions may be called at any time and from
 * any thread. Declare them weak if the program is also linked without the runtime:
 *
 *     #pragma weak mondisable
 *     if (mondisable) mondisable();
 *
 * monstartup(low, high), which <sys/gmon.h> declares, restricts recording to the addresses in
 * [low, high), from then on: calls of functions there, basic blocks, samples and their stacks.
 * Counters that --config=gprof inserts into the text are ignored for code outside, including
 * earlier counts. Calls of functions outside take longer.
 *
 * Sources: glibc's <sys/gmon.h> for monstartup and moncontrol; "gprof
 * Profiling Tools" for the Blue Gene/Q for the others. */
#ifndef GPROFHUB_RUNTIME_GPROFHUB_H_
#define GPROFHUB_RUNTIME_GPROFHUB_H_

#ifdef __cplusplus
extern "C" {
#endif

/* 0: switches counting and sampling off; otherwise on again. For all threads at once. */
void moncontrol(int on);

/* Discards the recording: counting and sampling stop, the recording is removed, and no gmon.out
 * is written. Cannot be undone. */
void mondisable(void);

/* Samples threads created from now on, even if GPROFHUB_THREADS=main (or
 * BG_GMON_START_THREAD_TIMERS) is set. Without that variable all threads are sampled from the
 * start, and the call has no effect. */
void gmon_start_all_thread_timers(void);

/* Starts (1) or stops (0) the sampling of the calling thread. Calls are counted
 * regardless. */
void gmon_thread_timer(int start);

/* Writes the gmon.out files now, with all counts so far. The runtime does so automatically at
 * the program's end; a call is for programs that leave by _exit. */
void gprofhub_write(void);

/* Discards all counts and samples so far. The space of the old counts in the recording is not
 * reused: about 40 KB for each thread. */
void gprofhub_reset(void);

/* Copies the present recording to <program>.<pid>.<label>.gprofhub-dump in the same directory,
 * for gprofhub gprof, info and gmon. Replaces an older copy with that label. Returns 0, or -1
 * with a line on stderr if it cannot be written. */
int gprofhub_dump(const char* label);

/* A quantity of the program, such as bytes or rows, is represented by a function that is never
 * called:
 *
 *     GPROFHUB_QUANTITY(rows_read)
 *
 * gprofhub_count(rows_read, rows) adds to it, exactly, for the calling function, as if that had
 * called rows_read `rows` times. All reports about calls include quantities. */
#define GPROFHUB_QUANTITY(name) \
  __attribute__((noinline, used, no_instrument_function)) void name(void) { __asm__ volatile(""); }
void gprofhub_add(void (*quantity)(void), unsigned long amount);

static __inline__ __attribute__((always_inline)) void gprofhub_count(void (*quantity)(void),
                                                                     unsigned long amount) {
  gprofhub_add(quantity, amount);
  /* The return address of this call identifies the function, so the call must not be its last
   * act (a tail call). */
  __asm__ volatile("");
}

#ifdef __cplusplus
}
#endif

#endif
