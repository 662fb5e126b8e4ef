// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The performance manager's SQLite database: the totals of all ports, so that a restart loses no
// counts, and a row for each reading of a port with an increase, for a configured time and with a
// resolution that decreases with age.
// The tables are described in docs/reference/performance-manager.md.
#pragma once

#include <ctime>
#include <string>

#include "base/result.h"
#include "gmp/counter_store.h"
#include "gmp/options.h"
#include "gmp/sqlite.h"

namespace weft {

class CounterDatabase {
 public:
  // All functions fail with kEnvironment, naming the path.

  /// Opens or creates the file and its folder. A damaged file is renamed, which is logged, and
  /// replaced by an empty database.
  static Result<CounterDatabase> open(const std::string& path);

  /// Loads the nodes, and the totals of their ports, from the database into the store.
  Status restore(CounterStore& store);
  /// Writes all changes in one transaction. At most once a minute, also sums and deletes old
  /// readings, and then limits the size of the file; a failure of the last step is only logged.
  Status keep(const CounterStore& store, std::time_t now, const ReadingRetention& keeping);

 private:
  CounterDatabase(SqliteHandle handle, std::string path)
      : handle_(std::move(handle)), path_(std::move(path)) {}

  static Result<CounterDatabase> try_open(const std::string& path, bool& damaged);
  Status prepare(bool& damaged);
  Status create(int version);
  Status run(const char* sql);
  Status write(const CounterStore& store, std::time_t now);
  tl::unexpected<Error> not_written(const std::string& why) const;
  tl::unexpected<Error> database_error(const char* doing) const;

  SqliteHandle handle_;
  std::string path_;
  std::time_t compacted_ = 0;  // time of the last summing of readings
};

}  // namespace weft
