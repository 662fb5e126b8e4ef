// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/page.h"

#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/check.h"
#include "base/file.h"
#include "report/page_data.h"
#include "report/page_files.h"
#include "report/pictures.h"

extern char** environ;

namespace weft {
namespace {

/// Escapes JSON for a <script> element, so that no text ends the element or begins a comment.
std::string script_safe(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string figures(const Report& report) {
  std::string html;
  for (const Picture& picture : plots_of(report))
    html += fmt::format("<figure id=\"plot-{}\">{}</figure>\n", escaped(picture.file),
                        picture.svg.finish(false));
  return html;
}

/// Replaces each {{name}} in the template; values are not expanded again.
std::string fill(std::string_view form,
                 std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  std::string text;
  while (true) {
    const std::size_t open = form.find("{{");
    if (open == std::string_view::npos) return text.append(form);
    const std::size_t close = form.find("}}", open);
    CHECK(close != std::string_view::npos);
    const std::string_view name = form.substr(open + 2, close - open - 2);
    text.append(form.substr(0, open));
    bool known = false;
    for (const auto& [key, value] : values)
      if (key == name) {
        text.append(value);
        known = true;
      }
    CHECK(known);
    form.remove_prefix(close + 2);
  }
}

/// Converts an SVG to a PNG by rsvg-convert, which must be in the PATH.
Status convert(const std::string& svg, const std::string& png) {
  std::array<std::string, 6> words{"rsvg-convert", "--zoom", "1.5", "--output", png, svg};
  std::array<char*, 7> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error != 0)
    return fail(Code::kEnvironment,
                "cannot run rsvg-convert to make PNGs: {} (Debian package librsvg2-bin)",
                std::strerror(error));
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
  if (ended < 0)
    return fail(Code::kEnvironment, "cannot wait for rsvg-convert: {}", std::strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return fail(Code::kEnvironment, "rsvg-convert failed on {}", svg);
}

Status write_folder(const Report& report, const Layout& layout, const std::string& folder,
                    const WriteOptions& options) {
  if (auto made = make_directory(folder); !made) return made;
  if (auto page = write_file(folder + "/report.html", html_page(report, layout)); !page)
    return page;
  const std::string json = to_text(page_data(report, layout)) + "\n";
  if (auto data = write_file(folder + "/report.json", json); !data) return data;
  std::vector<Picture> pictures = plots_of(report);
  for (Picture& drawing : drawings_of(report, layout)) pictures.push_back(std::move(drawing));
  for (const Picture& picture : pictures) {
    const std::string file = folder + "/" + picture.file;
    if (auto svg = write_file(file + ".svg", picture.svg.finish(true)); !svg) return svg;
    if (!options.png) continue;
    if (auto png = convert(file + ".svg", file + ".png"); !png) return png;
  }
  return {};
}

}  // namespace

std::string html_page(const Report& report, const Layout& layout) {
  std::string scripts;
  for (const std::string_view script :
       {page_files::kData_js, page_files::kDrawing_js, page_files::kPaths_js, page_files::kPage_js})
    scripts.append(script);
  return fill(page_files::kPage_html, {{"title", escaped(report.title)},
                                       {"style", page_files::kPage_css},
                                       {"plots", figures(report)},
                                       {"data", script_safe(to_text(page_data(report, layout)))},
                                       {"script", scripts}});
}

Status write_report(const Report& report, const Layout& layout, const std::string& path,
                    const WriteOptions& options) {
  if (!path.ends_with(".html") && !path.ends_with(".htm"))
    return write_folder(report, layout, path, options);
  if (options.png) return fail(Code::kUsage, "--png requires a folder, but {} is a file", path);
  return write_file(path, html_page(report, layout));
}

}  // namespace weft
