#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "model_support.hpp"

namespace {

long allocations = 0;  // by operator new; the program has one thread

}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void* operator new(std::size_t size) {
  if (void* memory = ::operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace trammel {

TEST_CASE("The functions of a system do not allocate") {
  for (const char* name : {"pendulum", "slider_crank", "andrews", "car_axis"}) {
    const CompiledModel model = compileCatalogue(name);
    const std::unique_ptr<ModelSystem> system = model.makeSystem();
    const Index n = model.coordinateCount(), m = model.constraintCount();
    Vector q(n), v(n), r(n), g(m);
    const Vector a = Vector::Zero(n), lambda = Vector::Zero(m);
    std::vector<double> outputs(static_cast<std::size_t>(model.outputCount()));
    const std::vector<double> inputs(static_cast<std::size_t>(model.inputCount()));
    Linearisation linearisation;
    system->shape(linearisation);

    const long before = allocations;
    system->setInputs(inputs);
    system->startValues(q, v);
    system->forceBalance(0, q, v, a, lambda, r);
    system->constraint(0, q, g);
    system->constraintRate(0, q, v, g);
    system->constraintAcceleration(0, q, v, g);
    system->linearise(0, q, v, a, lambda, linearisation);
    system->massAndGradient(0, q, linearisation);
    system->outputs(0, q, v, a, lambda, outputs);
    const long after = allocations;
    INFO(name);
    CHECK(after == before);
    CHECK(before > 0);
  }
}

}  // namespace trammel
