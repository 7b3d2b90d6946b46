/* A mass on a spring as an FMU of FMI 2.0 that fails on purpose: from `fault_time` on every step has the `fault`. */
#include <fmi2Functions.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { F, X, V, A, FAULT, FAULT_TIME, STIFFNESS, COUNT };
enum { NONE, DISCARD, ERROR, NOT_A_NUMBER, CRASH, HANG, GET_FAILS, RESTORE_FAILS, FATAL };

typedef struct {
  double values[COUNT];
  double time;
} Mass;

static const double mass = 1;

const char* fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char* fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible,
                              fmi2Boolean logging) {
  (void)name, (void)type, (void)guid, (void)resources, (void)functions, (void)visible, (void)logging;
  Mass* m = calloc(1, sizeof *m);
  m->values[X] = 1;
  m->values[STIFFNESS] = 10;
  return m;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]) {
  (void)c, (void)on, (void)n, (void)names;
  return fmi2OK;
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean stopDefined, fmi2Real stop) {
  (void)toleranceDefined, (void)tolerance, (void)stopDefined, (void)stop;
  ((Mass*)c)->time = start;
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2Terminate(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2Reset(fmi2Component c) { return c ? fmi2OK : fmi2Error; }

static int hasFault(const Mass* m, int fault) {
  return m->values[FAULT] == fault && m->time > m->values[FAULT_TIME];
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
  Mass* m = c;
  if (hasFault(m, GET_FAILS)) return fmi2Error;
  m->values[A] = (m->values[F] - m->values[STIFFNESS] * m->values[X]) / mass;
  for (size_t i = 0; i < n; ++i) value[i] = hasFault(m, NOT_A_NUMBER) ? NAN : m->values[vr[i]];
  return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[]) {
  for (size_t i = 0; i < n; ++i) ((Mass*)c)->values[vr[i]] = value[i];
  return fmi2OK;
}

/* Exact for the force held constant: x - F/k turns by omega h. */
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real h, fmi2Boolean noRollback) {
  (void)noRollback;
  Mass* m = c;
  const double stiffness = m->values[STIFFNESS], omega = sqrt(stiffness / mass), rest = m->values[F] / stiffness;
  const double x = m->values[X] - rest, v = m->values[V];
  m->time = time + h;
  if (hasFault(m, DISCARD)) return fmi2Discard;
  if (hasFault(m, ERROR)) return fmi2Error;
  if (hasFault(m, FATAL)) return fmi2Fatal;
  if (hasFault(m, CRASH)) {
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would report it and exit */
    raise(SIGSEGV);
  }
  while (hasFault(m, HANG)) pause();
  m->values[X] = rest + x * cos(omega * h) + v / omega * sin(omega * h);
  m->values[V] = v * cos(omega * h) - x * omega * sin(omega * h);
  return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  if (*state == NULL) *state = malloc(sizeof(Mass));
  *(Mass*)*state = *(Mass*)c;
  return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  if (hasFault(c, RESTORE_FAILS)) return fmi2Error;
  *(Mass*)c = *(Mass*)state;
  return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  (void)c;
  free(*state);
  *state = NULL;
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
