// The performance manager's database, in SQLite: what the ports have counted, so that a restart
// loses nothing, and what each reading added, for as long as the administrator wants to keep it.
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
  /// Opens the file, or makes it. One that is damaged is moved aside, which is logged. Fails with
  /// kEnvironment naming the path.
  static Result<CounterDatabase> open(const std::string& path);

  /// Puts what the database holds into the store.
  Status restore(CounterStore& store);
  /// Writes what is new, in one transaction: all of it is kept, or nothing. Readings older than
  /// `retention` are dropped.
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
