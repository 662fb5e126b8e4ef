#include "verify/verify.h"

namespace weft {}
