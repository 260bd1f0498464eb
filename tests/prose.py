"""Names what is not plain English in pages, comments, help and messages, by proselint and the expressions of prose.toml:

    pip install proselint
    python3 tests/prose.py target/debug/tictune

Code is left out: blocks, text in backticks, the targets of links.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, types
from proselint.tools import LintFile

# A string of Rust with a space in it.
STRING = re.compile(r'"((?:[^"\\\n]|\\.)* (?:[^"\\]|\\.)*)"', re.DOTALL)
ROOT = Path(__file__).parent.parent
CODE = re.compile(r"^```.*?^```|^    .*?$|`[^`\n]+`|\]\([^)]*\)|<[^<>\n]+>|https?://\S+", re.MULTILINE | re.DOTALL)


def files(prose):
    for path, expression in sorted((path, prose[pattern]) for pattern in prose for path in ROOT.glob(pattern)):
        text = path.read_text()
        if path.suffix == ".ipynb":
            text = "".join(line for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown" for line in [*cell["source"], "\n"])
        if path.suffix == ".rs":
            # Messages, with their numbers as a word.
            strings = (re.sub(r"\{[^}]*\}", "_", string) for string in STRING.findall(re.sub(r"^\s*//.*|'\\?\"'", "", text, flags=re.MULTILINE)))
            yield f"{path.relative_to(ROOT)} (strings)", "\n".join(string.replace("\\n", "\n") for string in strings)
        found = (re.search(expression, line) for line in text.splitlines())
        yield str(path.relative_to(ROOT)), "\n".join(line[1] if line else "" for line in found)


def said_by(program):
    """The help of each command, and what the schema says of each key."""
    def output(*args):
        return subprocess.run([program, *args], capture_output=True, text=True, check=True).stdout

    commands = re.findall(r"^  (\w+)  ", output("--help"), re.MULTILINE)
    for command in commands:
        text = output("help", command)
        # The arguments of an option stand before two spaces.
        yield f"tictune help {command}", re.sub(r"^ +(-\S|<|\[).*?(  |$)", "", text, flags=re.MULTILINE).replace("    ", " ")

    def descriptions(value):
        if isinstance(value, dict):
            yield from (text for key, text in value.items() if key == "description" and isinstance(text, str))
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from descriptions(inner)

    for what in ("config", "agents"):
        yield f"tictune schema {what}", "\n".join(descriptions(json.loads(output("schema", what))))


def without_code(text):
    return CODE.sub(lambda found: re.sub(r"\S", "_", found[0]) if found[0][0] in "`]<h" else re.sub(r"[^\n]", " ", found[0]), text)


def main():
    asked = tomllib.loads((ROOT / "tests/prose.toml").read_text())
    items = {expression.replace(" ", r"\s+"): instead for expression, instead in asked["words"].items()}
    LintFile("", "-").lint()  # Loads the checks.
    CheckRegistry().register(Check(types.PreferredForms(items), path="words", message="'{1}': better '{0}'"))
    off = dict.fromkeys(asked["off"], False)
    checks = off | {"words": True} | {name: on for name, on in DEFAULT["checks"].items() if name not in off}
    count = 0
    for name, text in [*files(asked["prose"]), *said_by(sys.argv[1])]:
        for found in LintFile(name, without_code(text) or " ").lint({"max_errors": 1000, "checks": checks}):
            count += 1
            print(f"{name}:{found.pos[0]}: {' '.join(found.check_result.message.split())}")
    print(f"{count} places")
    sys.exit(count > 0)


if __name__ == "__main__":
    main()
