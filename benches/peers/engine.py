"""Times kernel matrices and decision functions: answers each line of JSON on standard input with one line of JSON.

Arrays come and go as raw 64-bit numbers in files, row after row. The process stays alive, so that its start and its
imports are not measured; a time is taken around the call only.
"""

import json
import platform
import sys
import time

import numpy
import sklearn
import sklearnex
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from sklearnex.svm import SVC as IntelSVC

machines: dict = {}


def array(request: dict) -> numpy.ndarray:
    return numpy.fromfile(request["file"], dtype=numpy.float64).reshape(-1, request["columns"])


def gram(request: dict) -> dict:
    examples = array(request)
    start = time.perf_counter()
    matrix = rbf_kernel(examples, gamma=request["gamma"])
    seconds = time.perf_counter() - start
    answer = {"seconds": seconds, "sum": float(matrix.sum())}
    del matrix
    return answer


def fit(request: dict) -> dict:
    """Trains with scikit-learn-intelex, and gives scikit-learn's machine the same support vectors."""
    examples = array(request)
    labels = numpy.fromfile(request["labels"], dtype=numpy.float64)
    settings = {"C": request["cost"], "gamma": request["gamma"]}
    intel = IntelSVC(cache_size=1000, **settings).fit(examples, labels)
    plain = SVC(**settings)
    few = numpy.r_[numpy.flatnonzero(labels < 0)[:20], numpy.flatnonzero(labels > 0)[:20]]
    plain.fit(examples[few], labels[few])
    plain.support_ = intel.support_.astype(numpy.int32)
    plain.support_vectors_ = numpy.ascontiguousarray(intel.support_vectors_)
    # With two classes, the machine inside has the opposite signs.
    plain._dual_coef_ = -numpy.ascontiguousarray(intel.dual_coef_)
    plain._intercept_ = -numpy.array(intel.intercept_, dtype=numpy.float64)
    plain._n_support = intel.n_support_.astype(numpy.int32)
    plain.shape_fit_ = examples.shape
    machines.update({"scikit-learn": plain, "scikit-learn-intelex": intel})
    plain.support_vectors_.tofile(request["vectors"])
    numpy.ascontiguousarray(intel.dual_coef_).tofile(request["coefficients"])
    return {"vectors": int(intel.support_vectors_.shape[0]), "bias": float(intel.intercept_[0])}


def decide(request: dict) -> dict:
    examples = array(request)
    machine = machines[request["machine"]]
    start = time.perf_counter()
    values = machine.decision_function(examples)
    seconds = time.perf_counter() - start
    values.astype(numpy.float64).tofile(request["values"])
    return {"seconds": seconds}


def main() -> None:
    versions = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "scikit-learn-intelex": sklearnex.__version__,
        "numpy": numpy.__version__,
    }
    print(json.dumps(versions), flush=True)
    kinds = {"gram": gram, "fit": fit, "decide": decide}
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(kinds[request["kind"]](request)), flush=True)


if __name__ == "__main__":
    main()
