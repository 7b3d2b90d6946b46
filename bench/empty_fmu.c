/* The least that an FMU can do: an instance of a few numbers, functions of FMI 3 that compute
   nothing. A step checks what the Reference FMUs check: instance, mode, arguments, communication
   point, step size and stop time; the other functions check nothing. What a call through the
   interface costs at least; fmu_costs compares with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3Functions.h"

enum { count = 8 };

enum Mode { instantiated, initialization, step };

typedef struct {
  enum Mode mode;
  double time, stopTime; /* [s] */
  double values[count];  /* by value reference, wrapped around */
} Numbers;

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
    fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
    size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate) {
  return calloc(1, sizeof(Numbers));
}

void fmi3FreeInstance(fmi3Instance instance) { free(instance); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean toleranceDefined,
                                       fmi3Float64 tolerance, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime) {
  Numbers* const numbers = instance;
  numbers->mode = initialization;
  numbers->time = startTime;
  numbers->stopTime = stopTimeDefined ? stopTime : INFINITY;
  return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  ((Numbers*)instance)->mode = step;
  return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean* eventHandlingNeeded, fmi3Boolean* terminateSimulation,
                      fmi3Boolean* earlyReturn, fmi3Float64* lastSuccessfulTime) {
  Numbers* const numbers = instance;
  if (numbers == NULL || numbers->mode != step) return fmi3Error;
  if (eventHandlingNeeded == NULL || terminateSimulation == NULL || earlyReturn == NULL ||
      lastSuccessfulTime == NULL)
    return fmi3Error;
  if (!isfinite(currentCommunicationPoint) || !(communicationStepSize > 0)) return fmi3Error;
  const double tolerance = 1e-9 * communicationStepSize + 4e-15 * fabs(numbers->time);
  if (fabs(currentCommunicationPoint - numbers->time) > tolerance) return fmi3Error;
  if (currentCommunicationPoint + communicationStepSize > numbers->stopTime + tolerance)
    return fmi3Error;
  numbers->time = currentCommunicationPoint + communicationStepSize;
  *eventHandlingNeeded = *terminateSimulation = *earlyReturn = fmi3False;
  *lastSuccessfulTime = numbers->time;
  return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, fmi3Float64 values[], size_t nValues) {
  const Numbers* const numbers = instance;
  for (size_t i = 0; i < nValueReferences; ++i)
    values[i] = numbers->values[valueReferences[i] % count];
  return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, const fmi3Float64 values[], size_t nValues) {
  Numbers* const numbers = instance;
  for (size_t i = 0; i < nValueReferences; ++i)
    numbers->values[valueReferences[i] % count] = values[i];
  return fmi3OK;
}

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state) {
  if (*state == NULL) *state = malloc(sizeof(Numbers));
  memcpy(*state, instance, sizeof(Numbers));
  return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
  memcpy(instance, state, sizeof(Numbers));
  return fmi3OK;
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state) {
  free(*state);
  *state = NULL;
  return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t* size) {
  *size = sizeof(Numbers);
  return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state,
                                 fmi3Byte serializedState[], size_t size) {
  memcpy(serializedState, state, size);
  return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte serializedState[],
                                   size_t size, fmi3FMUState* state) {
  if (*state == NULL) *state = malloc(sizeof(Numbers));
  memcpy(*state, serializedState, size);
  return fmi3OK;
}
