# Calls forward only, which GNU gprof -c finds. Not to be run: it lacks mcount.
        .text
        .globl main, first, second, third, fourth
        .type main,@function
main:   push %rbp

        call first
        xor %eax,%eax
        test %eax,%eax
        jne 1f
        jmp 2f
1:      call second
        call fourth
2:      pop %rbp
        xor %eax,%eax
        ret
        .size main,.-main
        .type first,@function
first:  push %rbp

        mov %rsp,%rbp
        call third
        call fourth+1
        pop %rbp
        ret
        .size first,.-first
        .type local_one,@function
local_one: push %rbp

        movabs $0x00000005e8909090, %rax
        call second
        call second
        pop %rbp
        ret
        .size local_one,.-local_one
        .type second,@function
second: nop
        call third
        ret
        .size second,.-second
        .type third,@function
third:  push %rbp

        pop %rbp
        ret
        .size third,.-third
        .type fourth,@function
fourth: nop
        ret
        .size fourth,.-fourth
        .section .note.GNU-stack,"",@progbits
