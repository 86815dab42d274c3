"""What peers that fit a whole problem at a time have in common: requests in, times and answers out."""

import json
import sys

import numpy


def load_numbers(request: dict):
    """Examples and labels from files of raw numbers."""
    examples = numpy.fromfile(request["file"], dtype=numpy.float64).reshape(-1, request["columns"])
    return examples, numpy.fromfile(request["labels"], dtype=numpy.float64)


def serve(held: dict, versions: dict, methods: dict, load) -> None:
    """Answers each line of JSON on standard input with one line of JSON.

    A method takes nothing and gives the seconds it took and what it computed, which goes to a file, to be compared with ours.
    """
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if request["kind"] == "load":
            answer = load(request)
        else:
            held.update(request["settings"])
            seconds, computed = methods[request["method"]]()
            numpy.asarray(computed, dtype=numpy.float64).tofile(request["answer"])
            answer = {"seconds": seconds}
        print(json.dumps(answer), flush=True)
