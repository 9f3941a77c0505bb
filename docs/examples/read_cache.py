"""Reads a cache directory of kcache as docs/format.md describes it; needs Python alone.

    python3 read_cache.py DIRECTORY REQUEST    prints target, label and path of each verified code object
    python3 read_cache.py --check format.md    recomputes the test vectors of that page
"""

import hashlib
import json
import pathlib
import re
import sys


def require(condition, problem):
    if not condition:
        raise ValueError(problem)

def request_digest(fields):
    """Returns the digest of a request's fields: texts, and numbers as int."""
    sha = hashlib.sha256()
    for field in fields:
        value = field.to_bytes(8, "big") if isinstance(field, int) else field.encode()
        sha.update(len(value).to_bytes(8, "big") + value)
    return sha.hexdigest()


def entries(root, request):
    """Yields each record of a request with its verified code object, the newest first."""
    found = []
    for file in pathlib.Path(root).glob(f"*/{request}/*.json"):
        record = json.loads(file.read_text("ascii"))
        place = record["target"].replace(":", "_") + "-" + record["label"]
        require(record["schema"] == "kcache.record/3", f"{file}: another version")
        named = (file.parent.parent.name, request, file.stem)
        require(named == (place, record["request"], record["toolchain"]), f"{file}: damaged")
        code = file.parent.parent / (record["codeObject"] + ".co")
        require(hashlib.sha256(code.read_bytes()).hexdigest() == code.stem, f"{code}: damaged")
        found.append((record["created"], record, code))
    for _, record, code in sorted(found, key=lambda each: each[0], reverse=True):
        yield record, code


def check(page):
    """Checks the requests of a page; returns how many there were."""
    blocks = re.findall(r"^```text request \d+\n(.*?)^```$", pathlib.Path(page).read_text(), re.M | re.S)
    for block in blocks:
        *lines, (_, digest) = [line.split(" ", 1) for line in block.splitlines()]
        fields = [value if kind == "text" else int(value) for kind, value in lines]
        require(request_digest(fields) == digest, f"the digest is not {digest}")
    return len(blocks)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--check":
        print(check(sys.argv[2]), "requests have the digests of the page")
    else:
        for record, code in entries(sys.argv[1], sys.argv[2]):
            print(record["target"], record["label"], code)
