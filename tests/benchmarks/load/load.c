/* The load generator: players and spectators of many tables, in one process that needs little of a core.
 *
 * load PLAN port=P pid=SERVER store=STORE mode=play|spectate|reconnect|idle [floor=1] [views=full|patch|none]
 *   play:      [warm=MS] [ms=MS] [gap=US]   closed loop, or with a gap a move is due every so many us and table
 *              [window=MOVES,...]           processor time between these counts of moves (growth of one table)
 *   spectate:  spectators=N [ms=MS] [gap=US]
 *   reconnect: history=MOVES [times=N]
 *   idle:      connections=N                opens them, prints a line, waits for the end of standard input
 * With port2=P and pid2=SERVER every second connection goes to another server.
 * PLAN has a line for each table: its id and the four tokens. A result is one line of JSON.
 */
#include "players.h"

static int64_t bytes_of_seats(void)
{
    int64_t sum = 0;
    for (int i = 0; i < ntables; i++)
        for (int s = 0; s < SEATS; s++)
            sum += tables[i].seat[s].bytes;
    return sum;
}

typedef struct {
    double at, server, store, own, machine;
    int64_t moves, bytes;
} Mark;

static Mark mark(void)
{
    return (Mark){ now_us(),     cpu_us(server_pid) + cpu_us(server2_pid), cpu_us(store_pid), own_cpu_us(),
                   machine_us(), moves,              bytes_of_seats() };
}

static void report(Mark a, Mark b)
{
    double span = b.at - a.at, n = b.moves - a.moves;
    int stalled = 0;
    for (int i = 0; i < ntables; i++)
        stalled += !tables[i].moves;
    printf("\"moves\":%.0f,\"mps\":%.1f,\"server_us\":%.2f,\"store_us\":%.2f,\"bytes\":%.1f,", n, n / span * 1e6,
           (b.server - a.server) / n, (b.store - a.store) / n, (b.bytes - a.bytes) / n);
    printf("\"server_core\":%.3f,\"generator_core\":%.3f,\"others_core\":%.3f,\"stalled\":%d,",
           (b.server - a.server) / span, (b.own - a.own) / span,
           (b.machine - a.machine - (b.server - a.server) - (b.store - a.store) - (b.own - a.own)) / span, stalled);
}

static void report_times(void)
{
    printf("\"own_p50_ms\":%.3f,\"own_p99_ms\":%.3f,\"last_p50_ms\":%.3f,\"last_p99_ms\":%.3f",
           quantile(&own_times, .5) / 1e3, quantile(&own_times, .99) / 1e3, quantile(&last_times, .5) / 1e3,
           quantile(&last_times, .99) / 1e3);
}

static void mode_play(double warm_ms, double ms, const char *windows)
{
    for (int i = 0; i < ntables; i++)
        for (int s = 0; s < SEATS; s++)
            connect_to(&tables[i].seat[s], 1);
    run_ms(300);
    begin(0, ntables);
    if (windows) {
        printf("\"windows\":[");
        for (const char *p = windows; *p; p += *p == ',') {
            int64_t from = strtol(p, (char **)&p, 10), to = strtol(p + 1, (char **)&p, 10);
            while (moves < from)
                pump(100);
            Mark a = mark();
            while (moves < to)
                pump(100);
            Mark b = mark();
            printf("{\"from\":%ld,", (long)from);
            report(a, b);
            printf("\"to\":%ld}%s", (long)to, *p ? "," : "");
        }
        printf("]");
        return;
    }
    run_ms(warm_ms);
    own_times.n = last_times.n = 0;
    Mark a = mark();
    run_ms(ms);
    Mark b = mark();
    hold = 1;
    report(a, b);
    report_times();
}

static Conn *whose_turn(Table *t)
{
    for (;;) {
        int64_t head = 0;
        for (int s = 0; s < SEATS; s++)
            head = t->seat[s].version > head ? t->seat[s].version : head;
        int all = 1;
        for (int s = 0; s < SEATS; s++)
            all &= t->seat[s].version == head;
        for (int s = 0; all && s < SEATS; s++)
            if (t->seat[s].ncards || (floor_mode && head % SEATS == s))
                return &t->seat[s];
        pump(1000);
    }
}

static void mode_spectate(double ms)
{
    Table *t = tables;
    Conn *all = calloc(spectators + 1, sizeof *all);
    double every = gap ? gap : 2e5;
    for (int s = 0; s < SEATS; s++)
        connect_to(&t->seat[s], 1);
    for (int i = 0; i < spectators; i++) {
        all[i] = (Conn){ .seat = -1, .table = t };
        connect_to(&all[i], 1);
    }
    run_ms(500);
    Mark a = { 0 };
    int64_t bytes = 0;
    int warm = 10, n = (int)(ms * 1e3 / every);
    playing = 0;
    for (int k = 0; k < warm + n; k++) {
        if (k == warm) {
            last_times.n = 0;
            a = mark();
            for (int i = 0; i < spectators; i++)
                bytes -= all[i].bytes;
        }
        double next = now_us() + every;
        Conn *c = whose_turn(t);
        if (floor_mode)
            c->card = 1;
        play(c, 0);
        while (now_us() < next || (spectators && watched < spectators))
            pump(1);
    }
    Mark b = mark();
    for (int i = 0; i < spectators; i++)
        bytes += all[i].bytes;
    report(a, b);
    printf("\"spectators\":%d,\"bytes_per_spectator\":%.1f,", spectators,
           spectators ? (double)bytes / n / spectators : 0);
    report_times();
}

static void mode_reconnect(int64_t history, int times)
{
    Table *t = tables;
    Series took = { 0 };
    for (int s = 0; s < SEATS; s++)
        connect_to(&t->seat[s], 1);
    begin(0, 1);
    while (moves < history)
        pump(100);
    hold = 1;
    run_ms(300);
    double before = 0;
    for (int i = 0; i < times + 5; i++) {
        Conn *c = &t->seat[1];
        if (i == 5)
            before = cpu_us(server_pid);
        close(c->fd);
        run_ms(30);
        double at = now_us();
        connect_to(c, 1);
        if (i >= 5)
            add(&took, now_us() - at);
    }
    printf("\"history\":%ld,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"bytes\":%ld,\"server_us\":%.1f", (long)history,
           quantile(&took, .5) / 1e3, quantile(&took, .99) / 1e3, (long)t->seat[1].bytes,
           (cpu_us(server_pid) - before) / times);
}

static void mode_idle(int connections)
{
    Conn *all = calloc(connections + 1, sizeof *all);
    char line[16];
    for (int i = 0; i < connections; i++) {
        all[i] = (Conn){ .seat = -1, .table = tables };
        connect_to(&all[i], 1);
    }
    run_ms(500);
    printf("\"connections\":%d}\n", connections);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin))
        ;
    exit(0);
}

static const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
    size_t n = strlen(name);
    for (int i = 2; i < argc; i++)
        if (!strncmp(argv[i], name, n) && argv[i][n] == '=')
            return argv[i] + n + 1;
    return otherwise;
}

int main(int argc, char **argv)
{
#define NUMBER(name, otherwise) atof(option(argc, argv, name, otherwise))
    if (argc < 2)
        fail("say: load PLAN port=PORT mode=MODE ...");
    const char *mode = option(argc, argv, "mode", "play");
    port = (int)NUMBER("port", "8000");
    port2 = (int)NUMBER("port2", "0");
    server_pid = (int)NUMBER("pid", "0");
    server2_pid = (int)NUMBER("pid2", "0");
    store_pid = (int)NUMBER("store", "0");
    floor_mode = (int)NUMBER("floor", "0");
    spectators = (int)NUMBER("spectators", "0");
    views = option(argc, argv, "views", "full");
    gap = NUMBER("gap", "0");
    ep = epoll_create1(0);
    srand((int)NUMBER("seed", "1"));
    read_plan(argv[1]);
    if (!ntables)
        fail("the plan names no table");
    printf("{");
    if (!strcmp(mode, "play"))
        mode_play(NUMBER("warm", "2000"), NUMBER("ms", "4000"), option(argc, argv, "window", NULL));
    else if (!strcmp(mode, "spectate"))
        mode_spectate(NUMBER("ms", "4000"));
    else if (!strcmp(mode, "reconnect"))
        mode_reconnect((int64_t)NUMBER("history", "40"), (int)NUMBER("times", "55"));
    else if (!strcmp(mode, "idle"))
        mode_idle((int)NUMBER("connections", "1000"));
    else
        fail("no such mode");
    printf("}\n");
    return 0;
}
