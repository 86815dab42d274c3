"""References of tests/it/{gaussian_process,kernel_ridge}.rs, in 60-digit arithmetic (mpmath 1.3.0).

Run: python3 kernel_references.py
"""
from mpmath import det, exp, log, lu_solve, matrix, mp, mpf, pi, sin

mp.dps = 60


def process(inputs, targets, signal, lengths, noise, at=()):
    """Log evidence, means and variances at new inputs, inverse and coefficients."""
    n = len(inputs)
    k = lambda a, b: signal * exp(-sum(((p - q) / l) ** 2 for p, q, l in zip(a, b, lengths)) / 2)
    system = matrix(n, n)
    for i in range(n):
        for j in range(n):
            system[i, j] = k(inputs[i], inputs[j]) + (noise if i == j else 0)
    y = matrix(targets)
    inverse = system**-1
    alpha = inverse * y
    evidence = -(y.T * alpha)[0] / 2 - log(det(system)) / 2 - n * log(2 * pi) / 2
    found = []
    for x in at:
        row = matrix([k(x, z) for z in inputs])
        found.append(((row.T * alpha)[0], k(x, x) - (row.T * inverse * row)[0]))
    return evidence, found, inverse, alpha


sine = [sin(mpf(i)) for i in range(5)]
print("sine:", *process([[mpf(i)] for i in range(5)], sine, mpf(1), [mpf(1)], mpf(1) / 100, [[mpf(3) / 2]])[:2])

# Exact in binary arithmetic.
inputs = [[mpf((7 * i) % 16) / 8, mpf((5 * i + 3) % 16) / 4, mpf((11 * i + 1) % 8) / 2] for i in range(12)]
targets = [mpf((13 * i + 5) % 32) / 16 - 1 for i in range(12)]
parameters = [mpf(9) / 4, mpf(3) / 4, mpf(5) / 2, mpf(2), mpf(1) / 16]
at = [[mpf(1) / 2, mpf(1), mpf(1)], [mpf(3), mpf(0), mpf(4)]]
evidence, found, inverse, alpha = process(
    inputs, targets, parameters[0], parameters[1:4], parameters[4], at
)
print("evidence:", evidence, "predictions:", found)
print("left out 3:", targets[3] - alpha[3] / inverse[3, 3], 1 / inverse[3, 3])
step = mpf(10) ** -20
for k in range(5):
    ends = []
    for sign in (1, -1):
        moved = [log(p) + (sign * step if j == k else 0) for j, p in enumerate(parameters)]
        moved = [exp(p) for p in moved]
        ends.append(process(inputs, targets, moved[0], moved[1:4], moved[4])[0])
    print("derivative by the logarithm of parameter", k, ":", (ends[0] - ends[1]) / (2 * step))

# Ridge with a free bias: (K + I/8)α + b = y, Σα = 0, under the kernel (⟨x·z⟩ + 1)².
bordered = matrix(13, 13)
for i in range(12):
    for j in range(12):
        product = sum(p * q for p, q in zip(inputs[i], inputs[j]))
        bordered[i, j] = (product + 1) ** 2 + (mpf(1) / 8 if i == j else 0)
    bordered[i, 12] = bordered[12, i] = 1
solution = lu_solve(bordered, matrix([*targets, mpf(0)]))
print("bias:", solution[12], "coefficients 0 and 5:", solution[0], solution[5])
