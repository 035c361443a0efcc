/* Players and spectators: their connections, and when they play. */
#ifndef PLAYERS_H
#define PLAYERS_H
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure.h"
#include "wire.h"

enum { SEATS = 4, FLIGHT = 8, BUFFER = 1 << 20 };

typedef struct Table Table;
typedef struct {
    int fd, seat, ready, ncards, card;
    int64_t version, bytes;
    Table *table;
    uint8_t *left;
    size_t nleft;
} Conn;

typedef struct {
    int64_t version;
    int seat, got;
    double at, own, lag;
} Move;

struct Table {
    char id[40], token[SEATS][64];
    Conn seat[SEATS];
    Move flight[FLIGHT];
    double due;
    Conn *waits; /* whose move is due later */
    int64_t moves;
};

static Table *tables;
static int ntables, port, port2, connected, ep, floor_mode, playing, hold;
static int server_pid, server2_pid, store_pid, spectators;
static const char *views = "full";
static double gap;
static Series own_times, last_times;
static int64_t moves, watched_version, watched;
static double watched_at;
static uint8_t buffer[BUFFER];

static void transmit(Conn *c, int opcode, const uint8_t *body, size_t n)
{
    uint8_t out[512];
    size_t len = frame(out, opcode, body, n);
    if (write(c->fd, out, len) != (ssize_t)len)
        fail("a frame could not be written");
    c->bytes += len;
}

static void play(Conn *c, double lag)
{
    uint8_t body[256];
    char id[24];
    Table *t = c->table;
    Move *m = &t->flight[(c->version + 1) % FLIGHT];
    *m = (Move){ .version = c->version + 1, .seat = c->seat, .lag = lag };
    snprintf(id, sizeof id, "%lld", (long long)m->version); /* also new to a table that was played on before */
    size_t n = act_message(body, t->id, id, c->card);
    c->ncards = 0;
    m->at = now_us();
    watched_at = m->at;
    watched_version = m->version;
    watched = 0;
    transmit(c, 2, body, n);
}

/* The seat may act: at once, or when its table's next move is due. */
static void turn(Conn *c)
{
    Table *t = c->table;
    if (!playing || hold)
        return;
    if (!gap) {
        play(c, 0);
        return;
    }
    double now = now_us();
    if (now < t->due) {
        t->waits = c;
        return;
    }
    double lag = now - t->due;
    t->due = lag > 2e6 ? now + gap : t->due + gap;
    play(c, lag);
}

static void told(Conn *c, Message *m)
{
    if (!strcmp(m->type, "error") || !strcmp(m->type, "rejected") || !strcmp(m->type, "detached"))
        fail(m->type);
    if (!strcmp(m->type, "attached")) {
        c->ready = 1;
        c->version = m->version;
    } else if (!strcmp(m->type, "update")) {
        if (!floor_mode && m->version != c->version + 1)
            fail("a version is missing");
        c->version = floor_mode ? c->version + 1 : m->version;
    } else
        return;
    if (c->seat < 0) {
        if (c->version == watched_version && ++watched == spectators)
            add(&last_times, now_us() - watched_at);
        return;
    }
    if (floor_mode) {
        m->ncards = c->version % SEATS == c->seat;
        m->cards[0] = 1;
    }
    c->ncards = m->ncards;
    if (m->ncards)
        c->card = m->cards[rand() % m->ncards];
    Move *f = &c->table->flight[c->version % FLIGHT];
    if (f->version == c->version && strcmp(m->type, "attached")) {
        double took = now_us() - f->at + f->lag;
        if (f->seat == c->seat)
            f->own = took;
        if (++f->got == SEATS) {
            moves++;
            c->table->moves++;
            if (!spectators) {
                add(&own_times, f->own);
                add(&last_times, took);
            }
        }
    }
    if (c->ncards)
        turn(c);
}

/* Takes the whole frames at the beginning of what was read; gives how much that was. */
static size_t take(Conn *c, const uint8_t *p, size_t n)
{
    size_t at = 0;
    while (n - at >= 2) {
        const uint8_t *f = p + at;
        size_t len = f[1] & 0x7f, h = 2;
        if (len == 126) {
            if (n - at < 4)
                break;
            len = f[2] << 8 | f[3];
            h = 4;
        } else if (len == 127)
            fail("a frame is too long");
        if (n - at < h + len)
            break;
        int opcode = f[0] & 0x0f;
        if (opcode == 9)
            transmit(c, 10, f + h, len);
        else if (opcode == 8)
            fail("the server closed a connection");
        else if (opcode == 2) {
            Message m;
            read_message(f + h, len, &m);
            told(c, &m);
        }
        at += h + len;
    }
    return at;
}

static void receive(Conn *c)
{
    size_t n = c->nleft;
    if (n)
        memcpy(buffer, c->left, n);
    ssize_t got = read(c->fd, buffer + n, BUFFER - n);
    if (got <= 0) {
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        fail("a connection was lost");
    }
    c->bytes += got;
    n += got;
    size_t done = take(c, buffer, n);
    c->nleft = n - done;
    if (c->nleft) {
        c->left = realloc(c->left, c->nleft);
        memmove(c->left, buffer + done, c->nleft);
    }
}

static void pump(int wait_ms)
{
    struct epoll_event events[256];
    if (gap && !spectators) {
        double now = now_us(), next = now + wait_ms * 1e3;
        for (int i = 0; i < ntables; i++) {
            Table *t = &tables[i];
            if (!t->waits)
                continue;
            if (now >= t->due) {
                Conn *c = t->waits;
                t->waits = NULL;
                t->due += gap;
                if (playing && !hold)
                    play(c, 0);
            } else if (t->due < next)
                next = t->due;
        }
        wait_ms = (int)((next - now) / 1e3 + 0.999);
    }
    int n = epoll_wait(ep, events, 256, wait_ms);
    for (int i = 0; i < n; i++)
        receive(events[i].data.ptr);
}

static void run_ms(double ms)
{
    for (double end = now_us() + ms * 1e3; now_us() < end;)
        pump(1);
}

static void connect_to(Conn *c, int attach)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port2 && connected++ % 2 ? port2 : port) };
    char request[400];
    int one = 1;
    size_t n = 0;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&a, sizeof a))
        fail("cannot connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    int len = snprintf(request, sizeof request,
                       "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                       "Sec-WebSocket-Protocol: facedown.v1.msgpack\r\n\r\n");
    if (write(c->fd, request, len) != len)
        fail("cannot write");
    c->bytes = len;
    while (n < 4 || memcmp(buffer + n - 4, "\r\n\r\n", 4)) { /* nothing follows before we attach */
        ssize_t got = read(c->fd, buffer + n, 2048 - n);
        if (got <= 0)
            fail("the handshake failed");
        n += got;
        c->bytes += got;
    }
    if (memcmp(buffer, "HTTP/1.1 101", 12))
        fail("the handshake was refused");
    c->ready = c->nleft = 0;
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };
    epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &e);
    if (!attach)
        return;
    uint8_t body[300];
    const char *token = c->seat < 0 ? NULL : c->table->token[c->seat];
    transmit(c, 2, body, attach_message(body, c->table->id, token, views));
    while (!c->ready)
        pump(1000);
}

static void read_plan(const char *path)
{
    FILE *f = fopen(path, "r");
    int room = 0;
    Table t = { 0 };
    if (!f)
        fail("cannot read the plan");
    while (fscanf(f, "%39s %63s %63s %63s %63s", t.id, t.token[0], t.token[1], t.token[2], t.token[3]) == 5) {
        if (ntables == room)
            tables = realloc(tables, (room = room ? 2 * room : 64) * sizeof *tables);
        tables[ntables++] = t;
    }
    fclose(f);
    for (int i = 0; i < ntables; i++)
        for (int s = 0; s < SEATS; s++) {
            Conn *c = &tables[i].seat[s];
            *c = (Conn){ .seat = s, .table = &tables[i] };
        }
}

static void begin(int first, int count)
{
    playing = 1;
    for (int i = first; i < first + count; i++) {
        Table *t = &tables[i];
        t->due = now_us() + (gap ? rand() % (int)gap : 0);
        for (int s = 0; s < SEATS; s++) {
            Conn *c = &t->seat[s];
            if (floor_mode && c->version % SEATS == s)
                c->ncards = c->card = 1;
            if (c->ncards) {
                turn(c);
                break;
            }
        }
    }
}
#endif
