"""Writes iris_pairs.expected: what LIBSVM says with iris_pairs.model, which this crate wrote.

    pip install libsvm-official==3.37.0
    python3 iris_pairs.py
"""

from pathlib import Path

from libsvm.svmutil import svm_load_model, svm_predict

HERE = Path(__file__).parent
model = svm_load_model(str(HERE / "iris_pairs.model"))
points = [[4.5 + 0.3 * k, 2.2 + 0.15 * (k * 5 % 9), 1.2 + 0.45 * k, 0.1 + 0.2 * k] for k in range(12)]
rows = [{i + 1: v for i, v in enumerate(p)} for p in points]
labels, _, values = svm_predict([0] * 12, rows, model, "-q")
_, _, probable = svm_predict([0] * 12, rows, model, "-b 1 -q")
with open(HERE / "iris_pairs.expected", "w") as out:
    for p, f, y, q in zip(points, values, labels, probable):
        for kind, numbers in (("x", p), ("f", f), ("y", [y]), ("p", q)):
            out.write(kind + " " + " ".join(repr(float(v)) for v in numbers) + "\n")
