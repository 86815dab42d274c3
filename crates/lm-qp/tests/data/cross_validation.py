"""Prints the reference numbers of tests/it/cross_validation.rs and tests/it/probabilities.rs.

    pip install scikit-learn==1.9.1 scipy==1.17.1
    python3 cross_validation.py
"""

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.svm import SVC, SVR

TIGHT = dict(tol=1e-9, cache_size=200)


def iris_errors():
    x, y = load_iris(return_X_y=True)
    folds = np.arange(150) % 5
    for gamma in (0.05, 0.5, 5.0):
        for cost in (0.1, 1.0, 10.0):
            wrong = []
            for fold in range(5):
                held = folds == fold
                machine = SVC(C=cost, gamma=gamma, **TIGHT).fit(x[~held], y[~held])
                wrong.append(int((machine.predict(x[held]) != y[held]).sum()))
            print("iris", gamma, cost, wrong)


def curve_errors():
    k = np.arange(60)
    x = (0.1 * k)[:, None]
    y = np.sin(x[:, 0]) + 0.1 * ((k * 7919) % 13 - 6) / 6
    folds = k % 4
    for cost in (0.1, 1.0, 10.0):
        total = 0.0
        for fold in range(4):
            held = folds == fold
            machine = SVR(C=cost, gamma=1.0, epsilon=0.05, **TIGHT).fit(x[~held], y[~held])
            total += float(((machine.predict(x[held]) - y[held]) ** 2).sum())
        print("curve", cost, repr(total / 60))


def sigmoids():
    x, y = load_iris(return_X_y=True)
    folds = np.arange(150) % 5
    for low, high in ((0, 1), (0, 2), (1, 2)):
        rows = (y == low) | (y == high)
        xs, ys, fs = x[rows], y[rows] == high, folds[rows]
        values = np.zeros(len(ys))
        for fold in range(5):
            held = fs == fold
            machine = SVC(C=1.0, gamma=0.5, **TIGHT).fit(xs[~held], ys[~held])
            values[held] = machine.decision_function(xs[held])
        up, down = ys.sum(), (~ys).sum()
        target = np.where(ys, (up + 1) / (up + 2), 1 / (down + 2))

        def loss(ab):
            z = ab[0] * values + ab[1]
            return (np.logaddexp(0, z) - (1 - target) * z).sum()

        found = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options=dict(xatol=1e-12, fatol=1e-14, maxiter=20000))
        print("sigmoid", low, high, [float(v) for v in found.x], float(found.fun))


iris_errors()
curve_errors()
sigmoids()
