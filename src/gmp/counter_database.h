// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The performance manager's SQLite database: the totals of all ports, so that a restart loses
// nothing, and the increase of each reading, for a configured time.
// docs/reference/performance-manager.md describes the tables.
#pragma once

#include <chrono>
#include <ctime>
#include <string>

#include "base/result.h"
#include "gmp/counter_store.h"
#include "gmp/sqlite.h"

namespace weft {

class CounterDatabase {
 public:
  /// Opens or creates the file. A damaged file is renamed, which is logged. Fails with
  /// kEnvironment, giving the path.
  static Result<CounterDatabase> open(const std::string& path);

  /// Loads the database into the store.
  Status restore(CounterStore& store);
  /// Writes all changes in one transaction and deletes readings older than `retention`.
  Status keep(const CounterStore& store, std::time_t now, std::chrono::hours retention);

 private:
  CounterDatabase(SqliteHandle handle, std::string path)
      : handle_(std::move(handle)), path_(std::move(path)) {}

  static Result<CounterDatabase> try_open(const std::string& path, bool& damaged);
  Status prepare(bool& damaged);
  Status run(const char* sql);
  Status write(const CounterStore& store, std::time_t now);
  tl::unexpected<Error> trouble(const char* doing) const;

  SqliteHandle handle_;
  std::string path_;
};

}  // namespace weft
