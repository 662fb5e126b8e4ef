// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace weft {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kChunk = 1 << 16;

std::string reason() { return std::strerror(errno); }

Result<gzFile> open_gz(const std::string& path) {
  struct stat info {};
  if (path != "-" && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return fail(Code::kEnvironment, "{}: is a directory, expected a file", path);
  errno = 0;
  gzFile file = path == "-" ? gzdopen(dup(0), "rb") : gzopen(path.c_str(), "rb");
  if (file == nullptr) return fail(Code::kEnvironment, "{}: cannot open: {}", path, reason());
  gzbuffer(file, kChunk);
  return file;
}

}  // namespace

struct LineReader::Source {
  std::string path;
  gzFile file = nullptr;  // null: the reader has `text` only
  std::string text;       // read from the file; lines before `begin` were returned
  std::size_t begin = 0;
  std::size_t line = 0;
  bool ended = false;
  bool without_newline = false;  // whether the line last returned has no newline

  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    if (file != nullptr) gzclose(file);
  }

  /// Removes the lines that were returned, and appends one more chunk. False at the end of the
  /// file.
  Result<bool> fill() {
    if (ended || file == nullptr) return false;
    text.erase(0, begin);
    begin = 0;
    const std::size_t old = text.size();
    text.resize(old + kChunk);
    const int got = gzread(file, text.data() + old, kChunk);
    text.resize(old + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0) {
      int code = 0;
      const char* what = gzerror(file, &code);
      return fail(Code::kBadInput, "{}:{}: cannot read: {}", path, line + 1,
                  code == Z_ERRNO ? reason() : what);
    }
    if (got == 0) {
      int code = 0;
      gzerror(file, &code);
      if (code == Z_BUF_ERROR) return fail(Code::kBadInput, "{}: gzip data is truncated", path);
      ended = true;
    }
    return got > 0;
  }
};

LineReader::LineReader(std::unique_ptr<Source> source) : source_(std::move(source)) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

Result<LineReader> LineReader::open(const std::string& path) {
  auto file = open_gz(path);
  if (!file) return forward(file);
  auto source = std::make_unique<Source>();
  source->path = path;
  source->file = *file;
  return LineReader(std::move(source));
}

LineReader LineReader::over(std::string text, std::string name) {
  auto source = std::make_unique<Source>();
  source->path = std::move(name);
  source->text = std::move(text);
  return LineReader(std::move(source));
}

Result<bool> LineReader::next(std::string_view& line) {
  Source& s = *source_;
  std::size_t searched = 0;
  std::size_t end = 0;
  while ((end = s.text.find('\n', s.begin + searched)) == std::string::npos) {
    searched = s.text.size() - s.begin;
    if (searched > kLineMax)
      return fail(Code::kBadInput, "{}:{}: line is longer than {} bytes", s.path, s.line + 1,
                  kLineMax);
    auto more = s.fill();
    if (!more) return forward(more);
    if (!*more) {
      if (s.begin == s.text.size()) return false;
      end = s.text.size();
      break;
    }
  }
  line = std::string_view(s.text).substr(s.begin, end - s.begin);
  s.without_newline = end == s.text.size();
  s.begin = s.without_newline ? end : end + 1;
  ++s.line;
  if (s.line == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

const std::string& LineReader::path() const { return source_->path; }
std::size_t LineReader::line_number() const { return source_->line; }
bool LineReader::ends_without_newline() const { return source_->without_newline; }

Status LineReader::rewind() {
  Source& s = *source_;
  s.begin = 0;
  s.line = 0;
  s.without_newline = false;
  if (s.file == nullptr) return {};
  s.text.clear();
  s.ended = false;
  if (gzrewind(s.file) != 0) return fail(Code::kEnvironment, "{}: cannot be rewound", s.path);
  return {};
}

Status for_each_line(
    const std::string& path,
    const std::function<Status(const LineReader& at, std::string_view line)>& take) {
  auto lines = LineReader::open(path);
  if (!lines) return forward(lines);
  std::string_view line;
  while (true) {
    const auto more = lines->next(line);
    if (!more) return forward(more);
    if (!*more) return {};
    if (auto status = take(*lines, line); !status) return status;
  }
}

Result<std::string> read_file(const std::string& path, std::size_t size_max) {
  auto file = open_gz(path);
  if (!file) return forward(file);
  std::string content;
  std::array<char, kChunk> chunk{};
  int got = 0;
  while ((got = gzread(*file, chunk.data(), chunk.size())) > 0) {
    content.append(chunk.data(), static_cast<std::size_t>(got));
    if (content.size() > size_max) {
      gzclose(*file);
      return fail(Code::kBadInput, "{}: larger than {} bytes", path, size_max);
    }
  }
  const int closed = gzclose(*file);
  if (got < 0 || closed == Z_BUF_ERROR)
    return fail(Code::kBadInput, "{}: cannot read, or damaged gzip data", path);
  return content;
}

namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Syncs a folder, so that the names in it persist after a loss of power. Returns false on an
/// error. Does nothing on file systems that cannot sync a folder, and for folders that this process
/// may write but not read.
bool sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES || errno == EPERM;
  const bool good = ::fsync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
  ::close(fd);
  return good;
}

struct TemporaryFile {
  int fd = -1;
  std::string path;
};

/// Creates a file with an unpredictable name beside `path`. Unlike mkstemp() it applies `mode` as
/// open() does. On failure fd is -1 and errno has the cause.
TemporaryFile create_temporary_file(const std::string& path, unsigned mode) {
  constexpr int kAttempts = 100;
  TemporaryFile temporary;
  for (int i = 0; i < kAttempts; ++i) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random) return temporary;
    temporary.path = fmt::format("{}.new.{:016x}", path, random);
    temporary.fd =
        ::open(temporary.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (temporary.fd >= 0 || errno != EEXIST) break;
  }
  return temporary;
}

/// Whether the path is in a folder with links of the system only, such as /dev/stdout, and
/// /dev/fd/63 of a shell's process substitution.
bool is_link_of_system(const std::string& path) {
  const std::string folder = folder_of(path);
  return folder == "/dev" || folder == "/dev/fd";
}

/// Whether the path is a character device such as /dev/null, or a link of the system. Renaming a
/// new file to such a path would replace the device. Links of users are not followed.
bool is_device(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return false;
  return S_ISCHR(info.st_mode) || (S_ISLNK(info.st_mode) && is_link_of_system(path));
}

TemporaryFile open_device(const std::string& path) {
  const int follow = is_link_of_system(path) ? 0 : O_NOFOLLOW;
  return {::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | follow), path};
}

/// Writes the pieces that `produce` appends. Returns false on an error; errno has the cause.
bool write_pieces(
    int fd, const std::function<void(const std::function<void(std::string_view)>&)>& produce) {
  std::string buffer;
  bool good = true;
  const auto write_all = [&](std::string_view rest) {
    while (good && !rest.empty()) {
      const ssize_t done = ::write(fd, rest.data(), rest.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) good = false;
      if (done > 0) rest.remove_prefix(static_cast<std::size_t>(done));
    }
  };
  produce([&](std::string_view piece) {
    if (buffer.empty() && piece.size() >= kChunk / 2) return write_all(piece);
    buffer.append(piece);
    if (buffer.size() < kChunk * 16) return;
    write_all(buffer);
    buffer.clear();
  });
  write_all(buffer);
  return good;
}

}  // namespace

Status write_file(const std::string& path,
                  const std::function<void(const std::function<void(std::string_view)>&)>& produce,
                  unsigned mode) {
  const bool in_place = is_device(path);
  const auto [fd, temporary] = in_place ? open_device(path) : create_temporary_file(path, mode);
  if (fd < 0) return fail(Code::kEnvironment, "{}: cannot write: {}", path, reason());
  bool good = write_pieces(fd, produce) && (in_place || ::fsync(fd) == 0);
  std::string why = good ? std::string() : reason();
  if (::close(fd) != 0 && good) {
    good = false;
    why = reason();
  }
  if (good && !in_place && ::rename(temporary.c_str(), path.c_str()) != 0) {
    good = false;
    why = reason();
  }
  if (!good) {
    if (!in_place) ::unlink(temporary.c_str());
    return fail(Code::kEnvironment, "{}: cannot write: {}", path, why);
  }
  if (!in_place && !sync_folder(folder_of(path)))
    return fail(Code::kEnvironment, "{}: cannot sync its folder: {}", path, reason());
  return {};
}

Status write_file(const std::string& path, std::string_view content, unsigned mode) {
  return write_file(
      path, [&](const auto& append) { append(content); }, mode);
}

Status make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    return fail(Code::kEnvironment, "{}: cannot create the directory: {}", path, error.message());
  if (!std::filesystem::is_directory(path, error))
    return fail(Code::kEnvironment, "{}: is not a directory", path);
  return {};
}

}  // namespace weft
