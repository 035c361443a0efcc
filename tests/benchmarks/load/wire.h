/* MessagePack and WebSocket frames, as much of them as a player needs. */
#ifndef WIRE_H
#define WIRE_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const uint8_t *p, *end;
} Cur;

static void fail(const char *why)
{
    fprintf(stderr, "load: %s\n", why);
    exit(1);
}

static uint64_t be(Cur *c, int n)
{
    uint64_t v = 0;
    if (c->end - c->p < n)
        fail("a value ends too early");
    while (n--)
        v = v << 8 | *c->p++;
    return v;
}

/* Reads the head of a string, list or map; -1 where the next value is something else. */
static int64_t head(Cur *c, uint8_t fix, uint8_t mask, uint8_t first, int widths)
{
    uint8_t t = *c->p;
    if ((t & ~mask) == fix) {
        c->p++;
        return t & mask;
    }
    for (int w = 0; w < 3; w++) {
        if (widths >> w & 1 && t == first) {
            c->p++;
            return (int64_t)be(c, 1 << w);
        }
        if (widths >> w & 1)
            first++;
    }
    return -1;
}

static int64_t map_of(Cur *c) { return head(c, 0x80, 0x0f, 0xde, 6); }
static int64_t list_of(Cur *c) { return head(c, 0x90, 0x0f, 0xdc, 6); }
static int64_t text_of(Cur *c) { return head(c, 0xa0, 0x1f, 0xd9, 7); }

static void skip(Cur *c)
{
    int64_t n;
    if (c->p >= c->end)
        fail("a value ends too early");
    if ((n = text_of(c)) >= 0) {
        c->p += n;
        return;
    }
    if ((n = list_of(c)) >= 0) {
        while (n--)
            skip(c);
        return;
    }
    if ((n = map_of(c)) >= 0) {
        for (n *= 2; n--;)
            skip(c);
        return;
    }
    uint8_t t = *c->p++;
    static const uint8_t size[] = { 0, 0, 0, 0, 1, 2, 4, 2, 3, 5, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8 };
    if (t >= 0xc0 && t <= 0xd3)
        c->p += size[t - 0xc0];
}

static int64_t integer(Cur *c)
{
    uint8_t t = *c->p++;
    if (t < 0x80)
        return t;
    if (t >= 0xe0)
        return (int8_t)t;
    if (t >= 0xcc && t <= 0xcf)
        return (int64_t)be(c, 1 << (t - 0xcc));
    if (t >= 0xd0 && t <= 0xd3)
        return (int64_t)be(c, 1 << (t - 0xd0));
    fail("an integer was expected");
    return 0;
}

static int is(const uint8_t *s, int64_t n, const char *word)
{
    return n == (int64_t)strlen(word) && !memcmp(s, word, n);
}

typedef struct {
    char type[16];
    int64_t version;
    int cards[64], ncards; /* what `play` offers; 0 where the viewer may not act */
} Message;

static void offers(Cur *c, Message *m)
{
    int64_t n = list_of(c);
    for (int64_t i = 0; i < n; i++) {
        int64_t keys = map_of(c);
        while (keys-- > 0) {
            int64_t len = text_of(c);
            const uint8_t *key = c->p;
            c->p += len;
            if (i || !is(key, len, "card")) {
                skip(c);
                continue;
            }
            for (int64_t inner = map_of(c); inner-- > 0;) {
                len = text_of(c);
                key = c->p;
                c->p += len;
                if (!is(key, len, "one_of")) {
                    skip(c);
                    continue;
                }
                int64_t cards = list_of(c);
                while (cards-- > 0 && m->ncards < 64)
                    m->cards[m->ncards++] = (int)integer(c);
            }
        }
    }
}

static void read_message(const uint8_t *p, size_t n, Message *m)
{
    Cur c = { p, p + n };
    memset(m, 0, offsetof(Message, cards));
    m->ncards = 0;
    int64_t keys = map_of(&c);
    while (keys-- > 0) {
        int64_t len = text_of(&c);
        const uint8_t *key = c.p;
        c.p += len;
        if (is(key, len, "type")) {
            len = text_of(&c);
            memcpy(m->type, c.p, len < 15 ? len : 15);
            c.p += len;
        } else if (is(key, len, "version"))
            m->version = integer(&c);
        else if (is(key, len, "actions"))
            offers(&c, m);
        else
            skip(&c);
    }
}

/* A masked client frame; gives its length. */
static size_t frame(uint8_t *out, int opcode, const uint8_t *body, size_t n)
{
    static const uint8_t mask[4] = { 0x37, 0xfa, 0x21, 0x3d };
    size_t at = 0;
    out[at++] = 0x80 | opcode;
    if (n < 126)
        out[at++] = 0x80 | n;
    else {
        out[at++] = 0x80 | 126;
        out[at++] = n >> 8;
        out[at++] = n;
    }
    memcpy(out + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < n; i++)
        out[at + i] = body[i] ^ mask[i & 3];
    return at + n;
}

static uint8_t *text(uint8_t *p, const char *s)
{
    size_t n = strlen(s);
    if (n < 32)
        *p++ = 0xa0 | n;
    else {
        *p++ = 0xd9;
        *p++ = n;
    }
    memcpy(p, s, n);
    return p + n;
}

static size_t act_message(uint8_t *p, const char *table, const char *id, int card)
{
    uint8_t *at = p;
    *at++ = 0x84;
    at = text(text(at, "type"), "act");
    at = text(text(at, "id"), id);
    at = text(text(at, "table"), table);
    at = text(at, "action");
    *at++ = 0x82;
    at = text(text(at, "type"), "play");
    at = text(at, "card");
    *at++ = card;
    return at - p;
}

static size_t attach_message(uint8_t *p, const char *table, const char *token, const char *views)
{
    uint8_t *at = p;
    *at++ = token ? 0x84 : 0x83;
    at = text(text(at, "type"), "attach");
    at = text(text(at, "table"), table);
    if (token)
        at = text(text(at, "token"), token);
    at = text(text(at, "views"), views);
    return at - p;
}
#endif
