/* Who links the whole archive and no --wrap has no use for ours of libc's functions, and nobody
 * calls them. But they are there, and the linker asks for what they call. With --wrap it takes
 * libc's, and nothing of this. */
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
