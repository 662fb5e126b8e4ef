// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The files of the web page, read once at startup and served from memory. So no request can read a
// file outside the folder, and an upgrade while the manager runs cannot mix old and new files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/http/http_message.h"

namespace weft {

struct PageFile {
  std::string name;  // starts with '/'
  std::shared_ptr<const std::string> content;
};

class PageFiles {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{16} << 20;  // all files together

  /// Reads all regular files below the folder that have a known web file extension; omits symbolic
  /// links. Fails with kEnvironment if the folder or a file cannot be read, if there is no
  /// index.html, or if the files exceed kBytesMax.
  static Result<PageFiles> read(const std::string& folder);

  /// The page from files that were read before.
  static PageFiles of(const std::vector<PageFile>& files);
  std::vector<PageFile> all() const;

  /// The content of a file; null if there is no such file. "/" is index.html.
  const std::string* find(std::string_view path) const;
  /// The answer to a request for a file: the file, 304 if the copy of the browser is current, or
  /// 404.
  HttpAnswer answer(const HttpRequest& request) const;

 private:
  struct File {
    std::string_view type;
    std::string tag;       // ETag: quoted hash of the content
    bool lasting = false;  // the file name contains a hash of the content
    std::shared_ptr<const std::string> body;
  };
  const File* file(std::string_view path) const;
  Status take(const std::string& path, const std::string& name);
  void add(PageFile file);

  std::map<std::string, File, std::less<>> files_;  // by path starting with '/'
  std::size_t bytes_ = 0;
};

/// Path of the folder of the page: of the installed page, or of the page in the build tree. Empty
/// if there is no page.
std::string find_page_folder();

}  // namespace weft
