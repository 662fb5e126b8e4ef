/* Example of an event plugin: counts events, and writes a line for each link that appears or
 * disappears to the file that event_plugin_options names.
 *
 *   cc -shared -fPIC -I/usr/local/include/weft -o libcables.so event_plugin.c
 *   weft sm ... with  event_plugin_name /path/to/libcables.so
 *                     event_plugin_options /var/log/cables.log
 */
#include "event_plugin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct cables {
  FILE* file;
  weft_log_function log;
  unsigned long events;
};

static void* create(const char* options, weft_log_function log) {
  struct cables* self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->log = log;
  self->file = fopen(options, "a");
  if (self->file == NULL) {
    log(WEFT_LOG_ERROR, "event_plugin_options: expected a writable file");
    free(self);
    return NULL;
  }
  setvbuf(self->file, NULL, _IOLBF, 0);
  log(WEFT_LOG_INFO, "watching cables");
  return self;
}

static void report(void* state, const weft_event* event) {
  struct cables* self = state;
  ++self->events;
  if (event->kind != WEFT_EVENT_LINK_APPEARED && event->kind != WEFT_EVENT_LINK_GONE) return;
  fprintf(self->file, "%s 0x%016" PRIx64 " '%s' port %u - 0x%016" PRIx64 " '%s' port %u, %s\n",
          event->kind == WEFT_EVENT_LINK_GONE ? "gone" : "appeared", event->node_guid,
          event->node_name, event->port, event->peer_guid, event->peer_name, event->peer_port,
          event->text);
}

static void destroy(void* state) {
  struct cables* self = state;
  fprintf(self->file, "%lu events\n", self->events);
  fclose(self->file);
  free(self);
}

const struct weft_event_plugin_interface weft_event_plugin = {
    WEFT_EVENT_PLUGIN_VERSION, "cables", create, report, destroy};
