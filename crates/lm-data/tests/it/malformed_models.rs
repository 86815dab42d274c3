//! What is no model of LIBSVM or LIBLINEAR, and the line on which a reader says so.

use lm_core::{Dense, Error};
use lm_data::{liblinear, libsvm};

const GOOD: &str = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 3\nrho 0.1 0.2 0.3\nlabel 1 2 3\n\
                    probA -1 -2 -3\nprobB 0 0 0\nnr_sv 1 1 1\nSV\n0.5 1 1:0.5 3:1 \n-0.5 1 2:1 \n-1 -1 \n";

/// The line that a reader of LIBSVM's models complains about after a change.
fn line_of(from: &str, to: &str) -> u64 {
    assert!(GOOD.contains(from), "{from}");
    match libsvm::read(GOOD.replacen(from, to, 1).as_bytes()) {
        Err(Error::Parse { line, problem, .. }) => {
            assert!(problem.contains("accepted") || problem.contains("outside their domain"), "{problem}");
            line
        }
        other => panic!("{from:?} → {to:?}: {other:?}"),
    }
}

#[test]
fn malformed_models_are_refused_with_the_line_that_is_wrong() {
    assert!(libsvm::read(GOOD.as_bytes()).is_ok());
    assert!(libsvm::read(GOOD.replace('\n', "\r\n").as_bytes()).is_ok());
    assert!(libsvm::read(GOOD.trim_end().as_bytes()).is_ok());
    for (from, to, line) in [
        ("c_svc", "d_svc", 1),
        ("svm_type c_svc\n", "", 3), // the first key that needs it
        ("svm_type c_svc", "svm_type c_svc nu_svc", 1),
        ("svm_type c_svc\n", "svm_type c_svc\nsvm_type c_svc\n", 2),
        ("rbf", "RBF", 2),
        ("kernel_type rbf\n", "", 2),
        ("gamma 0.5\n", "", 10),
        ("gamma 0.5", "gamma nan", 3),
        ("gamma 0.5", "gamma inf", 3),
        ("gamma 0.5", "gamma -0.5", 3),
        ("gamma 0.5", "gamma 0", 3),
        ("gamma 0.5", "gamma 1e999", 3),
        ("gamma 0.5", "gamma", 3),
        ("gamma 0.5\n", "gamma 0.5\ndegree 3\n", 12),
        ("nr_class 3", "nr_class 1", 4),
        ("nr_class 3", "nr_class -3", 4),
        ("nr_class 3", "nr_class 2147483647", 6),
        ("nr_class 3", "nr_class 99999999999", 4),
        ("nr_class 3\n", "", 5),
        ("total_sv 3", "total_sv -1", 5),
        ("total_sv 3", "total_sv 2147483647", 11),
        ("total_sv 3\n", "", 10),
        ("rho 0.1 0.2 0.3", "rho 0.1 0.2", 6),
        ("rho 0.1 0.2 0.3", "rho 0.1 0.2 0.3 0.4", 6),
        ("rho 0.1 0.2 0.3", "rho 0.1 nan 0.3", 6),
        ("rho 0.1 0.2 0.3\n", "", 10),
        ("label 1 2 3", "label 1 2", 7),
        ("label 1 2 3", "label 1 2 2", 7),
        ("label 1 2 3", "label 1 2 2.5", 7),
        ("label 1 2 3\n", "", 10),
        ("probB 0 0 0\n", "", 10),
        ("probA -1 -2 -3", "probA -1 -2 -inf", 8),
        ("nr_sv 1 1 1", "nr_sv 1 1 2", 11),
        ("nr_sv 1 1 1", "nr_sv 1 -1 3", 10),
        ("nr_sv 1 1 1\n", "", 10),
        ("SV\n", "", 11),
        ("SV\n", "SV x\n", 11),
        ("0.5 1 1:0.5 3:1", "0.5 1:0.5 3:1", 12),
        ("0.5 1 1:0.5 3:1", "0.5 1 3:0.5 1:1", 12),
        ("0.5 1 1:0.5 3:1", "0.5 1 1:0.5 1:1", 12),
        ("0.5 1 1:0.5 3:1", "0.5 1 0:0.5 3:1", 12),
        ("0.5 1 1:0.5 3:1", "0.5 1 -1:0.5 3:1", 12),
        ("0.5 1 1:0.5 3:1", "0.5 1 1:nan 3:1", 12),
        ("0.5 1 1:0.5 3:1", "0.5 1 1: 3:1", 12),
        ("0.5 1 1:0.5 3:1", "0.5 1 1:0.5 2147483648:1", 12),
        ("0.5 1 1:0.5 3:1", "0.5 inf 1:0.5 3:1", 12),
        ("-1 -1 \n", "", 14),
        ("-1 -1 \n", "-1 -1 \n-1 -1 1:2\n", 15),
        ("-0.5 1 2:1 \n", "\n", 13),
    ] {
        assert_eq!(line_of(from, to), line, "{from:?} → {to:?}");
    }
    assert!(matches!(libsvm::read(&b""[..]), Err(Error::Parse { line: 1, .. })));
    assert!(matches!(libsvm::read(&b"\0\0\0"[..]), Err(Error::Parse { line: 1, offset: 0, .. })));
    let precomputed =
        "svm_type epsilon_svr\nkernel_type precomputed\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 0:3 \n";
    assert!(libsvm::read(precomputed.as_bytes()).is_ok());
    for bad in ["0:0", "1:3", "0:3.5", "0:-1", "0:3 1:2", "0:99999999999", ""] {
        let refused = libsvm::read(precomputed.replace("0:3", bad).as_bytes());
        assert!(matches!(refused, Err(Error::Parse { line: 7, .. })), "{bad}: {refused:?}");
    }
}

#[test]
fn malformed_liblinear_models_are_refused_with_the_line_that_is_wrong() {
    let good =
        "solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_feature 2\nbias 1\nw\n1 2 3 \n4 5 6 \n7 8 9 \n";
    assert!(liblinear::read(good.as_bytes()).is_ok());
    for (from, to, line) in [
        ("MCSVM_CS", "mcsvm", 1),
        ("solver_type MCSVM_CS\n", "", 1),
        ("nr_class 3", "nr_class 1", 2),
        ("nr_class 3\n", "", 2),
        ("label 1 2 3", "label 1 2", 3),
        ("label 1 2 3", "label 1 2 1", 3),
        ("label 1 2 3\n", "", 5),
        ("nr_feature 2", "nr_feature 0", 4),
        ("nr_feature 2", "nr_feature 2147483647", 10),
        ("nr_feature 2", "nr_feature 1", 9),
        ("bias 1", "bias nan", 5),
        ("bias 1\n", "", 5),
        ("bias 1", "bias -1", 9),
        ("bias 1\n", "bias 1\nrho 2\n", 6),
        ("w\n", "", 6),
        ("4 5 6", "4 5", 8),
        ("4 5 6", "4 5 6 7", 8),
        ("4 5 6", "4 5 1e999", 8),
        ("7 8 9 \n", "", 9),
    ] {
        assert!(good.contains(from), "{from}");
        match liblinear::read(good.replacen(from, to, 1).as_bytes()) {
            Err(Error::Parse { line: found, .. }) => assert_eq!(found, line, "{from:?} → {to:?}"),
            other => panic!("{from:?} → {to:?}: {other:?}"),
        }
    }
}

#[test]
fn an_example_of_another_dimension_is_refused_and_a_wider_one_helped() {
    let model = libsvm::read(GOOD.as_bytes()).unwrap();
    assert_eq!(model.dim(), 3);
    let wide = Dense::new(vec![1.0, 2.0, 3.0, 4.0, 5.0], 1, 5).unwrap();
    assert!(matches!(model.predict(&wide), Err(Error::Length { expected: 5, found: 3, .. })));
    assert!(model.clone().widened(2).is_err());
    let narrow = model.decisions(&Dense::new(vec![1.0, 2.0, 3.0], 1, 3).unwrap()).unwrap();
    let model = model.widened(5).unwrap();
    assert!(model.predict(&wide).is_ok());
    let padded = model.decisions(&Dense::new(vec![1.0, 2.0, 3.0, 0.0, 0.0], 1, 5).unwrap()).unwrap();
    assert_eq!(padded.values(), narrow.values());
}
