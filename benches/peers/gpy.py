"""Times the evidence of GPy's Gaussian process, in an environment of its own, because it needs an older numpy."""

import platform
import time

import GPy
import numpy

from serving import load_numbers, serve

held: dict = {}


def load(request: dict) -> dict:
    held.clear()
    examples, labels = load_numbers(request)
    held.update({"examples": examples, "labels": labels})
    return {"rows": int(examples.shape[0])}


def evidence():
    """The log evidence, then its gradient by the logarithms of signal variance, lengths and noise variance."""
    if "model" not in held:
        columns = held["examples"].shape[1]
        kernel = GPy.kern.RBF(columns, variance=held["signal"], lengthscale=held["lengths"], ARD=True)
        held["model"] = GPy.models.GPRegression(
            held["examples"], held["labels"][:, None], kernel, noise_var=held["noise"]
        )
    model = held["model"]
    start = time.perf_counter()
    model.parameters_changed()
    value, gradient = model.log_likelihood(), model.gradient.copy()
    seconds = time.perf_counter() - start
    return seconds, numpy.append(value, gradient * model.param_array)


if __name__ == "__main__":
    versions = {"python": platform.python_version(), "GPy": GPy.__version__, "numpy with GPy": numpy.__version__}
    serve(held, versions, {"GPy": evidence}, load)
