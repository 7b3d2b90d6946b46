/* The smallest importer: loads the binary of an unzipped FMU, runs it at fixed communication points and prints a line
 * with the time and the wanted variables for each.
 *
 *   host BINARY 2|3 TOKEN RESOURCES STOP STEPS REFERENCE...
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include "fmi2FunctionTypes.h"
#include "fmi3FunctionTypes.h"

enum { mostVariables = 64 };

typedef struct {
  const char* token;
  const char* resources;
  double stop;
  int steps;
  unsigned references[mostVariables];
  size_t variables;
} Run;

static void fail(const char* what) {
  fprintf(stderr, "host: %s failed\n", what);
  exit(1);
}

static void check(int status, const char* what) {
  if (status != 0) fail(what);
}

#ifdef _WIN32
typedef HMODULE Library;
static Library load(const char* path) { return LoadLibraryA(path); }
static void* function(Library library, const char* name) {
  void* found = (void*)GetProcAddress(library, name);
  if (found == NULL) fail(name);
  return found;
}
#else
typedef void* Library;
static Library load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  return library;
}
static void* function(Library library, const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) fail(name);
  return found;
}
#endif

static void print(double time, const double* values, size_t n) {
  printf("%.17g", time);
  for (size_t i = 0; i < n; ++i) printf(" %.17g", values[i]);
  printf("\n");
}

static void report2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                 fmi2String message, ...) {
  (void)environment;
  fprintf(stderr, "%s: %d %s: %s\n", name, (int)status, category, message);
}

static void report3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
  (void)environment;
  fprintf(stderr, "%d %s: %s\n", (int)status, category, message);
}

static void run2(Library library, const Run* run) {
  const fmi2CallbackFunctions callbacks = {report2, calloc, free, NULL, NULL};
  fmi2GetRealTYPE* getReal = function(library, "fmi2GetReal");
  fmi2DoStepTYPE* doStep = function(library, "fmi2DoStep");
  fmi2Component fmu = ((fmi2InstantiateTYPE*)function(library, "fmi2Instantiate"))(
      "host", fmi2CoSimulation, run->token, run->resources, &callbacks, fmi2False, fmi2False);
  if (fmu == NULL) fail("fmi2Instantiate");
  check(((fmi2SetupExperimentTYPE*)function(library, "fmi2SetupExperiment"))(fmu, fmi2False, 0, 0, fmi2True, run->stop),
        "fmi2SetupExperiment");
  check(((fmi2EnterInitializationModeTYPE*)function(library, "fmi2EnterInitializationMode"))(fmu),
        "fmi2EnterInitializationMode");
  check(((fmi2ExitInitializationModeTYPE*)function(library, "fmi2ExitInitializationMode"))(fmu),
        "fmi2ExitInitializationMode");
  const double h = run->stop / run->steps;
  for (int i = 0; i <= run->steps; ++i) {
    double values[mostVariables];
    if (i > 0) check(doStep(fmu, (i - 1) * h, h, fmi2True), "fmi2DoStep");
    check(getReal(fmu, run->references, run->variables, values), "fmi2GetReal");
    print(i * h, values, run->variables);
  }
  check(((fmi2TerminateTYPE*)function(library, "fmi2Terminate"))(fmu), "fmi2Terminate");
  ((fmi2FreeInstanceTYPE*)function(library, "fmi2FreeInstance"))(fmu);
}

static void run3(Library library, const Run* run) {
  fmi3GetFloat64TYPE* getFloat64 = function(library, "fmi3GetFloat64");
  fmi3DoStepTYPE* doStep = function(library, "fmi3DoStep");
  fmi3Instance fmu = ((fmi3InstantiateCoSimulationTYPE*)function(library, "fmi3InstantiateCoSimulation"))(
      "host", run->token, run->resources, fmi3False, fmi3False, fmi3False, fmi3False, NULL, 0, NULL, report3, NULL);
  if (fmu == NULL) fail("fmi3InstantiateCoSimulation");
  check(((fmi3EnterInitializationModeTYPE*)function(library, "fmi3EnterInitializationMode"))(fmu, fmi3False, 0, 0,
                                                                                              fmi3True, run->stop),
        "fmi3EnterInitializationMode");
  check(((fmi3ExitInitializationModeTYPE*)function(library, "fmi3ExitInitializationMode"))(fmu),
        "fmi3ExitInitializationMode");
  const double h = run->stop / run->steps;
  for (int i = 0; i <= run->steps; ++i) {
    double values[mostVariables];
    fmi3Boolean event, terminate, early;
    double last;
    if (i > 0)
      check(doStep(fmu, (i - 1) * h, h, fmi3True, &event, &terminate, &early, &last), "fmi3DoStep");
    check(getFloat64(fmu, run->references, run->variables, values, run->variables), "fmi3GetFloat64");
    print(i * h, values, run->variables);
  }
  check(((fmi3TerminateTYPE*)function(library, "fmi3Terminate"))(fmu), "fmi3Terminate");
  ((fmi3FreeInstanceTYPE*)function(library, "fmi3FreeInstance"))(fmu);
}

int main(int count, char** arguments) {
  if (count < 8 || count > 7 + mostVariables) {
    fprintf(stderr, "usage: host BINARY 2|3 TOKEN RESOURCES STOP STEPS REFERENCE...\n");
    return 1;
  }
  Run run = {arguments[3], arguments[4], atof(arguments[5]), atoi(arguments[6]), {0}, (size_t)(count - 7)};
  for (size_t i = 0; i < run.variables; ++i) run.references[i] = (unsigned)strtoul(arguments[7 + i], NULL, 10);
  Library library = load(arguments[1]);
  if (library == NULL) fail(arguments[1]);
  (arguments[2][0] == '2' ? run2 : run3)(library, &run);
  return 0;
}
