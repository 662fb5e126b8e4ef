// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The C interface of event plugins.
 *
 * A plugin is a shared object that exports one object named `weft_event_plugin` (see the end of
 * this file). weft sm loads the plugins listed in the key event_plugin_name. report() is always
 * called from one thread, which is not the thread of the subnet manager: a slow plugin delays only
 * the other receivers of events, and the end of the manager. create() is called before this thread
 * starts, and destroy() after it has ended, both from the main thread. Events that overflow the
 * queue are dropped; the event WEFT_EVENTS_LOST reports their number. Pointers in an event are
 * valid only during the call. */
#ifndef WEFT_EVENT_PLUGIN_H
#define WEFT_EVENT_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_EVENT_PLUGIN_VERSION 1

/* NOLINTBEGIN(modernize-use-using): C has no other way to name a type */

/* The numbers never change; new kinds are appended. Plugins must ignore unknown kinds. */
typedef enum weft_event_kind {
  WEFT_EVENT_SWEEP_BEGUN = 1,        /* text: reason of the sweep */
  WEFT_EVENT_SWEEP_ENDED = 2,        /* text: empty if the subnet is up, otherwise the error */
  WEFT_EVENT_STATE_CHANGED = 3,      /* text: "MASTER", "STANDBY", "DISCOVERING" or "NOTACTIVE" */
  WEFT_EVENT_NODE_APPEARED = 4,      /* node */
  WEFT_EVENT_NODE_GONE = 5,          /* node */
  WEFT_EVENT_NODE_RENAMED = 6,       /* node; text: the previous name */
  WEFT_EVENT_LINK_APPEARED = 7,      /* node, port, peer, peer_port; text: "4xEDR", "4xXDR FNM" */
  WEFT_EVENT_LINK_GONE = 8,          /* as LINK_APPEARED */
  WEFT_EVENT_LINK_CHANGED = 9,       /* as LINK_APPEARED; text: "4xEDR, was 1xEDR" */
  WEFT_EVENT_LID_CHANGED = 10,       /* node, port, lid, lid_before; 0: no LID */
  WEFT_EVENT_ROUTES_CHANGED = 11,    /* text: engine; count: forwarding-table blocks written */
  WEFT_EVENT_TRAP = 12,              /* lid: sender; count: trap number; text */
  WEFT_EVENT_WARNING = 13,           /* text */
  WEFT_EVENT_ERROR = 14,             /* text */
  WEFT_EVENTS_LOST = 15,             /* count */
  WEFT_EVENT_PARTITION_CHANGED = 16, /* count: P_Key without membership bit; text: the change */
  WEFT_EVENT_MANAGER_APPEARED = 17,  /* another subnet manager. node, port, lid; count: priority;
                                        text: state */
  WEFT_EVENT_MANAGER_GONE = 18,      /* as MANAGER_APPEARED, with the last known values */
  WEFT_EVENT_MANAGER_CHANGED = 19,   /* as MANAGER_APPEARED */
  WEFT_EVENT_COUNTER_ERRORS = 20, /* node, port, peer, peer_port; text: the error counter that rose;
                                     count_before: its last reported value; count: its value now */
  WEFT_EVENT_ALARM_RAISED = 21,   /* node, port, peer, peer_port; text: "RULE SEVERITY: details" */
  WEFT_EVENT_ALARM_CLEARED = 22,  /* as ALARM_RAISED */
  WEFT_EVENT_ALARM_ACKNOWLEDGED = 23, /* as ALARM_RAISED */
  WEFT_EVENT_PORT_UNHEALTHY = 24, /* node, port, peer, peer_port; text: "CONDITION: ACTION". node 0:
                                     the node behind the peer's port has never answered */
  WEFT_EVENT_PORT_HEALTHY = 25,   /* as PORT_UNHEALTHY; text: the reason */
  WEFT_EVENT_ROUTES_REBALANCED = 26, /* text: loads and gain, by load-aware routing */
  WEFT_EVENT_PORT_RECOVERED = 27     /* node: the switch, port, peer, peer_port */
} weft_event_kind;

typedef struct weft_event {
  uint32_t size;         /* size of this struct in weft; later versions append members */
  uint32_t kind;         /* weft_event_kind */
  int64_t time_ns;       /* nanoseconds since 1970, UTC */
  uint64_t sweep;        /* number of the sweep, light sweeps not counted */
  uint64_t node_guid;    /* 0: the event has no node */
  uint64_t peer_guid;    /* node at the other end of the link; 0: none */
  const char* node_name; /* never null */
  const char* peer_name;
  const char* text;
  uint64_t count;
  uint16_t lid;
  uint16_t lid_before;
  uint8_t port;
  uint8_t peer_port;
  uint64_t count_before; /* appended together with COUNTER_ERRORS */
} weft_event;

/* Log levels for plugins. */
typedef enum weft_log_level {
  WEFT_LOG_ERROR = 1,
  WEFT_LOG_INFO = 2,
  WEFT_LOG_VERBOSE = 4
} weft_log_level;
typedef void (*weft_log_function)(weft_log_level level, const char* text);

struct weft_event_plugin_interface {
  uint32_t version; /* WEFT_EVENT_PLUGIN_VERSION */
  const char* name;
  /* `options` is the value of event_plugin_options, or "". `log` is valid until destroy returns.
   * Returns the state of the plugin, or NULL on failure; then weft does not start. */
  void* (*create)(const char* options, weft_log_function log);
  void (*report)(void* self, const weft_event* event);
  void (*destroy)(void* self);
};

#if defined(__GNUC__)
#define WEFT_EVENT_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define WEFT_EVENT_PLUGIN_EXPORT
#endif

/* The plugin defines this object. */
WEFT_EVENT_PLUGIN_EXPORT extern const struct weft_event_plugin_interface weft_event_plugin;

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif
#endif
