// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finite fields that are small enough for tables, for slim flies and PolarFlies.
#pragma once

#include <optional>
#include <vector>

namespace weft {

/// GF(q) for a prime power q = p^e. Elements are 0..q-1; the base-p digits of an element are the
/// coefficients of its polynomial, lowest first, so for e = 1 arithmetic is modulo q. Memory is
/// O(q).
class GaloisField {
 public:
  /// The field with q elements, for q up to 2^15. Returns nothing if q is not a power of a prime.
  static std::optional<GaloisField> of_order(unsigned q);

  unsigned order() const { return q_; }
  unsigned add(unsigned a, unsigned b) const;
  unsigned negative(unsigned a) const;
  unsigned multiply(unsigned a, unsigned b) const {
    return a == 0 || b == 0 ? 0 : power((log_[a] + log_[b]));
  }
  /// The inverse of a, which must not be 0.
  unsigned inverse(unsigned a) const { return power(q_ - 1 - log_[a]); }
  /// Power of the smallest primitive element.
  unsigned power(unsigned exponent) const { return power_[exponent % (q_ - 1)]; }

 private:
  GaloisField(unsigned q, unsigned p) : q_(q), p_(p) {}
  bool use_modulus(unsigned modulus, unsigned root);
  unsigned times(unsigned a, unsigned b, unsigned modulus) const;

  unsigned q_, p_;
  std::vector<unsigned> power_;  // powers of the root, exponents 0..q-2
  std::vector<unsigned> log_;    // logarithms of the elements 1..q-1
};

}  // namespace weft
