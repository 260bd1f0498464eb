#!/usr/bin/env python3
"""Checks what the packages say of themselves: the Rust that they need, their version, and what they hold.

`rust-version` in Cargo.toml has to be enough for every dependency. That our own code needs no more is checked by clippy
(`incompatible_msrv`), which .ci/run checks with warnings as errors."""
import json
import re
import subprocess
import sys

LARGEST = 10 << 20  # crates.io takes no larger packages


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def number(version):
    """A version as numbers, so that 1.9 is older than 1.89."""
    parts = [int(part) for part in re.findall(r"\d+", version)[:3]]
    return parts + [0] * (3 - len(parts))


def main():
    wrong = []
    metadata = json.loads(output("cargo", "metadata", "--format-version", "1", "--all-features", "--locked"))
    own = [package for package in metadata["packages"] if package["id"] in metadata["workspace_members"]]
    package = next(package for package in own if package["name"] == "tictune")
    for key in ("description", "license", "readme", "documentation", "keywords", "categories", "rust_version"):
        if not package[key]:
            wrong.append(f"Cargo.toml: {key} is missing")
    for other in own:
        if not other["description"] or not other["license"] or other["version"] != package["version"]:
            wrong.append(f"{other['name']}: description, license or version is missing, or another")
    ours = number(package["rust_version"])
    for other in metadata["packages"]:
        if other["rust_version"] and number(other["rust_version"]) > ours:
            wrong.append(f"{other['name']} {other['version']} needs Rust {other['rust_version']}: rust-version is too old")
    for path, pattern in (
        ("CITATION.cff", rf"^version: {re.escape(package['version'])}$"),
        ("README.md", rf"stable Rust {re.escape(package['rust_version'])} or later"),
    ):
        with open(path, encoding="utf-8") as file:
            if not re.search(pattern, file.read(), re.MULTILINE):
                wrong.append(f"{path}: does not say what Cargo.toml says ({pattern})")
    listed = output("cargo", "package", "--list", "--allow-dirty").split()
    for needed in ("Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md", "CITATION.cff"):
        if needed not in listed:
            wrong.append(f"{needed} is not in the package")
    # Each crate with what it includes from outside its folder: weights, tables.
    subprocess.run(["cargo", "package", "--workspace", "--allow-dirty", "--no-verify", "--quiet"], check=True)
    size = 0
    for name in listed:
        try:
            with open(name, "rb") as file:
                size += len(file.read())
        except FileNotFoundError:
            pass  # made by cargo
    if size > LARGEST:
        wrong.append(f"the package has {size} bytes, more than {LARGEST}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"Rust {package['rust_version']} is enough for {len(metadata['packages'])} packages; "
          f"{len(listed)} files of {size / 2**20:.1f} MiB are packaged")


main()
