#!/usr/bin/env python3
"""Checks licences and sources of all dependencies by deny.toml, where cargo-deny is not installed."""
import json
import re
import subprocess
import sys
import tomllib

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


def is_allowed(licence, allowed):
    """Whether an SPDX expression holds if these licences may be used."""
    def word(match):
        text = match[0]
        return text.lower() if text in ("AND", "OR") else str(text in allowed)

    # An exception only gives more rights.
    plain = re.sub(r"\s+WITH\s+\S+?(?=[\s)]|$)", "", licence.replace("/", " OR "))
    return eval(re.sub(r"[A-Za-z0-9][A-Za-z0-9.+-]*", word, plain))  # only True, False, and, or, parentheses


def main():
    with open("deny.toml", "rb") as file:
        rules = tomllib.load(file)
    allowed = set(rules["licenses"]["allow"])
    denied = {rule["crate"] for rule in rules["bans"]["deny"]}
    command = ["cargo", "metadata", "--format-version", "1", "--all-features", "--locked"]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    others = [package for package in found["packages"] if package["source"] is not None]
    wrong = []
    for package in others:
        name = f"{package['name']} {package['version']}"
        if package["source"] != CRATES_IO:
            wrong.append(f"{name}: comes from {package['source']}, not from crates.io")
        if not is_allowed(package["license"] or "none", allowed):
            wrong.append(f"{name}: the licence is {package['license']}, which deny.toml does not allow")
        if package["name"] in denied:
            wrong.append(f"{name}: deny.toml does not want it")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(others)} dependencies have licences and sources that deny.toml allows")


main()
