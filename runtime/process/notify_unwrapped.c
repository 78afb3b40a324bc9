/* A program that links the whole archive without --wrap never calls our replacements of libc's
 * functions, but the linker needs definitions of the functions they call: these. With --wrap the
 * linker uses libc's functions, and nothing from this file. */
#define GH_UNWRAPPED(name)                                             \
  __attribute__((weak, visibility("hidden"))) int __real_##name(void); \
  int __real_##name(void) { return -1; }

GH_UNWRAPPED(aio_fsync)
GH_UNWRAPPED(aio_fsync64)
GH_UNWRAPPED(aio_read)
GH_UNWRAPPED(aio_read64)
GH_UNWRAPPED(aio_write)
GH_UNWRAPPED(aio_write64)
GH_UNWRAPPED(getaddrinfo_a)
GH_UNWRAPPED(lio_listio)
GH_UNWRAPPED(lio_listio64)
GH_UNWRAPPED(mq_notify)
GH_UNWRAPPED(timer_create)
