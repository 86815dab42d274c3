"""Times learners that solve linear systems: answers each line of JSON on standard input with one line of JSON.

Examples come as raw numbers in files or as svmlight files, and are loaded once per case. A time is that of one whole fit
through the public interface, or of one evaluation of the evidence. What was computed goes to a file, to be compared with
ours. The process stays alive, so that its start and its imports are not measured.
"""

import platform
import time
import warnings

import numpy
import scipy
import scipy.linalg
import sklearn
import sklearnex
from sklearn.datasets import load_svmlight_file
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearnex.linear_model import LinearRegression as IntelLinearRegression
from sklearnex.linear_model import LogisticRegression as IntelLogisticRegression
from sklearnex.linear_model import Ridge as IntelRidge

from serving import load_numbers, serve

warnings.filterwarnings("ignore", category=ConvergenceWarning)

held: dict = {}


def load(request: dict) -> dict:
    """Keeps the examples of later requests."""
    held.clear()
    if "columns" in request:
        examples, labels = load_numbers(request)
    else:
        examples, labels = load_svmlight_file(request["file"], n_features=request["features"])
        examples.indices = examples.indices.astype(numpy.int32)
        examples.indptr = examples.indptr.astype(numpy.int32)
        if request["dense"]:
            examples = numpy.ascontiguousarray(examples.toarray())
    held.update({"examples": examples, "labels": labels})
    return {"rows": int(examples.shape[0])}


def linear(learner):
    """A fit whose answer is its weights and its bias."""
    start = time.perf_counter()
    learner.fit(held["examples"], held["labels"])
    seconds = time.perf_counter() - start
    return seconds, numpy.append(numpy.ravel(learner.coef_), numpy.ravel(learner.intercept_))


def scipy_least_squares():
    examples, labels = held["examples"], held["labels"]
    start = time.perf_counter()
    centre, middle = examples.mean(axis=0), labels.mean()
    weights = scipy.linalg.lstsq(examples - centre, labels - middle, lapack_driver="gelsy", check_finite=False)[0]
    bias = middle - centre @ weights
    return time.perf_counter() - start, numpy.append(weights, bias)


def logistic(kind, solver):
    return linear(kind(C=1.0 / held["penalty"], solver=solver, tol=held["tolerance"], max_iter=2000))


def kernel_ridge():
    learner = KernelRidge(alpha=held["penalty"], kernel="rbf", gamma=held["gamma"])
    start = time.perf_counter()
    learner.fit(held["examples"], held["labels"])
    return time.perf_counter() - start, numpy.ravel(learner.dual_coef_)


def evidence():
    """The log evidence, then its gradient by the logarithms of signal variance, lengths and noise variance."""
    if "process" not in held:
        lengths = numpy.array(held["lengths"])
        kernel = ConstantKernel(held["signal"]) * RBF(lengths) + WhiteKernel(held["noise"])
        process = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None, copy_X_train=False)
        process.fit(held["examples"], held["labels"])
        held["process"] = process
    process = held["process"]
    start = time.perf_counter()
    value, gradient = process.log_marginal_likelihood(process.kernel_.theta, eval_gradient=True)
    return time.perf_counter() - start, numpy.append(value, gradient)


METHODS = {
    "LinearRegression": lambda: linear(LinearRegression()),
    "intel LinearRegression": lambda: linear(IntelLinearRegression()),
    "scipy lstsq": scipy_least_squares,
    "Ridge": lambda: linear(Ridge(alpha=held["penalty"])),
    "intel Ridge": lambda: linear(IntelRidge(alpha=held["penalty"])),
    "LDA svd": lambda: linear(LinearDiscriminantAnalysis(solver="svd")),
    "LDA lsqr": lambda: linear(LinearDiscriminantAnalysis(solver="lsqr")),
    "lbfgs": lambda: logistic(LogisticRegression, "lbfgs"),
    "newton-cholesky": lambda: logistic(LogisticRegression, "newton-cholesky"),
    "intel lbfgs": lambda: logistic(IntelLogisticRegression, "lbfgs"),
    "KernelRidge": kernel_ridge,
    "GaussianProcessRegressor": evidence,
}


def main() -> None:
    versions = {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "scikit-learn-intelex": sklearnex.__version__,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }
    serve(held, versions, METHODS, load)


if __name__ == "__main__":
    main()
