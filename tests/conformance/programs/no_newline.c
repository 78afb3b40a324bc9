volatile int q;
void nl(int n) { q += n; }
int main(void) { nl(1); nl(2); return 0; }