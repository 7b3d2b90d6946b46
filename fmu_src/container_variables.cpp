#include <cmath>

#include "fmu_src/container_instance.hpp"
#include "fmu_src/number_text.hpp"

// Get and set of a container.
namespace trammel::fmi {
namespace {

coupling::FmuNumber numberOf(Type type) {
  switch (type) {
    case Type::float32:
      return coupling::FmuNumber::float32;
    case Type::boolean:
      return coupling::FmuNumber::boolean;
    default:
      return coupling::FmuNumber::int32;
  }
}

bool isSettable(const ContainerVariable& variable) {
  return variable.causality == Causality::input || variable.causality == Causality::parameter;
}

}  // namespace

std::size_t ContainerInstance::placeOf(std::uint32_t valueReference) const {
  if (valueReference == 0 || valueReference >= places_.size())
    throw Error("value reference " + std::to_string(valueReference) +
                " is not known, the container has 0 to " + std::to_string(places_.size() - 1));
  return places_[valueReference];
}

const ContainerVariable& ContainerInstance::variable(std::uint32_t valueReference,
                                                     Type type) const {
  const ContainerVariable& v = description_.variables[placeOf(valueReference)];
  const bool isReal = v.type == Type::float32 && !knowsTypes_;
  if ((isReal ? Type::float64 : v.type) != type)
    throw Error("value reference " + std::to_string(valueReference) +
                " is a variable of another type, \"" + v.name + '"');
  return v;
}

void ContainerInstance::checkSettable(const ContainerVariable& v) const {
  const bool before = run_.mode == Mode::instantiated || run_.mode == Mode::initialization;
  const bool ok =
      before ? isSettable(v)
             : v.causality == Causality::input ||
                   (v.causality == Causality::parameter && v.variability == Variability::tunable);
  if (!ok)
    throw Error("variable \"" + v.name + "\" cannot be set " +
                (isSettable(v) ? "after initialization" : "at any time"));
}

std::span<double> ContainerInstance::numbersOf(const ContainerVariable& v) {
  return std::span(run_.numbers).subspan(v.valueReference, v.size);
}

void ContainerInstance::sendNumbers(const ContainerVariable& v, std::span<const double> values) {
  coupling::FmuInstance& member = members_[static_cast<std::size_t>(v.member)]->instance();
  const std::span<const std::uint32_t> reference(&v.reference, 1);
  if (v.type == Type::float64) {
    member.setReal(reference, values);
  } else {
    member.setNumbers(numberOf(v.type), reference, values);
  }
}

void ContainerInstance::readNumbers(const ContainerVariable& v, std::span<double> values) {
  if (v.member < 0) {
    values[0] = master_->multipliers()[static_cast<Index>(v.reference)];
    return;
  }
  coupling::FmuInstance& member = members_[static_cast<std::size_t>(v.member)]->instance();
  const std::span<const std::uint32_t> reference(&v.reference, 1);
  if (v.type == Type::float64) {
    member.getReal(reference, values);
  } else {
    member.getNumbers(numberOf(v.type), reference, values);
  }
}

void ContainerInstance::setNumbers(Type type, std::span<const std::uint32_t> valueReferences,
                                   std::span<const double> values) {
  if (valueReferences.size() != values.size())
    throw Error("number of values is " + std::to_string(values.size()) + ", expected " +
                std::to_string(valueReferences.size()));
  for (const std::uint32_t reference : valueReferences) checkSettable(variable(reference, type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw Error("variable \"" + variable(valueReferences[i], type).name +
                  "\" must be finite, is " + numberText(values[i]));
    run_.numbers[valueReferences[i]] = values[i];
  }
  // Elements of an array travel together.
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ContainerVariable& v = variable(valueReferences[i], type);
    const bool isLast =
        i + 1 == values.size() || placeOf(valueReferences[i + 1]) != placeOf(valueReferences[i]);
    if (isLast) sendNumbers(v, numbersOf(v));
  }
  if (run_.mode == Mode::initialization) run_.startFound = false;
}

void ContainerInstance::readNumbers(Type type, std::span<const std::uint32_t> valueReferences,
                                    std::span<double> values) {
  if (valueReferences.size() != values.size())
    throw Error("number of values is " + std::to_string(values.size()) + ", expected " +
                std::to_string(valueReferences.size()));
  std::size_t place = places_.size();  // of the array in whole_
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (valueReferences[i] == 0 && type == Type::float64) {
      values[i] = run_.time;
      continue;
    }
    const ContainerVariable& v = variable(valueReferences[i], type);
    if (isSettable(v)) {  // the last value set is the value
      values[i] = run_.numbers[valueReferences[i]];
      continue;
    }
    if (run_.mode == Mode::instantiated)
      throw Discarded("variable \"" + v.name + "\" is known from initialization mode on");
    if (run_.mode == Mode::initialization) findStart();
    if (place != placeOf(valueReferences[i])) {
      place = placeOf(valueReferences[i]);
      whole_.resize(v.size);
      readNumbers(v, whole_);
    }
    values[i] = whole_[valueReferences[i] - v.valueReference];
  }
}

void ContainerInstance::setString(std::span<const std::uint32_t> valueReferences,
                                  std::span<const char* const> values) {
  if (valueReferences.size() != values.size())
    throw Error("number of values is " + std::to_string(values.size()) + ", expected " +
                std::to_string(valueReferences.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ContainerVariable& v = variable(valueReferences[i], Type::string);
    checkSettable(v);
    if (values[i] == nullptr) throw Error("variable \"" + v.name + "\" must not be set to NULL");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ContainerVariable& v = variable(valueReferences[i], Type::string);
    members_[static_cast<std::size_t>(v.member)]->instance().setString(v.reference, values[i]);
    run_.texts[placeOf(valueReferences[i])] = values[i];
  }
  if (run_.mode == Mode::initialization) run_.startFound = false;
}

void ContainerInstance::getString(std::span<const std::uint32_t> valueReferences,
                                  std::span<const char*> values) {
  if (valueReferences.size() != values.size())
    throw Error("number of values is " + std::to_string(values.size()) + ", expected " +
                std::to_string(valueReferences.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ContainerVariable& v = variable(valueReferences[i], Type::string);
    std::string& text = run_.texts[placeOf(valueReferences[i])];
    if (!isSettable(v) && run_.mode != Mode::instantiated) {
      text = members_[static_cast<std::size_t>(v.member)]->instance().getString(v.reference);
    }
    values[i] = text.c_str();
  }
}

}  // namespace trammel::fmi
