#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "model_support.hpp"

namespace trammel {

namespace {

struct WrongFile {
  const char* text;     // behind the head, which has four lines; the first is empty
  int line;             // where the error is
  const char* message;  // part of it
};

// Line 1 is `trammel = 1`, line 2 the kind, line 3 the name.
constexpr const char* head = "trammel = 1\nkind = \"equations\"\nname = \"Wrong\"\n";

constexpr const char* mass = "[coordinates.x]\nmass = 1.0\n";

const WrongFile wrongFiles[] = {
    // TOML
    {"[parameters\n", 4, "TOML syntax: "},
    {"a = \n", 4, "TOML syntax: "},
    {"a = 'x\n", 4, "TOML syntax: "},
    {"[coordinates.x]\nmass = 1.0\nmass = 2.0\n", 6, "TOML syntax: "},
    {"[coordinates.x]\nmass = 1.0\n[coordinates.x]\n", 6, "TOML syntax: "},
    {"[coordinates.x]\nmass = 1.0.0\n", 5, "TOML syntax: "},
    {"[coordinates.x]\nmass = \"\\q\"\n", 5, "TOML syntax: "},
    {"[[[a]]]\n", 4, "TOML syntax: "},
    {"[[=\n", 4, "TOML syntax: "},
    {"[=]\n", 4, "TOML syntax: "},
    // the top
    {"", 1, "coordinates are missing, expected at least one [coordinates.NAME]"},
    {"[coordinates]\n", 4, "coordinates are missing"},
    {"author = \"me\"\n[coordinates.x]\nmass = 1\n", 4,
     "unknown key \"author\", expected one of trammel, kind"},
    {"[coordinate.x]\nmass = 1\n", 4, "unknown key \"coordinate\", did you mean \"coordinates\"?"},
    {"description = 3\n[coordinates.x]\nmass = 1\n", 4, "description must be a text, is a number"},
    {"description = \"\\u0001\"\n", 4,
     "description must not contain control characters, is \"\\x01\""},
    {"coordinates = 3\n", 4, "[coordinates] must be a table, is a number"},
    // parameters
    {"[parameters]\nm = true\n", 5, "parameter \"m\": must be a table, is a boolean"},
    {"[parameters]\nm = inf\n", 5, "parameter \"m\" must be a finite number, is inf"},
    {"[parameters]\nm = { unit = \"kg\" }\n", 5,
     "parameter \"m\": value is missing, expected a number"},
    {"[parameters]\nm = { value = \"1\" }\n", 5,
     "parameter \"m\": value must be a number, is a text"},
    {"[parameters]\nm = { value = nan }\n", 5,
     "parameter \"m\": value must be a finite number, is nan"},
    {"[parameters]\nm = { value = 1, unit = \"kgg\" }\n", 5,
     "parameter \"m\": unknown unit \"kgg\", expected a unit such as"},
    {"[parameters]\nm = { value = 1, unit = 5 }\n", 5,
     "parameter \"m\": unit must be a text, is a number"},
    {"[parameters]\nm = { value = -1, min = 0 }\n", 5,
     "parameter \"m\": value must be >= 0, is -1"},
    {"[parameters]\nm = { type = \"whole\", value = 1 }\n", 5,
     "parameter \"m\": type must be one of real, float32, integer, boolean, is \"whole\""},
    {"[parameters]\nm = { type = 1, value = 1 }\n", 5,
     "parameter \"m\": type must be a text, is a number"},
    {"[parameters]\nm = { type = \"integer\", value = 1.5 }\n", 5,
     "parameter \"m\": value must be a whole number of 32 bits, is 1.5"},
    {"[parameters]\nm = { type = \"integer\", value = 3e9 }\n", 5,
     "parameter \"m\": value must be a whole number of 32 bits, is 3e+09"},
    {"[parameters]\nm = { type = \"integer\", value = true }\n", 5,
     "parameter \"m\": value must be a number, is a boolean"},
    {"[parameters]\nm = { type = \"integer\", value = 1, unit = \"kg\" }\n", 5,
     "parameter \"m\": unit is only for real values"},
    {"[parameters]\nm = { type = \"float32\", value = 1e39 }\n", 5,
     "parameter \"m\": value must be a number of 32 bits, is 1e+39"},
    {"[parameters]\nm = { type = \"boolean\", value = 1 }\n", 5,
     "parameter \"m\": value must be true or false, is a number"},
    {"[parameters]\nm = { type = \"boolean\" }\n", 5,
     "parameter \"m\": value is missing, expected true or false"},
    {"[parameters]\nm = { type = \"boolean\", value = true, min = false }\n", 5,
     "parameter \"m\": min is only for numbers"},
    {"[inputs]\nu = { type = \"integer\", nominal = 2.0 }\n", 5,
     "input \"u\": nominal is only for real values"},
    {"[solver]\nrepeatable = 1\n", 5, "solver: repeatable must be true or false, is a number"},
    {"[parameters]\nm = { value = 2, max = 1.5 }\n", 5,
     "parameter \"m\": value must be <= 1.5, is 2"},
    {"[parameters]\nm = { value = 2, min = 3, max = 1 }\n", 5,
     "parameter \"m\": max must be >= min = 3, is 1"},
    {"[parameters]\nm = { value = 2, variability = \"free\" }\n", 5,
     "parameter \"m\": variability must be \"fixed\" or \"tunable\", is \"free\""},
    {"[parameters]\nm = { value = 2, maximum = 3 }\n", 5,
     "parameter \"m\": unknown key \"maximum\""},
    {"[parameters]\n\"2m\" = 1\n", 5,
     "parameter \"2m\": wrong name, expected letters, digits and _"},
    {"[parameters]\n\"m n\" = 1\n", 5, "parameter \"m n\": wrong name"},
    {"[parameters]\n\"\" = 1\n", 5, "parameter \"\": wrong name"},
    {"[parameters]\n\"a..b\" = 1\n", 5, "parameter \"a..b\": wrong name"},
    {"[parameters]\ntime = 1\n", 5, "parameter \"time\": the name is reserved, expected another"},
    {"[parameters]\nsin = { value = 1 }\n", 5, "parameter \"sin\": the name is reserved"},
    {"[parameters]\ng.x = 1\n", 5, "parameter \"g\": unknown key \"x\""},
    // inputs
    {"[inputs]\nF = 1.0\n", 5, "input \"F\": must be a table, is a number"},
    {"[inputs]\nF = { start = \"p\" }\n", 5, "input \"F\": start must be a number, is a text"},
    {"[inputs]\nF = { start = 4, max = 3 }\n", 5, "input \"F\": start must be <= 3, is 4"},
    {"[inputs]\nF = { nominal = 0 }\n", 5, "input \"F\": nominal must be > 0, is 0"},
    // coordinates
    {"[coordinates.x]\nunit = \"m\"\n", 4,
     "coordinate \"x\": mass is missing, expected a number or an expression"},
    {"[coordinates.x]\nmass = 1\nforse = 1\n", 6,
     "coordinate \"x\": unknown key \"forse\", did you mean \"force\"?"},
    {"[coordinates.x]\nmass = [1]\n", 5,
     "coordinate \"x\": mass must be a number or an expression, is an array"},
    {"[coordinates.x]\nmass = 1979-05-27\n", 5,
     "mass must be a number or an expression, is a date or time"},
    {"[coordinates.x]\nmass = -1.0\n", 5, "coordinate \"x\": mass must be > 0, is -1"},
    {"[coordinates.x]\nmass = 0\n", 5, "coordinate \"x\": mass must be > 0, is 0"},
    {"[parameters]\nm = -2\n\n[coordinates.x]\n\nmass = \"m\"\n", 9,
     "coordinate \"x\": mass must be > 0, is -2"},
    {"[coordinates.x]\nstart = -1\nmass = \"x\"\n", 6, "coordinate \"x\": mass must be > 0, is -1"},
    {"[parameters]\np = 0\n[coordinates.x]\nstart = \"1/p\"\nmass = 1\n", 7,
     "coordinate \"x\": start must be finite, is inf"},
    {"[parameters]\np = -1\n[coordinates.x]\nmass = 1\nstart_velocity = \"sqrt(p)\"\n", 8,
     "coordinate \"x\": start_velocity must be finite"},
    {"[coordinates.x]\nmass = 1\nnominal = -2\n", 6,
     "coordinate \"x\": nominal must be > 0, is -2"},
    {"[coordinates.x]\nmass = 1\nstart = \"x\"\n", 6,
     "start of coordinate \"x\": coordinate \"x\" cannot be used here"},
    {"[coordinates.x]\nmass = \"der(x)\"\n", 5,
     "mass of coordinate \"x\": velocity \"x\" cannot be used here"},
    {"[coordinates.x]\nmass = 1\nforce = \"-k*x\"\n", 6,
     "force of coordinate \"x\": unknown name \"k\" at column 2"},
    {"[coordinates.x]\nmass = 1\nforce = \"der(x,2)\"\n", 6,
     "acceleration \"x\" cannot be used here"},
    {"[coordinates.x]\nmass = 1\nforce = \"\"\n", 6, "force of coordinate \"x\": is empty"},
    {"[coordinates.x]\nmass = 1\nforce = \"\"\"\n1 +\n\"\"\"\n", 6,
     "force of coordinate \"x\": ends too early at column 5"},
    {"[coordinates.x]\nmass = 1\n[parameters]\nx = 1\n", 4,
     "coordinate \"x\": the name is taken by the parameter in line 7, expected another"},
    // the mass matrix
    {"[coordinates.x]\nmass = 1\n[mass_matrix]\nx = 1\n", 7,
     "mass_matrix entry \"x\": wrong name, expected two coordinates"},
    {"[coordinates.x]\nmass = 1\n[mass_matrix]\n\"x,y\" = 1\n", 7,
     "mass_matrix entry \"x,y\": \"y\" is no coordinate"},
    {"[coordinates.x]\nmass = 1\n[mass_matrix]\n\"x,x\" = 1\n", 7,
     "mass_matrix entry \"x,x\": is on the diagonal"},
    {"[coordinates.x]\nmass = 1\n[coordinates.y]\nmass = 1\n[mass_matrix]\n\"x,y\" = 0.1\n\"y,x\" "
     "= 0.1\n",
     10, "mass_matrix entry \"x,y\": the name is taken by the mass_matrix entry in line 9"},
    {"[coordinates.x]\nmass = 1\n[coordinates.y]\nmass = 1\n[mass_matrix]\n\"x,y\" = \"time\"\n", 9,
     "mass_matrix entry \"x,y\": time cannot be used here"},
    // constraints
    {"[coordinates.x]\nmass = 1\n[constraints.c]\n", 6, "constraint \"c\": expression is missing"},
    {"[coordinates.x]\nmass = 1\n[constraints.c]\nexpression = \"time - 1\"\n", 7,
     "constraint \"c\": contains no coordinate, expected at least one"},
    {"[coordinates.x]\nmass = 1\n[constraints.c]\nexpression = \"x - der(x)\"\n", 7,
     "constraint \"c\": velocity \"x\" cannot be used here at column 5"},
    {"[coordinates.x]\nmass = 1\n[coordinates.\"c.lambda\"]\nmass = 1\n[constraints.c]\nexpression "
     "= \"x\"\n",
     8, "multiplier \"c.lambda\": the name is taken by the coordinate in line 6"},
    {"[coordinates.x]\nmass = 1\n[constraints.x]\nexpression = \"x\"\n", 6,
     "constraint \"x\": the name is taken"},
    // outputs and definitions
    {"[coordinates.x]\nmass = 1\n[outputs.o]\nunit = \"m\"\n", 6,
     "output \"o\": expression is missing"},
    {"[coordinates.x]\nmass = 1\n[outputs.o]\nexpression = \"c.lambda\"\n", 7,
     "output \"o\": unknown name \"c.lambda\""},
    {"[coordinates.x]\nmass = 1\n[outputs]\no = 1\n", 7,
     "output \"o\": must be a table, is a number"},
    {"[coordinates.x]\nmass = 1\n[outputs.x]\nexpression = \"x\"\n", 6,
     "output \"x\": the name is taken by the coordinate"},
    {"[definitions]\na = \"b\"\nb = \"1\"\n[coordinates.x]\nmass = 1\n", 5,
     "definition \"a\": unknown name \"b\""},
    {"[definitions]\na = \"a\"\n[coordinates.x]\nmass = 1\n", 5,
     "definition \"a\": unknown name \"a\""},
    {"[definitions]\na = true\n[coordinates.x]\nmass = 1\n", 5,
     "definition \"a\" must be a number or an expression"},
    {"[definitions]\na = \"der(x)\"\n[coordinates.x]\nmass = \"a\"\n", 7,
     "definition \"a\" cannot be used here"},
    // experiment and solver
    {"[experiment]\nstop_time = 0.0\n", 5, "experiment: stop_time must be > start_time = 0, is 0"},
    {"[experiment]\nstep_size = -1.0\n", 5, "experiment: step_size must be > 0, is -1"},
    {"[experiment]\ntolerance = 1.0\n", 5, "experiment: tolerance must be in [1e-14, 0.1], is 1"},
    {"[experiment]\nstop = 1.0\n", 5, "experiment: unknown key \"stop\""},
    {"[solver]\nmax_order = 7\n", 5, "solver: max_order must be an integer from 1 to 6, is 7"},
    {"[solver]\nmax_order = 2.5\n", 5, "solver: max_order must be an integer from 1 to 6, is 2.5"},
    {"[solver]\nmax_step = 0\n", 5, "solver: max_step must be > 0, is 0"},
    {"[solver]\ntolerance = 1e-15\n", 5, "solver: tolerance must be in [1e-14, 0.1], is 1e-15"},
    {"[solver]\nmethod = \"bdf\"\n", 5,
     "solver: method must be one of cml, index3, ggl, ggl*, cs, cm, index1, is \"bdf\""},
    {"[solver]\nmode = \"fast\"\n", 5,
     "solver: mode must be one of follow, damp, plain, is \"fast\""},
    {"[solver]\nerror_test = \"all\"\n", 5,
     "solver: error_test must be one of automatic, positions, positions_and_velocities, is "
     "\"all\""},
    {"[solver]\ninitial_step = -1\n", 5, "solver: initial_step must be > 0, is -1"},
    {"solver = 1\n", 4, "solver: must be a table, is a number"},
};

void checkError(const std::string& text, int line, const std::string& message) {
  const std::string error = compileError(text);
  INFO(text << "\n=> " << error);
  CHECK(error.rfind("test.toml:" + std::to_string(line) + ": ", 0) == 0);
  CHECK(error.find(message) != std::string::npos);
  CHECK(error.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("A wrong model file yields one line with file, line and what was expected") {
  REQUIRE(compileError(std::string(head) + mass).empty());
  for (const WrongFile& wrong : wrongFiles)
    checkError(head + std::string(wrong.text), wrong.line, wrong.message);
}

TEST_CASE("Version of the format, kind and name of the model are checked first") {
  checkError("", 1, "version of the file format is missing, expected trammel = 1");
  checkError("kind = \"equations\"\nauthor = 1", 1, "version of the file format is missing");
  checkError("\ntrammel = 2\nauthor = 1", 2, "version of the file format must be 1, is 2");
  checkError("trammel = \"1\"", 1, "version of the file format must be 1, is a text");
  checkError("trammel = 1", 1, "kind is missing, expected kind = ");
  checkError("trammel = 1\nkind = \"mechanisms\"\n", 2, "is \"mechanisms\"");
  checkError("trammel = 1\nkind = 5\n", 2, "kind must be ");
  checkError("trammel = 1\nkind = \"equations\"\n", 1, "name is missing, expected a text");
  checkError("trammel = 1\nkind = \"equations\"\nname = \"\"", 3,
             "name must be one line of 1 to 200 bytes, is \"\"");
  checkError("trammel = 1\nkind = \"equations\"\nname = \"a\\nb\"", 3, "name must be one line");
  checkError("trammel = 1\nkind = \"equations\"\nname = \"" + std::string(201, 'a') + "\"", 3,
             "name must be one line");
}

TEST_CASE("Hostile files end in an error, not in a crash") {
  const auto repeated = [](const std::string& text, std::size_t count) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i) result += text;
    return result;
  };
  const std::size_t many = 1000000;
  CHECK(compileError(std::string(head) + "a = " + repeated("[", many))
            .rfind("test.toml:4: TOML syntax: ", 0) == 0);
  CHECK(compileError(std::string(head) + "a = " + repeated("{a=", many))
            .rfind("test.toml:4: TOML syntax: ", 0) == 0);
  checkError(head + repeated("a.", many) + "b = 1", 4,
             "dotted key has too many parts, expected at most 16");
  checkError(head + ("[" + repeated("a . ", many)) + "b]", 4, "dotted key has too many parts");
  checkError(head + ("[" + repeated("'a'.", many)) + "b]", 4, "dotted key has too many parts");
  checkError(head + ("a = " + repeated("[", 40)) + repeated("]", 40), 4,
             "nested deeper than 32 levels");
  checkError(head + std::string("[coordinates.x]\nmass = \"") + repeated("(", many) + "\"", 5,
             "is nested deeper than 200 levels");
  checkError(head + std::string("[coordinates.x]\nmass = 1\n") + "[parameters]\n" +
                 repeated("a", many) + " = 1",
             7, "wrong name");
  CHECK_FALSE(compileError(std::string("\0\0\0", 3)).empty());
  CHECK_FALSE(compileError("\xff\xfe").empty());
  // Dots in texts, comments and numbers are not parts of keys.
  const std::string dots = repeated(".", 100);
  CHECK(compileError(freeMass("description = \"" + dots + "\" # " + dots + "\n")).empty());
  CHECK(compileError(freeMass("description = \"\"\"\\\"" + dots + "\n\"" + dots + "\"\"\"\n"))
            .empty());
  CHECK(compileError(freeMass("description = '''\\" + dots + "\n'" + dots + "'''\n")).empty());
}

TEST_CASE("A file of ten megabytes is read") {
  const std::string description(1000, 'd');
  std::string text = freeMass("[parameters]\n");
  for (int i = 0; text.size() < 10000000; ++i) {
    text += "p" + std::to_string(i) + " = { value = 1.5, description = \"" + description + "\" }\n";
  }
  CHECK(compileText(text).parameterCount() > 9000);
}

TEST_CASE("Every beginning of a model file is read or refused with one line") {
  const std::string text = compileCatalogue("slider_crank").text();
  for (std::size_t length = 0; length < text.size(); length += 7) {
    const std::string error = compileError(text.substr(0, length));
    if (error.empty()) continue;
    INFO(length << ": " << error);
    CHECK(error.rfind("test.toml:", 0) == 0);
    CHECK(error.find('\n') == std::string::npos);
  }
}

TEST_CASE("A file that cannot be read is named") {
  CHECK_THROWS_WITH(readModelFile("no/such/file.toml"),
                    "no/such/file.toml: cannot be opened, expected a readable model file");
  CHECK_THROWS_WITH(readModelFile(TRAMMEL_SOURCE_DIR),
                    Catch::Contains("is a directory, expected a model file"));
}

}  // namespace trammel
