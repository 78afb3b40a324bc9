volatile int x; int f(int a){ x+=a; return 2; } int g(int a) { x-=a; return f(a); } static inline __attribute__((always_inline)) int h(int a){ return g(a)+f(a);} int main(void){ return h(3)==0; }
