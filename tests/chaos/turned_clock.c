/* A wall clock that is put forward and back from outside, for a process that preloads this.

   The file that TURNED_CLOCK names holds the nanoseconds by which the clock differs from the
   machine's. Only the wall clock differs: clocks that are never put forward or back, and sleeping,
   are the machine's own. (libfaketime 0.9.10 breaks Python's sleep if it is told to leave the
   steady clocks alone.) */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long long *difference;

__attribute__((constructor)) static void open_clock(void)
{
    const char *path = getenv("TURNED_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *page = mmap(NULL, sizeof *difference, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED)
        difference = page;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    long failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && difference && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        long long moment = now->tv_sec * 1000000000LL + now->tv_nsec + *difference;
        now->tv_sec = moment / 1000000000LL;
        now->tv_nsec = moment % 1000000000LL;
    }
    return (int)failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (out)
        *out = exact.tv_sec;
    return exact.tv_sec;
}
