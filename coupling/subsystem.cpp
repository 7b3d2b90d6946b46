#include "coupling/subsystem.hpp"

namespace trammel::coupling {

void ForcePolynomial::setZero(Index size) {
  value.setZero(size);
  first.setZero(size);
  second.setZero(size);
}

Index Subsystem::forceSize() const {
  Index size = 0;
  for (const Port& port : ports()) size += portSize(port.kind);
  return size;
}

}  // namespace trammel::coupling
