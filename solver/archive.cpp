#include "solver/archive.hpp"

namespace trammel {

// Apart from the writer, which is inlined for every member of a state.
void StateWriter::grow(std::size_t more) {
  const std::size_t written = size();
  out_.resize(written + more);
  next_ = out_.data() + written;
  end_ = out_.data() + out_.size();
}

}  // namespace trammel
