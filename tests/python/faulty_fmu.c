/* A free mass of 2 kg, x'' = F/m, as an FMU of FMI 2.0 that does wrong what it is asked to, from `fault_time` on:
   fault 1: doStep returns discard, 2: error, 3: x is not a number, 4: fatal, 5: asks for the end of the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"

enum { F, X, V, A, FAULT, FAULT_TIME, COUNT };

typedef struct {
  double values[COUNT];
  double time;
  int ended;
} State;

static const double mass = 2.0; /* [kg] */

typedef struct {
  State state;
  int dead;
} Mass;

const char* fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char* fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean loggingOn) {
  Mass* m = calloc(1, sizeof(Mass));
  (void)name, (void)type, (void)guid, (void)resources, (void)functions, (void)visible, (void)loggingOn;
  m->state.values[X] = 1.0;
  return m;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
  (void)c, (void)on, (void)n, (void)categories;
  return fmi2OK;
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean hasTolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean hasStop, fmi2Real stop) {
  (void)hasTolerance, (void)tolerance, (void)hasStop, (void)stop;
  ((Mass*)c)->state.time = start;
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) {
  memset(c, 0, sizeof(Mass));
  ((Mass*)c)->state.values[X] = 1.0;
  return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
  State* s = &((Mass*)c)->state;
  s->values[A] = s->values[F] / mass;
  for (size_t i = 0; i < n; ++i) {
    if (vr[i] >= COUNT) return fmi2Error;
    value[i] = s->values[vr[i]];
  }
  return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
  for (size_t i = 0; i < n; ++i) {
    if (vr[i] >= COUNT) return fmi2Error;
    ((Mass*)c)->state.values[vr[i]] = value[i];
  }
  return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean noSetPrior) {
  Mass* m = c;
  State* s = &m->state;
  const int fault = t + h > s->values[FAULT_TIME] ? (int)s->values[FAULT] : 0;
  const double a = s->values[F] / mass;
  (void)noSetPrior;
  if (fault == 1) return fmi2Discard;
  if (fault == 2) return fmi2Error;
  if (fault == 4) return m->dead = 1, fmi2Fatal;
  s->values[X] += h * s->values[V] + h * h * a / 2;
  s->values[V] += h * a;
  s->time = t + h;
  if (fault == 3) s->values[X] = NAN;
  return fmi2OK;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value) {
  (void)kind;
  *value = ((Mass*)c)->state.time;
  return fmi2OK;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value) {
  (void)c, (void)kind;
  *value = fmi2False;
  return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  if (*state == NULL) *state = malloc(sizeof(State));
  memcpy(*state, &((Mass*)c)->state, sizeof(State));
  return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  Mass* m = c;
  if (m->dead) return fmi2Fatal;
  memcpy(&m->state, state, sizeof(State));
  return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  (void)c;
  free(*state);
  *state = NULL;
  return fmi2OK;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size) {
  (void)c, (void)state;
  *size = sizeof(State);
  return fmi2OK;
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  (void)c;
  memcpy(bytes, state, size);
  return fmi2OK;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state) {
  (void)c;
  *state = malloc(sizeof(State));
  memcpy(*state, bytes, size);
  return fmi2OK;
}
