//! The command lines of LIBSVM.

use crate::workshop::Workshop;

#[test]
fn what_svm_train_and_svm_predict_write_is_written() {
    let workshop = Workshop::new();
    let said = workshop.done("libsvm-train -s 0 -t 2 -c 10 -g 0.5 pair.svm own.model").out;
    assert!(said.contains("optimization finished, #iter = ") && said.contains("Total nSV = "), "{said}");
    let model = std::fs::read_to_string(workshop.path("own.model")).unwrap();
    assert!(model.starts_with("svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\n"), "{model}");
    let said = workshop.done("libsvm-predict pair-test.svm own.model out").out;
    assert!(
        said.starts_with("Accuracy = ") && said.contains("% (") && said.ends_with("(classification)\n"),
        "{said}"
    );
    let out = std::fs::read_to_string(workshop.path("out")).unwrap();
    assert!(out.lines().all(|line| line == "1" || line == "-1"));
    // The same as by `lm train` at LIBSVM's rule.
    workshop.done("train svc pair.svm --c 10 --gamma 0.5 --libsvm-eps 0.001 -o own.lm");
    let own = workshop.done("predict own.lm pair-test.svm -o -").out;
    let own: Vec<&str> = own.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(own, out.lines().collect::<Vec<_>>());
}

#[test]
fn every_type_and_kernel_is_taken() {
    let workshop = Workshop::new();
    let numbers: String = std::fs::read_to_string(workshop.path("prices.csv"))
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            format!("{} 1:{} 2:{}\n", cells[2], cells[0] / 100.0, cells[1] / 30.0)
        })
        .collect();
    workshop.write("prices.svm", numbers);
    for (flags, data) in [
        ("-s 0 -t 0", "pair.svm"),
        ("-s 0 -t 1 -d 2 -r 1", "pair.svm"),
        ("-s 0 -t 3 -g 0.01", "pair.svm"),
        ("-s 0 -w1 2 -w-1 0.5 -h 0 -m 1", "pair.svm"),
        ("-s 1 -n 0.3", "pair.svm"),
        ("-s 2 -n 0.2", "pair.svm"),
        ("-s 3 -p 0.2 -c 10", "prices.svm"),
        ("-s 4 -n 0.4 -c 10", "prices.svm"),
        ("-b 1", "pair.svm"),
    ] {
        let quiet = workshop.done(&format!("libsvm-train {flags} -q {data} own.model"));
        assert!(quiet.out.is_empty());
        let probable = if flags == "-b 1" { "-b 1 " } else { "" };
        workshop.done(&format!("libsvm-predict {probable}{data} own.model out"));
        let out = std::fs::read_to_string(workshop.path("out")).unwrap();
        let lines = std::fs::read_to_string(workshop.path(data)).unwrap().lines().count();
        assert_eq!(out.lines().count(), lines + usize::from(flags == "-b 1"), "{flags}");
        if flags == "-b 1" {
            assert!(out.starts_with("labels 1 -1\n"));
        }
    }
    assert!(workshop.done("libsvm-train -v 4 pair.svm").out.starts_with("Cross Validation Accuracy = "));
    assert!(workshop.done("libsvm-train -s 3 -v 4 prices.svm").out.contains("Squared correlation"));
    workshop.done("libsvm-train -q pair.svm");
    assert!(workshop.path("pair.svm.model").exists());
}

#[test]
fn a_precomputed_kernel_gives_what_the_kernel_itself_gives() {
    let workshop = Workshop::new();
    let text = std::fs::read_to_string(workshop.path("pair.svm")).unwrap();
    let rows: Vec<(String, Vec<f64>)> = text
        .lines()
        .map(|line| {
            let mut words = line.split(' ');
            let label = words.next().unwrap().to_owned();
            (label, words.map(|word| word.split_once(':').unwrap().1.parse().unwrap()).collect())
        })
        .collect();
    let kernel = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let matrix: String = rows
        .iter()
        .enumerate()
        .map(|(k, (label, own))| {
            let values: Vec<String> = rows
                .iter()
                .enumerate()
                .map(|(j, (_, other))| format!("{}:{}", j + 1, kernel(own, other)))
                .collect();
            format!("{label} 0:{} {}\n", k + 1, values.join(" "))
        })
        .collect();
    workshop.write("matrix.svm", matrix);
    workshop.done("libsvm-train -t 4 -q matrix.svm matrix.model");
    workshop.done("libsvm-train -t 0 -q pair.svm linear.model");
    let a = workshop.done("libsvm-predict matrix.svm matrix.model a").out;
    assert_eq!(a, workshop.done("libsvm-predict pair.svm linear.model b").out);
    assert_eq!(std::fs::read(workshop.path("a")).unwrap(), std::fs::read(workshop.path("b")).unwrap());
    assert!(workshop.refused("libsvm-train -t 4 pair.svm").contains("0:number"));
}

#[test]
fn a_command_line_that_svm_train_would_refuse_is_refused_with_the_options() {
    let workshop = Workshop::new();
    for line in [
        "libsvm-train",
        "libsvm-train -s 9 pair.svm",
        "libsvm-train -c pair.svm",
        "libsvm-train -z 1 pair.svm",
    ] {
        assert!(workshop.refused(line).contains("Usage: lm libsvm-train"), "{line}");
    }
    assert!(workshop.refused("libsvm-predict a b").contains("Usage: lm libsvm-predict"));
    assert!(workshop.refused("libsvm-train -c 0 pair.svm").contains("cost"));
    workshop.done("libsvm-train -q pair.svm own.model");
    assert!(workshop.refused("libsvm-predict -b 1 pair.svm own.model out").contains("probabiliy"));
}
