#pragma once

#include <string_view>

/// The files of packaging/page and the library of the plots, as they were when the program was
/// built.
namespace trammel::fmi::page {

std::string_view frame();   // of the whole page
std::string_view motion();  // section with the animation
std::string_view plots();   // section with the plots
std::string_view use();     // section on other tools
std::string_view couple();  // paragraph on ports in it
std::string_view style();
std::string_view script();
std::string_view cameraScript();
std::string_view animationScript();
std::string_view chartStyle();
std::string_view chartLibrary();

}  // namespace trammel::fmi::page
