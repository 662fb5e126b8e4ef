#include "service/config/settings.h"

namespace weft {

const Settings& default_settings() {
  static const Settings settings;
  return settings;
}

}  // namespace weft
