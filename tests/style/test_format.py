"""The layout of the C++ files is what clang-format makes of them."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def clang_format_complaints(files, root=ROOT):
    command = ["clang-format", "--dry-run", "--Werror", f"--style=file:{ROOT / '.clang-format'}", *files]
    return subprocess.run(command, cwd=root, capture_output=True, text=True).stderr


def tracked_cpp_files():
    listing = subprocess.run(
        ["git", "ls-files", "*.cpp", "*.hpp"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in listing.stdout.splitlines() if (ROOT / name).exists()]


def test_cpp_files_are_laid_out_by_clang_format():
    files = tracked_cpp_files()
    assert "solver/types.hpp" in files
    complaints = clang_format_complaints(files)
    assert not complaints, f"run `make format`:\n{complaints}"


def test_the_format_check_reports_a_file_with_another_layout(tmp_path):
    (tmp_path / "wide.cpp").write_text("int   main( ) { return 0 ; }\n")
    assert "clang-format-violations" in clang_format_complaints(["wide.cpp"], tmp_path)
