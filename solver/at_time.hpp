#pragma once

#include <sstream>
#include <string>

namespace trammel {

/// " at t = 1.5 s", for messages.
inline std::string atTime(double t) {
  std::ostringstream text;
  text.precision(12);
  text << " at t = " << t << " s";
  return text.str();
}

}  // namespace trammel
