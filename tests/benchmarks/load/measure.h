/* Clocks, processor time of other processes, percentiles. */
#ifndef MEASURE_H
#define MEASURE_H
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Processor time of all threads in us, from the scheduler's nanosecond clock (ticks are 10 ms). */
static double cpu_us(int pid)
{
    char path[400];
    double sum = 0;
    if (!pid)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *d = opendir(path);
    if (!d)
        return 0;
    for (struct dirent *e; (e = readdir(d));) {
        unsigned long long ns = 0;
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, e->d_name);
        FILE *f = fopen(path, "r");
        if (!f)
            continue;
        if (fscanf(f, "%llu", &ns) == 1)
            sum += ns / 1e3;
        fclose(f);
    }
    closedir(d);
    return sum;
}

static double own_cpu_us(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

/* Processor time of the whole machine in us. */
static double machine_us(void)
{
    unsigned long long v[8] = { 0 };
    FILE *f = fopen("/proc/stat", "r");
    if (!f)
        return 0;
    int n = fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6,
                   v + 7);
    fclose(f);
    return n == 8 ? (v[0] + v[1] + v[2] + v[5] + v[6]) * 1e4 : 0;
}

typedef struct {
    float *v;
    size_t n, room;
} Series;

static void add(Series *s, double v)
{
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 4096;
        s->v = realloc(s->v, s->room * sizeof *s->v);
    }
    s->v[s->n++] = (float)v;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double quantile(Series *s, double p)
{
    if (!s->n)
        return 0;
    qsort(s->v, s->n, sizeof *s->v, by_value);
    size_t at = (size_t)(p * s->n);
    return s->v[at < s->n ? at : s->n - 1];
}
#endif
