#include "models/mechanism/mechanism_compiler.hpp"
#include "models/text.hpp"

namespace trammel {

/// Ends of the way of a joint: N = k p (1 + d p') for the penetration p > 0 of each end, never
/// pulling.
void MechanismCompiler::compileStop(const ElementReader& reader) {
  const JointCoordinate c = jointCoordinate(reader, "joint");
  const int channel = c.channel;
  const Expression k = quantity(reader, "stiffness", c.stiffnessUnit(), inNumber);
  const Expression d = quantityOr(reader, "damping", c.turns ? "s/rad" : "s/m", 0);
  if (!reader.has("lower") && !reader.has("upper"))
    reader.fail(reader.line(), "lower or upper is missing, expected at least one");
  Expression F = constant(0);
  const auto end = [&](std::string_view key, double sign) {
    if (!reader.has(key)) return;
    const Expression bound = quantity(reader, key, c.unit(), inNumber);
    const Expression gap = multiply(constant(sign), subtract(builder_.z(channel), bound));
    const Expression p = positivePart(graph_.negate(gap));
    const Expression pRate = multiply(constant(-sign), builder_.rate(channel));
    const Expression N =
        positivePart(multiply(multiply(k, p), add(constant(1), multiply(d, pRate))));
    F = add(F, multiply(constant(sign), N));
    builder_.addRoot(gap);
  };
  end("lower", 1);
  end("upper", -1);
  builder_.addForce(channel, F);
  laws_.push_back(F);
}

/// Sphere on plane or circle on circle. N = k p^n (1 + d p') for the penetration p, never pulling.
void MechanismCompiler::compileContact(const ElementReader& reader) {
  const bool onPlane = reader.oneOf({"sphere", "circle_a"}) == "sphere";
  int a = 0, b = 0, normal = 0, radius = -1;
  Expression gap;
  if (onPlane) {
    b = frameOf(reader, "sphere");
    a = frameOr(reader, "plane", 0);
    const bool plane = inPlane(a) && inPlane(b);
    radius = numberOf(reader, "radius", "m");
    // In the plane the line is x of its frame and the normal y.
    normal = projection(a, plane ? 1 : 2, b);
    gap = subtract(builder_.z(normal), quantity(reader, "radius", "m", inNumber));
  } else {
    a = frameOf(reader, "circle_a");
    b = frameOf(reader, "circle_b");
    radius = numberOf(reader, "radius_b", "m");
    normal = builder_.channel({.kind = KernelKind::distance, .frameA = a, .frameB = b});
    gap = subtract(builder_.z(normal), add(quantity(reader, "radius_a", "m", inNumber),
                                           quantity(reader, "radius_b", "m", inNumber)));
  }
  if (builder_.bodyOf(a) == builder_.bodyOf(b))
    reader.fail(reader.line(), "both sides are on the same body, expected two");
  // With another exponent than 1 the unit of k has no name: a number stands there.
  const Expression k =
      quantity(reader, "stiffness", reader.has("exponent") ? "1" : "N/m", inNumber);
  const Expression n = quantityOr(reader, "exponent", "1", 1);
  const Expression d = quantityOr(reader, "damping", "s/m", 0);
  const Expression p = positivePart(graph_.negate(gap));
  const Expression pRate = graph_.negate(builder_.rate(normal));
  const Expression elastic = multiply(k, graph_.apply(Operation::power, p, n));
  const Expression N = positivePart(multiply(elastic, add(constant(1), multiply(d, pRate))));
  builder_.addForce(normal, N);
  builder_.addRoot(gap);
  names_.define(reader.name() + ".gap", "gap", gap);
  names_.define(reader.name() + ".force", "force", N);
  laws_.push_back(N);
  potential_ = add(potential_, divide(multiply(elastic, p), add(n, constant(1))));
  if (!reader.has("friction")) return;

  std::vector<int> slips;
  const bool plane = inPlane(a) && inPlane(b);
  if (onPlane) {
    int frame = a;
    if (plane) {  // turn the line's frame: z along its normal y, x along the line
      const Expression axes[] = {constant(1), constant(0), constant(0),
                                 constant(0), constant(0), constant(-1)};
      frame = builder_.aligned(a, {RotationKind::axes, builder_.numbers(axes)}, reader.line());
    }
    for (int axis = 0; axis < (plane ? 1 : 2); ++axis) {
      slips.push_back(builder_.channel({.kind = KernelKind::slipOnPlane,
                                        .frameA = frame,
                                        .frameB = b,
                                        .axisA = axis,
                                        .radiusB = radius}));
    }
  } else {
    slips.push_back(builder_.channel(
        {.kind = KernelKind::slipOnCircle, .frameA = a, .frameB = b, .radiusB = radius}));
  }
  addContactFriction(reader, slips, N);
}

/// Friction of the normal force N along the slips s, 1 or 2 of them:
///   coulomb: F = −μ N s/√(|s|² + v0²)
///   lugre:   F = −N (σ0 ζ + σ1 ζ'),   ζ' = s − σ0 |s| ζ/μ, |s| smoothed by v0.
void MechanismCompiler::addContactFriction(const ElementReader& reader,
                                           const std::vector<int>& slips, Expression N) {
  const Expression mu = quantity(reader, "friction", "1", inNumber);
  const Expression v0 = quantityOr(reader, "slip_speed", "m/s", 1e-3);
  Expression square = multiply(v0, v0);
  for (const int slip : slips)
    square = add(square, multiply(builder_.rate(slip), builder_.rate(slip)));
  const Expression speed = graph_.apply(Operation::sqrt, square);
  const auto model = reader.optionalText("friction_model");
  if (!model || model->value == "coulomb") {
    const Expression factor = graph_.negate(divide(multiply(mu, N), speed));
    for (const int slip : slips) builder_.addForce(slip, multiply(factor, builder_.rate(slip)));
    laws_.push_back(factor);
    return;
  }
  if (model->value != "lugre")
    reader.fail(model->line,
                "friction_model must be \"coulomb\" or \"lugre\", is " + inQuotes(model->value));
  const Expression sigma0 = quantity(reader, "bristle_stiffness", "1/m", inNumber);
  const Expression sigma1 = quantityOr(reader, "bristle_damping", "s/m", 0);
  for (std::size_t i = 0; i < slips.size(); ++i) {
    const std::string name = reader.name() + ".bristle" + std::to_string(i + 1);
    const auto [zeta, zetaRate] = addBristle(name, builder_.rate(slips[i]), speed, sigma0, mu);
    const Expression F = multiply(N, add(multiply(sigma0, zeta), multiply(sigma1, zetaRate)));
    builder_.addForce(slips[i], graph_.negate(F));
    laws_.push_back(F);
  }
}

/// ζ and ζ' = s − σ0 |s| ζ/g of a bristle. The deflection ζ is the rate of a scalar of unit
/// inertia.
std::pair<Expression, Expression> MechanismCompiler::addBristle(const std::string& name,
                                                                Expression s, Expression speed,
                                                                Expression sigma0, Expression g) {
  BodyProgram bristle;
  bristle.name = name;
  bristle.kind = BodyKind::scalar;
  bristle.given = false;
  const int body = builder_.addBody(bristle, {name});
  const int scalar = builder_.channel({.kind = KernelKind::scalar, .scalar = body});
  const Expression zeta = builder_.rate(scalar);
  const Expression zetaRate = subtract(s, divide(multiply(multiply(sigma0, speed), zeta), g));
  builder_.addForce(scalar, zetaRate);
  return {zeta, zetaRate};
}

/// Friction in a joint against its rate s, with g(s) = Fc + (Fs − Fc) exp(−(s/sS)²):
///   coulomb: F = −g(s) tanh(s/s0) − σ2 s
///   lugre:   F = −σ0 ζ − σ1 ζ' − σ2 s,   ζ' = s − σ0 |s| ζ/g(s).
void MechanismCompiler::compileFriction(const ElementReader& reader) {
  const JointCoordinate c = jointCoordinate(reader, "joint");
  const int channel = c.channel;
  const Expression s = builder_.rate(channel);
  const Expression Fc = quantity(reader, "level", c.forceUnit(), inLaw);
  Expression g = Fc;
  if (reader.has("static")) {
    const Expression sS = quantity(reader, "stribeck_speed", c.rateUnit(), inNumber);
    const Expression ratio = divide(s, sS);
    const Expression fade = graph_.apply(Operation::exp, graph_.negate(multiply(ratio, ratio)));
    g = add(g, multiply(subtract(quantity(reader, "static", c.forceUnit(), inLaw), Fc), fade));
  }
  Expression F = graph_.negate(multiply(quantityOr(reader, "viscous", c.dampingUnit(), 0), s));
  const auto model = reader.optionalText("model");
  const std::string name = model ? model->value : "coulomb";
  if (name == "coulomb") {
    const Expression s0 = quantityOr(reader, "slip_speed", c.rateUnit(), 1e-3);
    F = subtract(F, multiply(g, graph_.apply(Operation::tanh, divide(s, s0))));
  } else if (name == "lugre") {
    const Expression sigma0 = quantity(reader, "bristle_stiffness", c.stiffnessUnit(), inNumber);
    const Expression sigma1 = quantityOr(reader, "bristle_damping", c.dampingUnit(), 0);
    const auto [zeta, zetaRate] =
        addBristle(reader.name() + ".bristle", s, graph_.apply(Operation::abs, s), sigma0, g);
    F = subtract(F, add(multiply(sigma0, zeta), multiply(sigma1, zetaRate)));
  } else {
    reader.fail(model->line, "model must be \"coulomb\" or \"lugre\", is " + inQuotes(name));
  }
  names_.define(reader.name() + ".force", "force", F);
  builder_.addForce(channel, F);
  laws_.push_back(F);
}

}  // namespace trammel
