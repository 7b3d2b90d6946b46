/* An FMU of FMI 2.0, x' = u with one output y = x, that breaks the rule named by its token. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fmi2Functions.h"

enum { parameterReference = 1, inputReference = 2, outputReference = 3, rateReference = 4 };

typedef struct {
  char fault[32];
  double x, u, p, h;
  int initialized;
  fmi2CallbackLogger log;
  fmi2ComponentEnvironment environment;
} Model;

static int count = 0;

static int has(const Model* m, const char* fault) { return strcmp(m->fault, fault) == 0; }

static void start(Model* m) {
  m->x = 1;
  m->u = 0.5;
  m->p = has(m, "start") ? 4 : 3;
  m->h = 0;
  m->initialized = 0;
}

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]) {
  (void)on, (void)n, (void)names;
  return has(c, "warning") ? fmi2Warning : fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
  (void)name, (void)type, (void)resources, (void)visible, (void)logging;
  const char* other = strstr(guid, "-other");
  if (other != NULL && strncmp(guid, "token", 5) != 0) return NULL;
  Model* m = calloc(1, sizeof *m);
  strncpy(m->fault, guid, sizeof m->fault - 1);
  if (has(m, "instantiate") || (has(m, "instances") && count > 0)) {
    free(m);
    return NULL;
  }
  ++count;
  m->log = callbacks->logger;
  m->environment = callbacks->componentEnvironment;
  start(m);
  return m;
}

void fmi2FreeInstance(fmi2Component c) {
  --count;
  free(c);
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean d, fmi2Real t, fmi2Real a, fmi2Boolean s, fmi2Real b) {
  (void)c, (void)d, (void)t, (void)a, (void)s, (void)b;
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return has(c, "initialize") ? fmi2Error : fmi2OK;
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  ((Model*)c)->initialized = 1;
  return fmi2OK;
}
fmi2Status fmi2Terminate(fmi2Component c) {
  (void)c;
  return fmi2OK;
}
fmi2Status fmi2Reset(fmi2Component c) {
  Model* m = c;
  const double x = m->x;
  start(m);
  if (has(m, "reset")) m->x = x;
  return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real v[]) {
  Model* m = c;
  for (size_t i = 0; i < n; ++i) {
    if (r[i] == rateReference) {
      v[i] = m->u;
    } else if (r[i] == parameterReference) {
      v[i] = m->p;
    } else if (r[i] == inputReference) {
      v[i] = m->u;
    } else if (r[i] == outputReference || has(m, "reference")) {
      v[i] = has(m, "nan") ? 0.0 / (m->x - m->x) : has(m, "range") ? 1e6 : m->x;
    } else {
      return fmi2Error;
    }
  }
  return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real v[]) {
  Model* m = c;
  for (size_t i = 0; i < n; ++i) *(r[i] == inputReference ? &m->u : &m->p) = v[i];
  return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean keep) {
  Model* m = c;
  (void)t, (void)keep;
  if (!m->initialized && !has(m, "sequence")) return fmi2Error;
  if (has(m, "size") && m->h != 0 && m->h != h) return fmi2Discard;
  m->h = h;
  if (has(m, "crash")) abort();
  if (has(m, "exit")) exit(7);
  while (has(m, "loop")) sleep(1);
  if (has(m, "print")) puts("printed by the FMU");
  if (has(m, "step")) return fmi2Error;
  if (has(m, "log")) m->log(m->environment, "", fmi2Error, "logAll", "an error that is none");
  if (has(m, "category")) m->log(m->environment, "", fmi2OK, "unknown", "a message");
  m->x += h * m->u;
  return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* s) {
  if (*s == NULL) *s = malloc(sizeof(Model));
  memcpy(*s, c, sizeof(Model));
  return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate s) {
  if (!has(c, "state")) memcpy(c, s, sizeof(Model));
  return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* s) {
  (void)c;
  free(*s);
  *s = NULL;
  return fmi2OK;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate s, size_t* size) {
  (void)c, (void)s;
  *size = sizeof(Model);
  return fmi2OK;
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate s, fmi2Byte bytes[], size_t size) {
  (void)c;
  memcpy(bytes, s, size);
  return fmi2OK;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* s) {
  *s = malloc(sizeof(Model));
  memcpy(*s, bytes, size);
  if (has(c, "serialize")) ((Model*)*s)->x += 1;
  return fmi2OK;
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference y[], size_t ny,
                                        const fmi2ValueReference u[], size_t nu, const fmi2Real du[],
                                        fmi2Real dy[]) {
  (void)y, (void)u, (void)nu, (void)du;
  for (size_t i = 0; i < ny; ++i) dy[i] = has(c, "derivative") ? 1e308 * 1e308 : 0;
  return fmi2OK;
}

/* Model exchange. */
fmi2Status fmi2EnterEventMode(fmi2Component c) {
  (void)c;
  return fmi2OK;
}
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  info->newDiscreteStatesNeeded = has(c, "events");
  return fmi2OK;
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return has(c, "events") ? fmi2Error : fmi2OK; }
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keep, fmi2Boolean* event, fmi2Boolean* end) {
  (void)c, (void)keep;
  *event = *end = fmi2False;
  return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) {
  (void)c, (void)t;
  return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
  ((Model*)c)->x = x[0];
  return n == 1 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  x[0] = ((Model*)c)->x;
  return n == 1 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n) {
  dx[0] = has(c, "rate") ? 0.0 / (((Model*)c)->x - ((Model*)c)->x) : ((Model*)c)->u;
  return n == 1 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) {
  (void)c, (void)z;
  return n == 0 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  x[0] = 1;
  return n == 1 && c != NULL ? fmi2OK : fmi2Error;
}

/* What this FMU does not offer. */
#define UNSUPPORTED(name, ...)          \
  fmi2Status name(fmi2Component c, __VA_ARGS__) { \
    (void)c;                            \
    return fmi2Error;                   \
  }
#define REFERENCES const fmi2ValueReference r[], size_t n
UNSUPPORTED(fmi2GetInteger, REFERENCES, fmi2Integer v[])
UNSUPPORTED(fmi2GetBoolean, REFERENCES, fmi2Boolean v[])
UNSUPPORTED(fmi2GetString, REFERENCES, fmi2String v[])
UNSUPPORTED(fmi2SetInteger, REFERENCES, const fmi2Integer v[])
UNSUPPORTED(fmi2SetBoolean, REFERENCES, const fmi2Boolean v[])
UNSUPPORTED(fmi2SetString, REFERENCES, const fmi2String v[])
UNSUPPORTED(fmi2SetRealInputDerivatives, REFERENCES, const fmi2Integer o[], const fmi2Real v[])
UNSUPPORTED(fmi2GetRealOutputDerivatives, REFERENCES, const fmi2Integer o[], fmi2Real v[])
UNSUPPORTED(fmi2GetStatus, const fmi2StatusKind k, fmi2Status* v)
UNSUPPORTED(fmi2GetRealStatus, const fmi2StatusKind k, fmi2Real* v)
UNSUPPORTED(fmi2GetIntegerStatus, const fmi2StatusKind k, fmi2Integer* v)
UNSUPPORTED(fmi2GetBooleanStatus, const fmi2StatusKind k, fmi2Boolean* v)
UNSUPPORTED(fmi2GetStringStatus, const fmi2StatusKind k, fmi2String* v)
fmi2Status fmi2CancelStep(fmi2Component c) {
  (void)c;
  return fmi2Error;
}
