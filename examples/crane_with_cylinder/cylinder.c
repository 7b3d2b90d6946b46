/* The cylinder of cylinder_equations.py as an FMU of FMI 2.0 with nothing optional: no saved states, no derivatives. */
#include <fmi2Functions.h>
#include <math.h>
#include <stdlib.h>

enum { F, X, V, A, P, P_START, COUNT };

static const double mass = 10, area = 0.01, damping = 2000, bulk = 7e8, volume = 0.02, pumpFlow = 1e-3, substep = 1e-4;

static double flow(double t) {
  const double tau = fmin(fmax((t - 0.5) / 2, 0), 1);
  return pumpFlow * (1 - cos(2 * acos(-1.0) * tau));
}

static double acceleration(const double* s, double force) { return (s[2] * area - damping * s[1] + force) / mass; }

static void rates(double t, const double* s, double force, double* k) {
  k[0] = s[1];
  k[1] = acceleration(s, force);
  k[2] = bulk / volume * (flow(t) - area * s[1]);
}

/* Runge-Kutta of order 4; s = x, v, p. */
static void advance(double t, double h, double* s, double force) {
  double k[4][3], y[3];
  const double place[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  for (int stage = 0; stage < 4; ++stage) {
    for (int i = 0; i < 3; ++i) y[i] = s[i] + (stage > 0 ? place[stage] * h * k[stage - 1][i] : 0);
    rates(t + place[stage] * h, y, force, k[stage]);
  }
  for (int i = 0; i < 3; ++i) {
    for (int stage = 0; stage < 4; ++stage) s[i] += h / 6 * weight[stage] * k[stage][i];
  }
}

const char* fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char* fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean logging) {
  (void)name, (void)type, (void)guid, (void)resources, (void)functions, (void)visible, (void)logging;
  return calloc(COUNT, sizeof(double));
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stopDefined, fmi2Real stop) {
  (void)c, (void)toleranceDefined, (void)tolerance, (void)start, (void)stopDefined, (void)stop;
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  double* value = c;
  value[P] = value[P_START];
  return fmi2OK;
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2Terminate(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2Reset(fmi2Component c) {
  for (int i = 0; i < COUNT; ++i) ((double*)c)[i] = 0;
  return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
  double* v = c;
  const double s[3] = {v[X], v[V], v[P]};
  v[A] = acceleration(s, v[F]);
  for (size_t i = 0; i < n; ++i) value[i] = v[vr[i]];
  return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
  for (size_t i = 0; i < n; ++i) ((double*)c)[vr[i]] = value[i];
  return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean noRollback) {
  (void)noRollback;
  double* v = c;
  double s[3] = {v[X], v[V], v[P]};
  const int count = (int)fmax(1, ceil(h / substep - 1e-9));
  for (int i = 0; i < count; ++i) advance(t + i * h / count, h / count, s, v[F]);
  v[X] = s[0], v[V] = s[1], v[P] = s[2];
  return fmi2OK;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}
