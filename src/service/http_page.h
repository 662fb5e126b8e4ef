// The files of the page, read once at the start and served from memory: a path that was not read
// then is not there, so no request leads out of the folder, and an upgrade of the files while the
// manager runs mixes no old ones with new ones.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "service/http_message.h"

namespace weft {

class PageFiles {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{16} << 20;  // of all

  /// All regular files below the folder whose endings the web knows. Fails with kEnvironment where
  /// it cannot be read, has no index.html, or is too large to be a page.
  static Result<PageFiles> read(const std::string& folder);

  /// Null where there is no such file; "/" is index.html.
  const std::string* find(std::string_view path) const;
  /// The file, or 304 where the browser has it, or 404.
  HttpAnswer answer(const HttpRequest& request) const;

 private:
  struct File {
    std::string_view type;
    std::string tag;       // of its bytes, quoted as ETag has it
    bool lasting = false;  // its name changes with its bytes
    std::shared_ptr<const std::string> body;
  };
  const File* file(std::string_view path) const;
  Status take(const std::string& path, const std::string& name);

  std::map<std::string, File, std::less<>> files_;  // by path from '/'
  std::size_t bytes_ = 0;
};

/// Where the page lies beside this program: installed, or built; empty where it is not.
std::string page_folder_beside_program();

}  // namespace weft
