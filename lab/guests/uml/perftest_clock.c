// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Stand-in of the Sparkloom lab, loaded into perftest on a user-mode kernel alone.
 *
 * perftest makes out how fast the CPU's counter runs by comparing it with gettimeofday, in steps of some microseconds.
 * There that call is a switch between processes, its noise is larger than the steps, and perftest gives up. Here both
 * come from the counter, at the rate that /proc/cpuinfo of such a guest names. Figures are what a lab's figures are.
 */
#include <stdint.h>
#include <sys/time.h>

#define COUNTS_PER_MICROSECOND 2000

int gettimeofday(struct timeval *now, void *zone)
{
	uint32_t low, high;
	uint64_t microseconds;

	(void)zone;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	microseconds = ((uint64_t)high << 32 | low) / COUNTS_PER_MICROSECOND;
	now->tv_sec = microseconds / 1000000;
	now->tv_usec = microseconds % 1000000;
	return 0;
}
