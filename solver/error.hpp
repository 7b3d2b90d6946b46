#pragma once

#include <stdexcept>
#include <string>

namespace trammel {

/// Base of all errors thrown by Trammel: a wrong model, argument or call order. The message says
/// what, where, got, expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace trammel
