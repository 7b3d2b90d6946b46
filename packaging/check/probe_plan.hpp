#pragma once

#include <pugixml.hpp>

#include "coupling/fmu_probe.hpp"
#include "packaging/check/description.hpp"

namespace trammel::fmi::check {

/// What is to be called of an interface; library and resources are left to the caller.
coupling::ProbePlan probePlan(const Description& description, pugi::xml_node interface);

}  // namespace trammel::fmi::check
