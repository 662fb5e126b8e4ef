// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The C interface for routing engines that you write.
 *
 * An engine is a shared object that exports one object named `weft_engine` (see the end of this
 * file). `weft route -R ./libmine.so` and `weft sm -R ./libmine.so` use it: a name with a slash is
 * a file. See docs/how-to/write-an-engine-plugin.md and the complete engine in examples/engine.
 *
 * An engine is a pure function from a fabric to tables. It runs in a process of its own that ends
 * with the call, so it cannot keep state in memory between calls. If the engine crashes or exceeds
 * its time limit, the next engine is tried. The verifier checks the tables of your engine, as those
 * of any other engine, before they are written to switches. */
#ifndef WEFT_ENGINE_PLUGIN_H
#define WEFT_ENGINE_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented only if engines built for an older version no longer work. */
#define WEFT_ENGINE_VERSION 1

/* NOLINTBEGIN(modernize-use-using): C has no other way to name a type */

#define WEFT_NO_ROUTE 255u /* an empty entry of a forwarding table */
#define WEFT_NO_SWITCH UINT32_MAX

/* Switches are numbered from 0, by ascending GUID. */
typedef struct weft_switch {
  uint64_t guid;
  const char* name;       /* the node description, never null */
  uint32_t first_channel; /* first of its outgoing channels, sorted by port */
  uint32_t channel_count;
  uint16_t lid;       /* base LID of port 0; 0: none */
  uint8_t lmc;        /* port 0 has 2^lmc LIDs from `lid` on */
  uint8_t port_count; /* without port 0 */
} weft_switch;

/* One direction of a cable between two different switches. */
typedef struct weft_channel {
  uint32_t from, to; /* switches */
  uint32_t reverse;  /* the channel of the other direction */
  uint32_t rate;     /* data rate in Mbit/s */
  uint8_t from_port, to_port;
  uint8_t reserved[6];
} weft_channel;

/* A port of a host or router. */
typedef struct weft_host {
  uint64_t port_guid;
  uint64_t node_guid;
  const char* name; /* the node description, never null */
  uint32_t sw;      /* the connected switch, or WEFT_NO_SWITCH */
  uint16_t lid;     /* base LID; 0: none */
  uint8_t lmc;      /* the port has 2^lmc LIDs from `lid` on */
  uint8_t sw_port;  /* the connected port of that switch */
} weft_host;

typedef struct weft_fabric {
  uint32_t size; /* size of this struct: newer versions append fields */
  uint32_t switch_count, channel_count, host_count;
  const weft_switch* switches;
  const weft_channel* channels;
  const weft_host* hosts;
  uint32_t lid_top; /* the highest LID in use */
  uint32_t vls_max; /* number of data VLs that every port has, at most the configured limit */
} weft_fabric;

typedef struct weft_request {
  uint32_t size;         /* size of this struct: newer versions append fields */
  uint32_t threads;      /* threads you may use; the result must not depend on them */
  uint64_t seed;         /* for all random choices */
  const uint32_t* roots; /* switches configured as roots (-a) */
  uint32_t root_count;
} weft_request;

/* Layout of the SL table. */
typedef enum weft_sl_kind {
  WEFT_SL_NONE = 0,             /* all paths on SL 0 */
  WEFT_SL_BY_LID = 1,           /* sl[lid], lid_top + 1 of them */
  WEFT_SL_BY_SWITCH_PAIR = 2,   /* sl[source * switch_count + destination] */
  WEFT_SL_BY_SWITCH_AND_LID = 3 /* sl[source * (lid_top + 1) + lid] */
} weft_sl_kind;

typedef struct weft_tables {
  uint32_t size; /* size of this struct: newer versions append fields */
  uint32_t vls;  /* number of data VLs in use, initially 1; SL i maps to VL i modulo vls */
  /* lfts[switch * lft_stride + lid]: the output port for the LID, 0 at the switch that has the
   * LID itself. Initially all entries are WEFT_NO_ROUTE. Every LID of every switch and host needs
   * an entry. */
  uint8_t* lfts;
  uint64_t lft_stride;
  /* Returns the table of SLs of a weft_sl_kind, initially all 0; null if the kind is unknown. The
   * kind of the last call applies. SLs must be below vls. */
  uint8_t* (*path_sl)(struct weft_tables* self, uint32_t kind);
  /* Reason of a failure, null-terminated. */
  char reason[512];
  void* reserved; /* for weft */
} weft_tables;

struct weft_engine_interface {
  uint32_t version;    /* WEFT_ENGINE_VERSION */
  const char* summary; /* one line for lists of engines */
  /* Fills `tables` and returns 0, or stores the reason in tables->reason and returns another
   * value. */
  int (*route)(const weft_fabric* fabric, const weft_request* request, weft_tables* tables);
};

#if defined(__GNUC__)
#define WEFT_ENGINE_EXPORT __attribute__((visibility("default")))
#else
#define WEFT_ENGINE_EXPORT
#endif

/* The engine defines this object. */
WEFT_ENGINE_EXPORT extern const struct weft_engine_interface weft_engine;

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif
#endif
