// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/sqlite.h"

#include <cstdlib>
#include <filesystem>

namespace weft {

Result<SqliteHandle> open_sqlite(const std::string& path, int busy_ms) {
  sqlite3* raw = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  SqliteHandle handle(raw);
  if (raw == nullptr) return fail(Code::kEnvironment, "{}: out of memory for a database", path);
  if (code != SQLITE_OK)
    return fail(Code::kEnvironment, "{}: cannot be opened: {}", path, sqlite3_errmsg(raw));
  sqlite3_busy_timeout(raw, busy_ms);
  return handle;
}

QueryDeadline end_queries_after(sqlite3* handle, std::chrono::nanoseconds time_max) {
  constexpr int kStepsBetweenChecks = 1000;
  using Steady = std::chrono::steady_clock;
  if (time_max.count() <= 0) return nullptr;
  auto deadline = std::make_unique<Steady::time_point>(Steady::now() + time_max);
  const auto is_late = [](void* until) {
    return Steady::now() >= *static_cast<const Steady::time_point*>(until) ? 1 : 0;
  };
  sqlite3_progress_handler(handle, kStepsBetweenChecks, is_late, deadline.get());
  return deadline;
}

bool is_damaged(sqlite3* handle) {
  const int code = sqlite3_errcode(handle);
  return code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
}

bool states_damage(std::string_view row) {
  constexpr std::string_view kUnread = "unable to get the page. error code=";
  constexpr int kPrimary = 0xFF;  // the bits of an extended result code that are the primary code
  const std::size_t at = row.find(kUnread);
  if (at == std::string_view::npos) return row != "ok";
  const std::string code(row.substr(at + kUnread.size()));
  return (std::atoi(code.c_str()) & kPrimary) != SQLITE_IOERR;
}

std::optional<std::string> rename_damaged(const std::string& path) {
  const std::string aside = path + ".damaged";
  std::error_code error;
  std::filesystem::rename(path, aside, error);
  if (error) return std::nullopt;
  for (const char* companion : {"-wal", "-shm"}) std::filesystem::remove(path + companion, error);
  return aside;
}

}  // namespace weft
