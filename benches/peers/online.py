"""Times epochs of online learners: answers each line of JSON on standard input with one line of JSON.

Examples come as raw numbers in files or as svmlight files, and are loaded once. The time of an epoch is that of some
epochs more, divided by their number: what a fit does before and after its epochs is not counted. The process stays
alive, so that its start and its imports are not measured either.
"""

import json
import platform
import sys
import time

import numpy
import sklearn
import vowpalwabbit
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron, SGDClassifier

held: dict = {}


def load(request: dict) -> dict:
    """Keeps the examples of later requests."""
    if "columns" in request:
        examples = numpy.fromfile(request["file"], dtype=request["type"]).reshape(-1, request["columns"])
        labels = numpy.fromfile(request["labels"], dtype=numpy.float64)
    else:
        examples, labels = load_svmlight_file(request["file"])
        # Wide files come with 64-bit indices, which the learners refuse.
        examples.indices = examples.indices.astype(numpy.int32)
        examples.indptr = examples.indptr.astype(numpy.int32)
        labels = numpy.where(labels > request["above"], 1.0, -1.0)
    held.update({"examples": examples, "labels": labels})
    return {"rows": int(examples.shape[0])}


def machine(name: str, epochs: int):
    if name == "Perceptron":
        return Perceptron(max_iter=epochs, tol=None, shuffle=False)
    return SGDClassifier(loss="hinge", alpha=1e-4, max_iter=epochs, tol=None, shuffle=False)


def fitted(name: str, epochs: int):
    learner = machine(name, epochs)
    start = time.perf_counter()
    learner.fit(held["examples"], held["labels"])
    return time.perf_counter() - start, learner


def epoch(request: dict) -> dict:
    name, more = request["machine"], request["epochs"]
    few, _ = fitted(name, 1)
    many, _ = fitted(name, 1 + more)
    return {"seconds": max(many - few, 1e-9) / more}


def weights(request: dict) -> dict:
    _, learner = fitted("Perceptron", request["epochs"])
    learner.coef_.astype(numpy.float64).ravel().tofile(request["weights"])
    return {"bias": float(learner.intercept_[0])}


def write_words(request: dict) -> dict:
    """Writes the held examples in the format of Vowpal Wabbit, and makes its cache."""
    examples, labels = held["examples"].tocsr(), held["labels"]
    with open(request["text"], "w", encoding="ascii") as out:
        for row in range(examples.shape[0]):
            part = slice(examples.indptr[row], examples.indptr[row + 1])
            pairs = zip(examples.indices[part], examples.data[part])
            out.write(f"{int(labels[row])} | " + " ".join(f"{k}:{v:g}" for k, v in pairs) + "\n")
    wabbit(request, 1)
    return {"rows": int(examples.shape[0])}


def wabbit(request: dict, passes: int) -> float:
    settings = "--loss_function hinge --holdout_off --quiet --no_stdin"
    start = time.perf_counter()
    workspace = vowpalwabbit.Workspace(
        f"{settings} -d {request['text']} --cache_file {request['text']}.cache --passes {passes}"
    )
    # Learns from the file, or from its cache once there is one.
    workspace.run_parser()
    workspace.finish()
    return time.perf_counter() - start


def wabbit_pass(request: dict) -> dict:
    more = request["epochs"]
    few = wabbit(request, 1)
    many = wabbit(request, 1 + more)
    return {"seconds": max(many - few, 1e-9) / more}


def main() -> None:
    versions = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "numpy": numpy.__version__,
        "vowpalwabbit": vowpalwabbit.__version__,
    }
    print(json.dumps(versions), flush=True)
    kinds = {"load": load, "epoch": epoch, "weights": weights, "words": write_words, "pass": wabbit_pass}
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(kinds[request["kind"]](request)), flush=True)


if __name__ == "__main__":
    main()
