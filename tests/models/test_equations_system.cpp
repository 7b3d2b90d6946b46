#include <catch2/catch.hpp>
#include <random>

#include "model_support.hpp"

namespace trammel {

namespace {

/// A state at which the functions of a system are checked.
struct Point {
  double t = 0;
  Vector q, v, a, lambda;
};

Point randomPoint(ModelSystem& system, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto fill = [&](Vector& x, Index size, double scale) {
    x.resize(size);
    for (double& value : x) value = scale * uniform(random);
  };
  Point p;
  const Index n = system.coordinateCount();
  p.t = uniform(random) + 1;
  fill(p.q, n, 0.2);
  Vector q0(n), v0(n);
  system.startValues(q0, v0);
  p.q += q0;  // near the start, where the models are defined
  fill(p.v, n, 2);
  fill(p.a, n, 3);
  fill(p.lambda, system.constraintCount(), 5);
  return p;
}

constexpr double step = 1e-3;

/// Central differences of order 6: error of about step⁶ f⁽⁷⁾/140 + 1e-16/step, below 1e-10 for
/// functions of size 1.
template <class Function>
Vector difference(Function f) {
  const auto pair = [&](double h) -> Vector { return f(h) - f(-h); };
  return (45 * pair(step) - 9 * pair(2 * step) + pair(3 * step)) / (60 * step);
}

Vector forceBalance(ModelSystem& system, const Point& p) {
  Vector r(system.coordinateCount());
  system.forceBalance(p.t, p.q, p.v, p.a, p.lambda, r);
  return r;
}

Vector constraint(ModelSystem& system, double t, const Vector& q) {
  Vector g(system.constraintCount());
  system.constraint(t, q, g);
  return g;
}

Vector constraintRate(ModelSystem& system, double t, const Vector& q, const Vector& v) {
  Vector rate(system.constraintCount());
  system.constraintRate(t, q, v, rate);
  return rate;
}

Vector gamma(ModelSystem& system, const Point& p) {
  Vector result(system.constraintCount());
  system.constraintAcceleration(p.t, p.q, p.v, result);
  return result;
}

/// The tolerance is that of the differences, relative to the size of the matrix.
void requireEqual(const Matrix& actual, const Matrix& expected, const char* what) {
  INFO(what << "\nactual\n" << actual << "\nexpected\n" << expected);
  REQUIRE(actual.rows() == expected.rows());
  REQUIRE(actual.cols() == expected.cols());
  if (actual.size() == 0) return;
  const double scale = std::max(expected.cwiseAbs().maxCoeff(), 1e-12);
  REQUIRE((actual - expected).cwiseAbs().maxCoeff() <= 1e-8 * scale);
}

void checkLinearisation(ModelSystem& system, const Point& p) {
  const Index n = system.coordinateCount(), m = system.constraintCount();
  Linearisation lin, other;
  system.shape(lin);
  system.shape(other);
  system.linearise(p.t, p.q, p.v, p.a, p.lambda, lin);
  system.massAndGradient(p.t, p.q, other);
  requireEqual(Matrix(other.M), Matrix(lin.M), "M of massAndGradient");
  requireEqual(Matrix(other.G), Matrix(lin.G), "G of massAndGradient");
  requireEqual(Matrix(lin.M), Matrix(lin.M).transpose(), "symmetry of M");
  Vector both(n + m);
  system.residual(p.t, p.q, p.v, p.a, p.lambda, both);
  REQUIRE(both.head(n) == forceBalance(system, p));
  REQUIRE(both.tail(m) == constraint(system, p.t, p.q));

  Matrix M(n, n), C(n, n), K(n, n), G(m, n), Gt(n, m);
  for (Index j = 0; j < n; ++j) {
    const auto shifted = [&](Vector Point::*member) {
      return difference([&](double h) {
        Point moved = p;
        (moved.*member)[j] += h;
        return forceBalance(system, moved);
      });
    };
    M.col(j) = shifted(&Point::a);
    C.col(j) = shifted(&Point::v);
    K.col(j) = shifted(&Point::q);
    G.col(j) = difference([&](double h) {
      Vector q = p.q;
      q[j] += h;
      return constraint(system, p.t, q);
    });
  }
  for (Index k = 0; k < m; ++k) {
    Gt.col(k) = difference([&](double h) {
      Point moved = p;
      moved.lambda[k] += h;
      return forceBalance(system, moved);
    });
  }
  requireEqual(Matrix(lin.M), M, "M");
  requireEqual(Matrix(lin.C), C, "C");
  requireEqual(Matrix(lin.K), K, "K");
  requireEqual(Matrix(lin.G), G, "G");
  requireEqual(Matrix(lin.G).transpose(), Gt, "Gᵀ in the force balance");
}

/// Along q(t+h) = q + h v + h² a / 2 the first and second derivative of g are G v + g_t and G a +
/// γ.
void checkConstraintRates(ModelSystem& system, const Point& p) {
  const Vector rate = difference(
      [&](double h) { return constraint(system, p.t + h, p.q + h * p.v + h * h / 2 * p.a); });
  requireEqual(constraintRate(system, p.t, p.q, p.v), rate, "dg/dt");
  const Vector acceleration = difference([&](double h) {
    return constraintRate(system, p.t + h, p.q + h * p.v + h * h / 2 * p.a, p.v + h * p.a);
  });
  Linearisation lin;
  system.shape(lin);
  system.massAndGradient(p.t, p.q, lin);
  requireEqual(gamma(system, p) + lin.G * p.a, acceleration, "d²g/dt²");
}

}  // namespace

TEST_CASE("All functions of a system agree with finite differences of each other") {
  for (const char* name : {"pendulum", "double_pendulum", "slider_crank", "andrews", "car_axis"}) {
    const CompiledModel model = compileCatalogue(name);
    const std::unique_ptr<ModelSystem> system = model.makeSystem();
    std::mt19937 random(7);
    for (int repetition = 0; repetition < 20; ++repetition) {
      INFO(name << ", point " << repetition);
      const Point p = randomPoint(*system, random);
      checkLinearisation(*system, p);
      checkConstraintRates(*system, p);
    }
  }
}

TEST_CASE("A system with every kind of dependence agrees with finite differences") {
  const CompiledModel model = compileText(R"toml(
trammel = 1
kind = "equations"
name = "All"
[parameters]
p = 0.7
[inputs]
F = { start = 0.4 }
[definitions]
d = "sin(x*y) + p"
[coordinates.x]
start = "p"
mass = "2 + cos(y)*p + x^2"
force = "F*sin(time)*y - p*der(x)^3 + der(y)*x + max(x, y)*d"
[coordinates.y]
mass = "3 + exp(x*y)"
force = "-x*d*der(x)*der(y)"
[coordinates.z]
mass = 1
[mass_matrix]
"x,y" = "x*sin(y)/5"
"z, y" = "p*x/9"
[constraints.c]
expression = "x^2*y - z*cos(time*p) + d"
[constraints.e]
expression = "exp(x*time/4)*z + y"
)toml");
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  std::mt19937 random(11);
  for (int repetition = 0; repetition < 20; ++repetition) {
    const Point p = randomPoint(*system, random);
    checkLinearisation(*system, p);
    checkConstraintRates(*system, p);
  }
}

TEST_CASE("The pendulum's equations are those of the paper") {
  // m x'' = -λ x, m y'' = -m g - λ y, 0 = (x² + y² - 1)/2: [Eich 1993], (3.15) to (3.17), with the
  // sign of λ changed.
  const CompiledModel model = compileCatalogue("pendulum");
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  Vector q(2), v(2), r(2), g(1), rate(1), gam(1);
  system->startValues(q, v);
  CHECK(q == Eigen::Vector2d(1, 0));
  CHECK(v == Eigen::Vector2d(0, 0));
  q << 0.6, -0.7;
  v << 0.3, 0.2;
  const Vector a = Eigen::Vector2d(1.5, -2.5), lambda = Vector::Constant(1, 4);
  system->forceBalance(0, q, v, a, lambda, r);
  CHECK(r[0] == Approx(1.5 + 4 * 0.6).epsilon(1e-15));
  CHECK(r[1] == Approx(-2.5 + 13.7503716373294544 + 4 * -0.7).epsilon(1e-15));
  system->constraint(0, q, g);
  CHECK(g[0] == Approx((0.36 + 0.49 - 1) / 2).epsilon(1e-15));
  system->constraintRate(0, q, v, rate);
  CHECK(rate[0] == Approx(0.6 * 0.3 - 0.7 * 0.2).epsilon(1e-15));
  system->constraintAcceleration(0, q, v, gam);
  CHECK(gam[0] == Approx(0.09 + 0.04).epsilon(1e-15));
  double outputs[3];
  system->outputs(0, q, v, a, lambda, outputs);
  CHECK(outputs[0] == Approx((0.09 + 0.04) / 2 + 13.7503716373294544 * -0.7).epsilon(1e-15));
  CHECK(outputs[1] == Approx(4 * std::sqrt(0.85)).epsilon(1e-15));
  CHECK(outputs[2] == Approx(std::atan2(0.6, 0.7)).epsilon(1e-15));
}

TEST_CASE("Andrews' mechanism starts with the published accelerations and multipliers") {
  const CompiledModel model = compileCatalogue("andrews");
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  Point p;
  p.q.resize(7);
  p.v.resize(7);
  system->startValues(p.q, p.v);
  CHECK(constraint(*system, 0, p.q).cwiseAbs().maxCoeff() <= 1e-15);
  // Test Set for IVP Solvers, problem "Andrews' squeezing mechanism", consistent initial values.
  p.a = Vector::Zero(7);
  p.a.head(2) << 14222.4439199541139, -10666.8329399655854;
  p.lambda = Vector::Zero(6);
  p.lambda.head(2) << 98.5668703962410896, -6.12268834425566266;
  CHECK(forceBalance(*system, p).cwiseAbs().maxCoeff() <= 1e-14);  // torques are of size 0.1
  Linearisation lin;
  system->shape(lin);
  system->massAndGradient(0, p.q, lin);
  CHECK((lin.G * p.a + gamma(*system, p)).cwiseAbs().maxCoeff() <=
        1e-10);  // accelerations times lengths are of size 100
  // Exact patterns: 7 + 2·3 entries of M, 3 + 3 + 4·4 ones of G.
  CHECK(lin.M.nonZeros() == 13);
  CHECK(lin.G.nonZeros() == 22);
}

TEST_CASE("The car axis starts consistently") {
  // Test Set for IVP Solvers, problem "Car axis": λ(0) = 0.
  const CompiledModel model = compileCatalogue("car_axis");
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  Vector q(4), v(4);
  system->startValues(q, v);
  CHECK(q == Eigen::Vector4d(0, 0.5, 1, 0.5));
  CHECK(v == Eigen::Vector4d(-0.5, 0, -0.5, 0));
  CHECK(constraint(*system, 0, q).norm() == 0);
  CHECK(constraintRate(*system, 0, q, v).norm() <= 1e-16);
  Linearisation lin;
  system->shape(lin);
  CHECK(lin.M.nonZeros() == 4);
  CHECK(lin.C.nonZeros() == 0);
  CHECK(lin.G.nonZeros() == 6);
}

TEST_CASE("The slider-crank starts on its constraints for every crank angle") {
  const CompiledModel model = compileCatalogue("slider_crank");
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  std::vector<double> parameters;
  for (const Variable& variable : model.variables().variables) {
    if (variable.quantity == Quantity::parameter) parameters.push_back(*variable.start);
  }
  Vector q(5), v(5);
  for (const double angle : {0.0, 0.3, 2.0, 4.0, -1.0}) {
    parameters.back() = angle;
    system->setParameters(parameters);
    system->startValues(q, v);
    CHECK(q[0] == angle);
    CHECK(constraint(*system, 0, q).cwiseAbs().maxCoeff() <= 1e-16);
  }
}

TEST_CASE("Inputs that are polynomials in time enter forces and derivatives of constraints") {
  const CompiledModel model = compileText(R"toml(
trammel = 1
kind = "equations"
name = "Driven"
[inputs]
u = { start = 0.3 }
w = {}
[coordinates.x]
mass = 1
force = "u^2*y + w"
[coordinates.y]
mass = 2
[constraints.c]
expression = "x*sin(u) + y*time*exp(w) - cos(u*w)"
[outputs.o]
expression = "u - w"
)toml");
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  std::mt19937 random(5);
  const std::vector<double> value{0.4, -0.6}, first{1.3, 0.2}, second{-0.9, 2.1};
  const Point p = randomPoint(*system, random);

  system->setInputs(value);
  checkLinearisation(*system, p);
  checkConstraintRates(*system, p);  // ∂g/∂t without u', u''
  InputPolynomials inputs{.origin = p.t - 0.25, .value = value, .first = first, .second = second};
  system->setInputs(inputs);
  checkLinearisation(*system, p);
  checkConstraintRates(*system, p);
  double o = 0;
  system->outputs(p.t, p.q, p.v, p.a, p.lambda, {&o, 1});
  // u − w = 1 + 1.1 s − 3 s²/2 at s = 1/4
  CHECK(o == Approx(1 + 1.1 / 4 - 3.0 / 32).epsilon(1e-14));

  inputs.second = {};
  system->setInputs(inputs);
  checkConstraintRates(*system, p);
  system->outputs(p.t, p.q, p.v, p.a, p.lambda, {&o, 1});
  CHECK(o == Approx(1 + 1.1 / 4).epsilon(1e-14));
}

TEST_CASE("What stays at a place, and what comes back to it, finds the equations of this place") {
  const std::string text = R"toml(trammel = 1
kind = "equations"
name = "Places"
[inputs.u]
start = 0.5
[coordinates.x]
mass = "1 + z^2"
force = "-x*z + u*der(y)"
[coordinates.y]
mass = 2
force = "-y*time"
[coordinates.z]
mass = 3
start = 1
[constraints.c]
expression = "x*z - time*u"
[constraints.d]
expression = "x^2 + z^2 - 1"
)toml";
  const CompiledModel model = compileText(text);
  const auto system = model.makeSystem();
  std::mt19937 random(7);
  const Point p = randomPoint(*system, random), other = randomPoint(*system, random);
  const auto fresh = [&](double u) {  // r, g and dg/dt at p, by a system that has been nowhere
    const auto another = model.makeSystem();
    another->setInputs(std::vector<double>{u});
    Vector all(7);
    all << forceBalance(*another, p), constraint(*another, p.t, p.q),
        constraintRate(*another, p.t, p.q, p.v);
    return all;
  };
  const auto visited = [&](bool stays) {
    Vector all(7);
    const auto next = [&] {
      if (stays) system->stay();
    };
    all.head(3) = forceBalance(*system, p);
    next();
    all.segment(3, 2) = constraint(*system, p.t, p.q);
    next();
    all.tail(2) = constraintRate(*system, p.t, p.q, p.v);
    next();
    Vector both(5);
    system->residual(p.t, p.q, p.v, p.a, p.lambda, both);
    CHECK(both == all.head(5));
    return all;
  };
  for (const bool stays : {false, true}) {
    CAPTURE(stays);
    system->setInputs(std::vector<double>{0.5});
    CHECK(visited(stays) == fresh(0.5));
    constraint(*system, other.t, other.q);
    CHECK(visited(stays) == fresh(0.5));
    constraint(*system, other.t, p.q);  // another time alone
    CHECK(visited(stays) == fresh(0.5));
    system->stay();
    system->setInputs(std::vector<double>{0.75});  // nothing is there any more
    CHECK(visited(stays) == fresh(0.75));
  }
}

TEST_CASE("Inputs with zero derivatives act like constant ones, bit for bit") {
  const CompiledModel model = compileCatalogue("slider_crank");
  const std::unique_ptr<ModelSystem> one = model.makeSystem(), two = model.makeSystem();
  std::mt19937 random(3);
  const Point p = randomPoint(*one, random);
  const std::vector<double> values{2.5, -0.75}, zero{0, 0};
  one->setInputs(values);
  two->setInputs(InputPolynomials{.origin = 0.1, .value = values, .first = zero, .second = zero});
  CHECK(forceBalance(*one, p) == forceBalance(*two, p));
  CHECK(gamma(*one, p) == gamma(*two, p));
}

TEST_CASE("Inputs act as forces and reach the outputs that contain them") {
  const CompiledModel model = compileCatalogue("slider_crank");
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  std::mt19937 random(3);
  const Point p = randomPoint(*system, random);
  const Vector without = forceBalance(*system, p);
  const double inputs[] = {2.5, -0.75};
  system->setInputs(inputs);
  const Vector difference = forceBalance(*system, p) - without;
  CHECK(difference[4] == Approx(-2.5).epsilon(1e-12));
  CHECK(difference[0] == Approx(0.75).epsilon(1e-12));
  std::vector<double> outputs(static_cast<std::size_t>(model.outputCount()));
  system->outputs(p.t, p.q, p.v, p.a, p.lambda, outputs);
  CHECK(outputs[3] == p.a[4]);
  CHECK(outputs[4] == Approx(2.5 * p.v[4] - 0.75 * p.v[0]).epsilon(1e-15));
}

TEST_CASE(
    "A parameter out of its bounds or a mass that is not positive is refused and changes nothing") {
  const CompiledModel model = compileCatalogue("pendulum");
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  const auto error = [&](std::vector<double> values) -> std::string {
    try {
      system->setParameters(values);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  CHECK(error({2, 3, 10}).empty());
  CHECK(error({-1, 3, 10}) == "parameter \"m\": value must be in [0, inf], is -1");
  CHECK(error({0, 3, 10}) == "coordinate \"x\": mass must be > 0, is 0");
  CHECK(error({1, 3, std::nan("")}).find("parameter \"g\": value must be in") == 0);
  CHECK(error({1, 3}) == "parameters: got 2 values, expected 3");
  Vector q(2), v(2), r(2);
  system->startValues(q, v);
  CHECK(q[0] == 3);
  const Vector zero = Vector::Zero(2), lambda = Vector::Zero(1);
  system->forceBalance(0, q, v, zero, lambda, r);
  CHECK(r[1] == 20);  // m g with the parameters that were accepted
}

TEST_CASE(
    "Two systems of one model do not share their parameters or inputs, and the model may move") {
  CompiledModel model = compileCatalogue("slider_crank");
  const std::unique_ptr<ModelSystem> one = model.makeSystem();
  const CompiledModel moved = std::move(model);
  const std::unique_ptr<ModelSystem> two = moved.makeSystem();
  std::mt19937 random(3);
  const Point p = randomPoint(*one, random);
  const double inputs[] = {100, 100};
  one->setInputs(inputs);
  CHECK((forceBalance(*one, p) - forceBalance(*two, p)).norm() > 100);
  one->setInputs(std::vector<double>{0, 0});
  CHECK(forceBalance(*one, p) == forceBalance(*two, p));
}

}  // namespace trammel
