/* Routing engines of your own: the whole interface, in C.
 *
 * An engine is a shared object that exports one object named `weft_engine` (see the end of this
 * file). `weft route -R ./libmine.so` and `weft sm -R ./libmine.so` use it: a name with a slash is
 * a file. docs/how-to/write-an-engine-plugin.md has the story, examples/engine a whole engine.
 *
 * An engine is a pure function from a fabric to tables. It runs in a process of its own that ends
 * with the call: what it keeps in memory is gone the next time, and if it crashes or takes too
 * long, it did not serve, and the next engine is tried. Whatever it fills in is judged like the
 * routes of any other engine before a switch gets it. */
#ifndef WEFT_ENGINE_PLUGIN_H
#define WEFT_ENGINE_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changed only where an engine made for an older one would do wrong. */
#define WEFT_ENGINE_VERSION 1

/* NOLINTBEGIN(modernize-use-using): C has no other way to name a type */

#define WEFT_NO_ROUTE 255u /* an entry of a forwarding table that leads nowhere */
#define WEFT_NO_SWITCH UINT32_MAX

/* Switches are numbered from 0, by ascending GUID. */
typedef struct weft_switch {
  uint64_t guid;
  const char* name;       /* the node description, never null */
  uint32_t first_channel; /* of those that leave it, which are sorted by port */
  uint32_t channel_count;
  uint16_t lid;       /* of its port 0 */
  uint8_t lmc;        /* it has the 2^lmc LIDs from there on */
  uint8_t port_count; /* without port 0 */
} weft_switch;

/* One direction of a cable between two different switches. */
typedef struct weft_channel {
  uint32_t from, to; /* switches */
  uint32_t reverse;  /* the channel of the other direction */
  uint32_t rate;     /* Mbit/s */
  uint8_t from_port, to_port;
  uint8_t reserved[6];
} weft_channel;

/* A port of a host or router. */
typedef struct weft_host {
  uint64_t port_guid;
  uint64_t node_guid;
  const char* name; /* the node description, never null */
  uint32_t sw;      /* that it is cabled to, or WEFT_NO_SWITCH */
  uint16_t lid;
  uint8_t lmc;
  uint8_t sw_port; /* the port of that switch */
} weft_host;

typedef struct weft_fabric {
  uint32_t size; /* of this struct as weft knows it: it may grow at its end */
  uint32_t switch_count, channel_count, host_count;
  const weft_switch* switches;
  const weft_channel* channels;
  const weft_host* hosts;
  uint32_t lid_top; /* the highest LID in use */
  uint32_t vls_max; /* data VLs that every port has and the administrator grants */
} weft_fabric;

typedef struct weft_request {
  uint32_t size;
  uint32_t threads;      /* that you may use; the result must not depend on it */
  uint64_t seed;         /* of everything random */
  const uint32_t* roots; /* switches that the administrator named (-a) */
  uint32_t root_count;
} weft_request;

/* How SLs of paths are given. */
typedef enum weft_sl_kind {
  WEFT_SL_NONE = 0,             /* all paths on SL 0 */
  WEFT_SL_BY_LID = 1,           /* sl[lid], lid_top + 1 of them */
  WEFT_SL_BY_SWITCH_PAIR = 2,   /* sl[source * switch_count + destination] */
  WEFT_SL_BY_SWITCH_AND_LID = 3 /* sl[source * (lid_top + 1) + lid] */
} weft_sl_kind;

typedef struct weft_tables {
  uint32_t size;
  uint32_t vls; /* data VLs in use, 1 at first; SL i goes on VL i modulo vls */
  /* lfts[switch * lft_stride + lid]: the port that packets to the LID leave by, 0 at the switch
   * that has the LID itself. All are WEFT_NO_ROUTE at first. Every LID of every switch and host
   * counts. */
  uint8_t* lfts;
  uint64_t lft_stride;
  /* The table for SLs of a weft_sl_kind, all 0 at first; the last kind asked for counts. SLs are
   * below vls. Null where the kind is unknown. */
  uint8_t* (*path_sl)(struct weft_tables* self, uint32_t kind);
  /* Why the fabric cannot be routed, if so; ends in 0. */
  char reason[512];
  void* reserved; /* weft's own */
} weft_tables;

struct weft_engine_interface {
  uint32_t version;    /* WEFT_ENGINE_VERSION */
  const char* summary; /* a line for people */
  /* 0: `tables` is filled; else `tables->reason` says why not. */
  int (*route)(const weft_fabric* fabric, const weft_request* request, weft_tables* tables);
};

#if defined(__GNUC__)
#define WEFT_ENGINE_EXPORT __attribute__((visibility("default")))
#else
#define WEFT_ENGINE_EXPORT
#endif

/* To be defined by the engine. */
WEFT_ENGINE_EXPORT extern const struct weft_engine_interface weft_engine;

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif
#endif
