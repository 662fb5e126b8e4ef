// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/generators/galois.h"

#include "base/check.h"

namespace weft {
namespace {

/// The prime p of q = p^e; 0 if q is not a power of a prime.
unsigned prime_below(unsigned q) {
  if (q < 2) return 0;
  unsigned p = 2;
  while (q % p != 0) ++p;
  while (q % p == 0) q /= p;
  return q == 1 ? p : 0;
}

}  // namespace

unsigned GaloisField::add(unsigned a, unsigned b) const {
  unsigned sum = 0;
  for (unsigned place = 1; place < q_; place *= p_) sum += (a / place + b / place) % p_ * place;
  return sum;
}

unsigned GaloisField::negative(unsigned a) const {
  unsigned result = 0;
  for (unsigned place = 1; place < q_; place *= p_) result += (p_ - a / place % p_) % p_ * place;
  return result;
}

/// Product modulo the monic polynomial x^e + modulus, by Horner's rule over the digits of b.
unsigned GaloisField::times(unsigned a, unsigned b, unsigned modulus) const {
  const auto scaled = [&](unsigned element, unsigned factor) {
    unsigned result = 0;
    for (unsigned place = 1; place < q_; place *= p_)
      result += element / place % p_ * factor % p_ * place;
    return result;
  };
  const unsigned top = q_ / p_;
  unsigned product = 0;
  for (unsigned place = top; place > 0; place /= p_) {
    const unsigned carry = product / top;  // the coefficient of x^e after a multiplication by x
    product = add(product % top * p_, scaled(negative(modulus), carry));
    product = add(product, scaled(a, b / place % p_));
  }
  return product;
}

/// Fills the tables and returns true if the powers of `root` are all elements except 0; else
/// returns false.
bool GaloisField::use_modulus(unsigned modulus, unsigned root) {
  power_.clear();
  log_.assign(q_, 0);
  std::vector<bool> seen(q_, false);
  unsigned element = 1;
  do {
    if (element == 0 || seen[element]) return false;
    seen[element] = true;
    log_[element] = static_cast<unsigned>(power_.size());
    power_.push_back(element);
    element = times(element, root, modulus);
  } while (element != 1);
  return power_.size() == q_ - 1;
}

std::optional<GaloisField> GaloisField::of_order(unsigned q) {
  const unsigned p = prime_below(q);
  if (p == 0) return {};
  GaloisField field(q, p);
  // A modulus is irreducible if and only if some element generates all others under it. For e = 1
  // the modulus is x itself, and arithmetic is modulo p.
  for (unsigned modulus = 0; modulus < (q == p ? 1 : q); ++modulus)
    for (unsigned root = 1; root < q; ++root)
      if (field.use_modulus(modulus, root)) return field;
  CHECK(false);  // every prime power has a field
  return {};
}

}  // namespace weft
