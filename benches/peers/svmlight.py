"""Times scikit-learn's load_svmlight_file: answers each path on standard input with one line of JSON.

The process stays alive, so that its start and its imports are not measured; the time is taken around the call only.
"""

import json
import platform
import sys
import time

import numpy
import scipy
import sklearn
from sklearn.datasets import load_svmlight_file


def main() -> None:
    versions = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        examples, labels = load_svmlight_file(line.rstrip("\n"))
        seconds = time.perf_counter() - start
        answer = {
            "seconds": seconds,
            "rows": int(examples.shape[0]),
            "columns": int(examples.shape[1]),
            "entries": int(examples.nnz),
            "values": float(examples.data.sum()),
            "labels": float(labels.sum()),
        }
        del examples, labels
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
