/* The function of the gprof manual's "Annotated Source Listing", called as in
 * its sample run: once with no buffer, once with 26312 bytes. */
#include <stddef.h>

typedef unsigned long ulg;
typedef unsigned char uch;

static ulg crc_32_tab[256];

ulg updcrc(uch* s, unsigned n) {
  register ulg c;

  static ulg crc = (ulg)0xffffffffL;

  if (s == NULL) {
    c = 0xffffffffL;
  } else {
    c = crc;
    if (n) do {
        c = crc_32_tab[((int)c ^ (*s++)) & 0xff] ^ (c >> 8);
      } while (--n);
  }
  crc = c;
  return c ^ 0xffffffffL;
}

static uch data[26312];

int main(void) {
  updcrc(NULL, 0);
  updcrc(data, sizeof data);
  return 0;
}
