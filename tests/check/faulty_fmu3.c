/* An FMU of FMI 3.0 for all three interfaces, x' = u with one output y = x, that breaks the rule named by its token. */
#include <stdlib.h>
#include <string.h>

#include "fmi3Functions.h"

enum { timeReference = 0, inputReference = 1, outputReference = 2, rateReference = 3 };

typedef struct {
  char fault[32];
  double t, x, u;
  int initialized, exchange;
  fmi3InstanceEnvironment environment;
  fmi3IntermediateUpdateCallback update;
} Model;

static int has(const Model* m, const char* fault) { return strcmp(m->fault, fault) == 0; }

static void start(Model* m) {
  m->t = 0;
  m->x = 1;
  m->u = 0.5;
  m->initialized = 0;
}

static Model* make(fmi3String token, fmi3InstanceEnvironment environment) {
  if (strstr(token, "-other") != NULL) return NULL;
  Model* m = calloc(1, sizeof *m);
  strncpy(m->fault, token, sizeof m->fault - 1);
  m->environment = environment;
  start(m);
  return m;
}

#define UNUSED(a) (void)(a)
#define OK(name, ...)             \
  fmi3Status name(__VA_ARGS__) {  \
    return i == NULL ? fmi3Error : fmi3OK; \
  }
#define REFUSED(name, ...)        \
  fmi3Status name(__VA_ARGS__) {  \
    UNUSED(i);                    \
    return fmi3Error;             \
  }
#define I fmi3Instance i
#define REFERENCES I, const fmi3ValueReference r[], size_t n

const char* fmi3GetVersion(void) { return "3.0"; }
OK(fmi3SetDebugLogging, I, fmi3Boolean on, size_t n, const fmi3String names[])

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment e, fmi3LogMessageCallback log) {
  Model* m = make(token, e);
  if (m != NULL) m->exchange = 1;
  return m;
}
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference required[], size_t count, fmi3InstanceEnvironment e,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
  Model* m = events ? NULL : make(token, e);
  if (m != NULL) m->update = update;
  return m;
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible,
                                               fmi3Boolean logging, fmi3InstanceEnvironment e,
                                               fmi3LogMessageCallback log, fmi3ClockUpdateCallback clock,
                                               fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock) {
  return make(token, e);
}
void fmi3FreeInstance(I) { free(i); }
OK(fmi3EnterInitializationMode, I, fmi3Boolean d, fmi3Float64 e, fmi3Float64 t, fmi3Boolean s, fmi3Float64 stop)
fmi3Status fmi3ExitInitializationMode(I) {
  ((Model*)i)->initialized = 1;
  return fmi3OK;
}
OK(fmi3EnterEventMode, I)
OK(fmi3Terminate, I)
fmi3Status fmi3Reset(I) {
  start(i);
  return fmi3OK;
}

fmi3Status fmi3GetFloat64(REFERENCES, fmi3Float64 v[], size_t count) {
  const Model* m = i;
  for (size_t k = 0; k < n; ++k) {
    const double values[] = {m->t, m->u, m->x, m->u};
    if (r[k] > rateReference || count != n) return fmi3Error;
    v[k] = values[r[k]];
  }
  return fmi3OK;
}
fmi3Status fmi3SetFloat64(REFERENCES, const fmi3Float64 v[], size_t count) {
  for (size_t k = 0; k < n && count == n; ++k) ((Model*)i)->u = v[k];
  return fmi3OK;
}

fmi3Status fmi3DoStep(I, fmi3Float64 t, fmi3Float64 h, fmi3Boolean keep, fmi3Boolean* event, fmi3Boolean* end,
                      fmi3Boolean* early, fmi3Float64* last) {
  Model* m = i;
  fmi3Boolean requested = fmi3False;
  double requestedTime = 0;
  if (!m->initialized) return fmi3Error;
  m->x += h * m->u;
  m->t = t + h;
  *event = *end = *early = fmi3False;
  *last = has(m, "time") ? t : t + h;
  if (m->update != NULL && !has(m, "intermediate"))
    m->update(m->environment, t, fmi3False, fmi3True, fmi3True, fmi3False, &requested, &requestedTime);
  return fmi3OK;
}
fmi3Status fmi3GetDirectionalDerivative(I, const fmi3ValueReference y[], size_t ny, const fmi3ValueReference u[],
                                        size_t nu, const fmi3Float64 du[], size_t ndu, fmi3Float64 dy[], size_t ndy) {
  for (size_t k = 0; k < ndy; ++k) dy[k] = 2;
  return fmi3OK;
}
fmi3Status fmi3GetAdjointDerivative(I, const fmi3ValueReference y[], size_t ny, const fmi3ValueReference u[], size_t nu,
                                    const fmi3Float64 dy[], size_t ndy, fmi3Float64 du[], size_t ndu) {
  for (size_t k = 0; k < ndu; ++k) du[k] = has(i, "adjoint") ? 3 : 2;
  return fmi3OK;
}
OK(fmi3GetOutputDerivatives, REFERENCES, const fmi3Int32 o[], fmi3Float64 v[], size_t count)

/* Model exchange. */
fmi3Status fmi3UpdateDiscreteStates(I, fmi3Boolean* again, fmi3Boolean* end, fmi3Boolean* nominals,
                                    fmi3Boolean* states, fmi3Boolean* timed, fmi3Float64* next) {
  *again = *end = *nominals = *states = *timed = fmi3False;
  return fmi3OK;
}
OK(fmi3EnterContinuousTimeMode, I)
fmi3Status fmi3CompletedIntegratorStep(I, fmi3Boolean keep, fmi3Boolean* event, fmi3Boolean* end) {
  *event = *end = fmi3False;
  return fmi3OK;
}
fmi3Status fmi3SetTime(I, fmi3Float64 t) {
  ((Model*)i)->t = t;
  return fmi3OK;
}
fmi3Status fmi3SetContinuousStates(I, const fmi3Float64 x[], size_t n) {
  ((Model*)i)->x = x[0];
  return n == 1 ? fmi3OK : fmi3Error;
}
fmi3Status fmi3GetContinuousStates(I, fmi3Float64 x[], size_t n) {
  x[0] = ((Model*)i)->x;
  return n == 1 ? fmi3OK : fmi3Error;
}
fmi3Status fmi3GetContinuousStateDerivatives(I, fmi3Float64 dx[], size_t n) {
  dx[0] = ((Model*)i)->u;
  return n == 1 ? fmi3OK : fmi3Error;
}
fmi3Status fmi3GetNominalsOfContinuousStates(I, fmi3Float64 x[], size_t n) {
  x[0] = 1;
  return n == 1 ? fmi3OK : fmi3Error;
}
fmi3Status fmi3GetNumberOfContinuousStates(I, size_t* n) {
  *n = has(i, "states") ? 0 : 1;
  return fmi3OK;
}
fmi3Status fmi3GetNumberOfEventIndicators(I, size_t* n) {
  *n = 0;
  return fmi3OK;
}

/* What this FMU does not offer. */
#define ACCESS(type)                                                                \
  REFUSED(fmi3Get##type, REFERENCES, fmi3##type v[], size_t count)                  \
  REFUSED(fmi3Set##type, REFERENCES, const fmi3##type v[], size_t count)
ACCESS(Float32)
ACCESS(Int8)
ACCESS(UInt8)
ACCESS(Int16)
ACCESS(UInt16)
ACCESS(Int32)
ACCESS(UInt32)
ACCESS(Int64)
ACCESS(UInt64)
ACCESS(Boolean)
ACCESS(String)
REFUSED(fmi3GetBinary, REFERENCES, size_t sizes[], fmi3Binary v[], size_t count)
REFUSED(fmi3SetBinary, REFERENCES, const size_t sizes[], const fmi3Binary v[], size_t count)
REFUSED(fmi3GetClock, REFERENCES, fmi3Clock v[])
REFUSED(fmi3SetClock, REFERENCES, const fmi3Clock v[])
REFUSED(fmi3GetNumberOfVariableDependencies, I, fmi3ValueReference r, size_t* n)
REFUSED(fmi3GetVariableDependencies, I, fmi3ValueReference r, size_t a[], fmi3ValueReference b[], size_t c[],
        fmi3DependencyKind d[], size_t n)
REFUSED(fmi3GetFMUState, I, fmi3FMUState* s)
REFUSED(fmi3SetFMUState, I, fmi3FMUState s)
REFUSED(fmi3FreeFMUState, I, fmi3FMUState* s)
REFUSED(fmi3SerializedFMUStateSize, I, fmi3FMUState s, size_t* n)
REFUSED(fmi3SerializeFMUState, I, fmi3FMUState s, fmi3Byte b[], size_t n)
REFUSED(fmi3DeserializeFMUState, I, const fmi3Byte b[], size_t n, fmi3FMUState* s)
REFUSED(fmi3EnterConfigurationMode, I)
REFUSED(fmi3ExitConfigurationMode, I)
REFUSED(fmi3GetIntervalDecimal, REFERENCES, fmi3Float64 v[], fmi3IntervalQualifier q[])
REFUSED(fmi3GetIntervalFraction, REFERENCES, fmi3UInt64 c[], fmi3UInt64 d[], fmi3IntervalQualifier q[])
REFUSED(fmi3GetShiftDecimal, REFERENCES, fmi3Float64 v[])
REFUSED(fmi3GetShiftFraction, REFERENCES, fmi3UInt64 c[], fmi3UInt64 d[])
REFUSED(fmi3SetIntervalDecimal, REFERENCES, const fmi3Float64 v[])
REFUSED(fmi3SetIntervalFraction, REFERENCES, const fmi3UInt64 c[], const fmi3UInt64 d[])
REFUSED(fmi3SetShiftDecimal, REFERENCES, const fmi3Float64 v[])
REFUSED(fmi3SetShiftFraction, REFERENCES, const fmi3UInt64 c[], const fmi3UInt64 d[])
REFUSED(fmi3EvaluateDiscreteStates, I)
REFUSED(fmi3GetEventIndicators, I, fmi3Float64 z[], size_t n)
REFUSED(fmi3EnterStepMode, I)
REFUSED(fmi3ActivateModelPartition, I, fmi3ValueReference clock, fmi3Float64 t)
