// Never called.
int unused_here(int n) { return n * 3; }
