// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Forwarding tables with shared ownership, because the tables of a large subnet have 173 MB.
#pragma once

#include <memory>
#include <utility>

#include "routes/lfts.h"

namespace weft {

/// Immutable tables, or no tables. Copies share the tables.
class SharedLfts {
 public:
  SharedLfts() = default;
  SharedLfts(Lfts lfts)  // NOLINT(google-explicit-constructor): as for std::optional
      : lfts_(std::make_shared<const Lfts>(std::move(lfts))) {}
  explicit SharedLfts(std::shared_ptr<const Lfts> lfts) : lfts_(std::move(lfts)) {}

  explicit operator bool() const { return lfts_ != nullptr; }
  const Lfts& operator*() const { return *lfts_; }
  const Lfts* operator->() const { return lfts_.get(); }
  const Lfts* get() const { return lfts_.get(); }
  void reset() { lfts_.reset(); }

 private:
  std::shared_ptr<const Lfts> lfts_;
};

}  // namespace weft
