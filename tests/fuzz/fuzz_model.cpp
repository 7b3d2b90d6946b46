#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/compiled_model.hpp"

/// Reads and compiles any bytes as a model file and evaluates its start values: a ModelError is an
/// answer, everything else that is thrown a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trammel;
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const CompiledModel model = compile(parseModel(text, "fuzz.toml"));
    const std::unique_ptr<ModelSystem> system = model.makeSystem();
    const Index n = model.coordinateCount(), m = model.constraintCount();
    Vector q(n), v(n), g(m), r(n);
    system->startValues(q, v);
    system->constraint(0, q, g);
    system->constraintAcceleration(0, q, v, g);
    system->forceBalance(0, q, v, Vector::Zero(n), Vector::Zero(m), r);
    Linearisation linear = shapeOf(*system);
    system->linearise(0, q, v, Vector::Zero(n), Vector::Zero(m), linear);
  } catch (const ModelError&) {
    return 0;
  }
  return 0;
}
