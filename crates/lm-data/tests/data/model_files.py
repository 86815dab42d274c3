"""Writes libsvm_models.txt and liblinear_models.txt beside this file.

    pip install libsvm-official==3.37.0 liblinear-official==2.50.0
    python3 model_files.py

For every type of machine and kernel of LIBSVM, and every solver of LIBLINEAR, a model that the library trained and saved;
then, for some points, the decision values, the prediction and the probabilities that the library gives with the model
loaded again. Lines between the marks are what the library wrote, byte for byte.
"""

import os
import random
import tempfile
from pathlib import Path

from liblinear import liblinearutil
from libsvm import svmutil

HERE = Path(__file__).parent
DIM = 4


def sample(count, seed):
    draw = random.Random(seed)
    labels, rows = [], []
    for k in range(count):
        label = [3, -1, 7][k % 3]
        row = {1: draw.gauss(label / 6, 1.0), 2: draw.gauss(-label / 8, 1.2)}
        if k % 4:
            row[4] = float(draw.randint(0, 2)) * 0.125
        labels.append(label)
        rows.append({k: v for k, v in row.items() if v})
    return labels, rows


def dot(a, b):
    return sum(v * b.get(k, 0.0) for k, v in a.items())


def saved(save, model):
    handle, path = tempfile.mkstemp()
    os.close(handle)
    save(path, model)
    return path


def dense(row):
    return " ".join(repr(row.get(k, 0.0)) for k in range(1, DIM + 1))


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def section(out, name, path, points, plain, probable):
    out.append(f"=== {name}\n")
    out.append(Path(path).read_text())
    out.append("=== expected\n")
    for k, point in enumerate(points):
        label, values = plain[0][k], plain[2][k]
        out.append(f"x {point}\nf {numbers(values)}\ny {float(label)!r}\n")
        if probable is not None:
            out.append(f"p {numbers(probable[2][k])}\n")
    os.remove(path)


def libsvm():
    labels, rows = sample(18, 1)
    _, new = sample(6, 2)
    out = []
    kernels = [("linear", 0), ("polynomial", 1), ("rbf", 2), ("sigmoid", 3), ("precomputed", 4)]
    tasks = [("c_svc", 0), ("nu_svc", 1), ("one_class", 2), ("epsilon_svr", 3), ("nu_svr", 4)]
    for task, s in tasks:
        for kernel, t in kernels:
            binary = task == "nu_svc"
            keep = [k for k in range(18) if not binary or labels[k] != 7]
            y, x = [labels[k] for k in keep], [rows[k] for k in keep]
            points = new
            if kernel == "precomputed":
                gram = lambda a: {0: 0, **{j + 1: dot(a, b) for j, b in enumerate(x)}}
                train_rows = [{**gram(a), 0: i + 1} for i, a in enumerate(x)]
                points = [gram(a) for a in new]
            else:
                train_rows = x
            shown = [
                " ".join(repr(p.get(k, 0.0)) for k in range(1, len(x) + 1)) if kernel == "precomputed" else dense(p)
                for p in points
            ]
            b = 1 if kernel in ("rbf", "linear") else 0
            nu = 0.8 if binary else 0.4
            options = f"-s {s} -t {t} -c 2 -n {nu} -g 0.3 -r 0.5 -d 3 -b {b} -q"
            model = svmutil.svm_train(y, train_rows, options)
            path = saved(svmutil.svm_save_model, model)
            model = svmutil.svm_load_model(path)
            plain = svmutil.svm_predict([0] * len(points), points, model, "-q")
            probable = None
            if b and task in ("c_svc", "nu_svc", "one_class"):
                probable = svmutil.svm_predict([0] * len(points), points, model, "-b 1 -q")
            section(out, f"{task} {kernel}", path, shown, plain, probable)
    (HERE / "libsvm_models.txt").write_text("".join(out))


def liblinear():
    labels, rows = sample(18, 3)
    _, new = sample(6, 4)
    out = []
    for classes in (2, 3):
        keep = [k for k in range(18) if classes == 3 or labels[k] != 7]
        y, x = [labels[k] for k in keep], [rows[k] for k in keep]
        for s in (0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 21):
            if classes == 3 and s >= 11:
                continue
            for bias in (-1, 1.5):
                if s == 21 and bias >= 0:
                    continue
                model = liblinearutil.train(y, x, f"-s {s} -B {bias} -c 0.7 -e 0.001 -q")
                path = saved(liblinearutil.save_model, model)
                model = liblinearutil.load_model(path)
                plain = liblinearutil.predict([0] * len(new), new, model, "-q")
                probable = None
                if s in (0, 6, 7):
                    probable = liblinearutil.predict([0] * len(new), new, model, "-b 1 -q")
                section(out, f"solver {s}, {classes} classes, bias {bias}", path, [dense(p) for p in new], plain, probable)
    (HERE / "liblinear_models.txt").write_text("".join(out))


libsvm()
liblinear()
