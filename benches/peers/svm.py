"""Times whole fits of support vector classifiers: scikit-learn, scikit-learn-intelex and LIBSVM itself.

A fit answers with the coefficient of every example, its sign being that of the label.
"""

import platform
import time
from importlib.metadata import version

import numpy
import scipy
import sklearn
from libsvm import svmutil
from serving import load_numbers, serve
from sklearn.svm import SVC
from sklearnex.svm import SVC as IntelSVC

held: dict = {}


def load(request: dict) -> dict:
    examples, labels = load_numbers(request)
    held.update(examples=examples, narrow=examples.astype(numpy.float32), labels=labels)
    held["sparse"] = scipy.sparse.csr_matrix(examples)
    return {"rows": int(examples.shape[0])}


def by_sklearn(machine_of, examples: str):
    def fit():
        machine = machine_of(
            C=held["cost"], gamma=held["gamma"], tol=held["epsilon"], cache_size=2000, kernel="rbf"
        )
        start = time.perf_counter()
        machine.fit(held[examples], held["labels"])
        seconds = time.perf_counter() - start
        coefficients = numpy.zeros(len(held["labels"]))
        coefficients[machine.support_] = machine.dual_coef_[0]
        return seconds, coefficients

    return fit


def libsvm():
    settings = f"-q -m 2000 -c {held['cost']} -g {held['gamma']} -e {held['epsilon']}"
    start = time.perf_counter()
    problem = svmutil.svm_problem(held["labels"], held["sparse"])
    machine = svmutil.svm_train(problem, settings)
    seconds = time.perf_counter() - start
    coefficients = numpy.zeros(len(held["labels"]))
    first = machine.get_labels()[0]
    for index, (coefficient,) in zip(machine.get_sv_indices(), machine.get_sv_coef()):
        coefficients[index - 1] = coefficient * first
    return seconds, coefficients


def main() -> None:
    versions = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "scikit-learn-intelex": version("scikit-learn-intelex"),
        "numpy": numpy.__version__,
        "LIBSVM": version("libsvm-official"),
    }
    methods = {
        "SVC": by_sklearn(SVC, "examples"),
        "intel f64": by_sklearn(IntelSVC, "examples"),
        "intel f32": by_sklearn(IntelSVC, "narrow"),
        "LIBSVM": libsvm,
    }
    serve(held, versions, methods, load)


if __name__ == "__main__":
    main()
