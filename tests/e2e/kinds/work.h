#pragma once

// Calls work() that many times.
void work_times(int times);

void work();
