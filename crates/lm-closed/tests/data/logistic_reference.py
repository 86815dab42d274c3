"""Reference values of tests/it/logistic_reference.rs, to 25 digits.

mpmath 1.x with 60 digits; plain Newton iterations on the objectives as they are written, with derivatives by hand.
Run: python3 logistic_reference.py
"""

from mpmath import mp, mpf, matrix, exp, log, lu_solve, inverse, sqrt, nstr, det

mp.dps = 60
N = 20
X = [[mpf((7 * i + 3) % 11) / 4 - 1, mpf((5 * i * i + i) % 13) / 8] for i in range(N)]
Y = [1 if (3 * i * i + 2 * i) % 7 in (1, 2, 5) else 0 for i in range(N)]
C = [(2 * i + i * i // 3) % 3 for i in range(N)]
W = [1 + i % 3 for i in range(N)]


def show(name, values):
    print(name, [nstr(v, 25) for v in values])


def rows():
    return [x + [mpf(1)] for x in X]


def binary(lam, weights, firth=False):
    z = rows()
    theta = matrix(3, 1)
    for _ in range(400):
        p = [1 / (1 + exp(-sum(t * v for t, v in zip(theta, r)))) for r in z]
        H = matrix(3, 3)
        for r, pi, w in zip(z, p, weights):
            for a in range(3):
                for b in range(3):
                    H[a, b] += w * pi * (1 - pi) * r[a] * r[b]
        I = inverse(H) if firth else None
        g = matrix(3, 1)
        for r, pi, y, w in zip(z, p, Y, weights):
            h = pi * (1 - pi) * sum(r[a] * I[a, b] * r[b] for a in range(3) for b in range(3)) if firth else 0
            for a in range(3):
                g[a] += w * (pi - y + h * (pi - mpf(1) / 2)) * r[a]
        for a in range(2):
            g[a] += lam * theta[a]
            H[a, a] += lam
        s = lu_solve(H, -g)
        theta += s
        if max(abs(v) for v in s) < mpf(10) ** -40:
            break
    return theta, [sqrt(inverse(H)[k, k]) for k in range(3)]


def multinomial(lam, weights, K=3):
    z = rows()
    theta = matrix(3 * K, 1)
    for _ in range(200):
        g, H = matrix(3 * K, 1), matrix(3 * K, 3 * K)
        for r, c, w in zip(z, C, weights):
            f = [exp(sum(theta[3 * k + a] * r[a] for a in range(3))) for k in range(K)]
            p = [v / sum(f) for v in f]
            for k in range(K):
                for a in range(3):
                    g[3 * k + a] += w * (p[k] - (c == k)) * r[a]
                    for l in range(K):
                        for b in range(3):
                            H[3 * k + a, 3 * l + b] += w * (p[k] * (k == l) - p[k] * p[l]) * r[a] * r[b]
        for k in range(K):
            for a in range(2):
                g[3 * k + a] += lam * theta[3 * k + a]
                H[3 * k + a, 3 * k + a] += lam
            for l in range(K):  # functions sum to zero
                for a in range(3):
                    H[3 * k + a, 3 * l + a] += 1
        s = lu_solve(H, -g)
        theta += s
        if max(abs(v) for v in s) < mpf(10) ** -40:
            break
    return theta


def kernel(lam, gamma, weights):
    K = matrix(N, N)
    for i in range(N):
        for j in range(N):
            K[i, j] = exp(-gamma * sum((a - b) ** 2 for a, b in zip(X[i], X[j])))
    alpha, bias = matrix(N, 1), mpf(0)
    for _ in range(100):
        f = K * alpha
        p = [1 / (1 + exp(-f[i] - bias)) for i in range(N)]
        # λα + ω(p − y) = 0 and Σα = 0, by Newton on the equations themselves.
        F, J = matrix(N + 1, 1), matrix(N + 1, N + 1)
        for i in range(N):
            F[i] = lam * alpha[i] + weights[i] * (p[i] - Y[i])
            d = weights[i] * p[i] * (1 - p[i])
            for j in range(N):
                J[i, j] = d * K[i, j] + (lam if i == j else 0)
            J[i, N] = d
            J[N, i] = 1
            F[N] += alpha[i]
        s = lu_solve(J, -F)
        for i in range(N):
            alpha[i] += s[i]
        bias += s[N]
        if max(abs(v) for v in s) < mpf(10) ** -40:
            break
    return alpha, bias


ones = [1] * N
theta, errors = binary(mpf(0), ones)
show("unpenalised", theta), show("errors", errors)
show("penalised", binary(mpf(1) / 2, ones)[0])
show("weighted", binary(mpf(1) / 2, W)[0])
show("firth", binary(mpf(0), ones, True)[0])
show("firth weighted", binary(mpf(0), W, True)[0])
show("multinomial", multinomial(mpf(0), ones))
show("multinomial penalised", multinomial(mpf(1) / 2, W))
alpha, bias = kernel(mpf(3) / 10, mpf(1) / 2, W)
show("kernel", list(alpha)[:3] + [bias])
