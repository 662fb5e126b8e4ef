// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The base paths of UFM's REST interface. The base path determines how a client authenticates
// (docs/reference/ufm.md).
#pragma once

#include <string_view>

#include "service/http/http_message.h"

namespace weft {

inline constexpr std::string_view kUfmBase = "/ufmRest/";

/// For a path below a base path: replaces the base path by kUfmBase, removes slashes at the end,
/// and sets the token from `authorization`, the credentials of the scheme Basic. The token is the
/// password of base64(user:password), or below /ufmRestV3 the credentials. Other requests are
/// unchanged, because browsers also add Basic credentials to requests of other pages.
void apply_ufm_base(HttpRequest& request, std::string_view authorization);

inline bool is_ufm_path(std::string_view path) { return path.starts_with(kUfmBase); }

}  // namespace weft
