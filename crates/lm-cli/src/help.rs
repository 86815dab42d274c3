//! What `--help` says after the options: examples, each of which a test runs, and the exit codes.

/// After the help of the program.
pub(crate) const PROGRAM: &str = "\
From a table to a verified model and a bound on its error:
  lm train svc flowers-train.csv --scale standard -o flowers.lm
  lm predict flowers.lm flowers-test.csv
  lm verify flowers.lm flowers-train.csv
  lm bounds flowers.lm flowers-train.csv --test flowers-test.csv

Exit codes:
  0    done: converged, valid, separable
  1    the answer is no: invalid, not separable
  2    refused: the command line, a setting, a file or the data; nothing was written
  3    not converged (a limit, or no solution of the kind asked for): the best so far was written, with its honest
       certificate
  130  ended by Ctrl-C: as 3";

/// After `lm train --help`.
pub(crate) const TRAIN: &str = "\
Examples:
  lm train svc flowers-train.csv --scale standard --c 10 -o flowers.lm
  lm train svc flowers-train.csv --probability --seed 1 -o flowers-probable.lm
  lm train linear-svc pair.svm --c 0.1 --loss squared-hinge -o pair.lm
  lm train logistic flowers-train.csv --lambda 0.5 -o flowers-logistic.lm
  lm train svc pair.svm --class-weight 1=2 --class-weight -1=1 -o weighted.lm
  lm train svr prices.csv --epsilon 0.5 --c 100 --scale minmax -o prices.lm
  lm train gp prices.csv --scale standard -o prices-gp.lm
  lm train svc pair.svm --time-limit 10 --memory-limit 500 --threads 2 --json

The model is written at once or not at all. It keeps settings, scaling, classes, certificate and a hash of the data.";

/// After `lm predict --help`.
pub(crate) const PREDICT: &str = "\
Examples:
  lm predict flowers.lm flowers-test.csv
  lm predict flowers-probable.lm measurements.csv -o predictions.csv
  lm predict flowers.lm measurements.csv -o -
  lm predict prices.lm prices.csv --json";

/// After `lm verify --help`.
pub(crate) const VERIFY: &str = "\
Examples:
  lm verify flowers.lm flowers-train.csv
  lm verify pair.lm pair.svm --json

VALID (exit code 0) says that everything the certificate claims was recomputed from the data, by other code than that which
trained, and that the stored machine is the one it is about. INVALID (exit code 1) says what does not hold.";

/// After `lm separable --help`.
pub(crate) const SEPARABLE: &str = "\
Examples:
  lm separable pair.svm -o pair-proof.json
  lm verify pair-proof.json pair.svm
  lm separable flowers.csv --positive setosa --json

The proof is a JSON file of fractions. If the classes are separable it holds a hyperplane, otherwise multipliers under which the
classes cancel (Farkas); both can be checked by arithmetic. Exit code 0 for separable, 1 for not separable.";

/// After `lm bounds --help`.
pub(crate) const BOUNDS: &str = "\
Examples:
  lm bounds flowers.lm flowers-train.csv --test flowers-test.csv
  lm bounds pair.lm pair.svm --simultaneous --delta 0.01 -o bounds.svg
  lm bounds flowers.lm flowers-test.csv --json
  lm bounds prices.lm prices.csv --tolerance 2";

/// After `lm cv --help`.
pub(crate) const CV: &str = "\
Examples:
  lm cv svc flowers.csv --scale standard --folds 10 --seed 7
  lm cv ridge prices.csv --lambda 0.1 --json";

/// After `lm grid --help`.
pub(crate) const GRID: &str = "\
Examples:
  lm grid svc flowers.csv --log2c -1,5,2 --log2g -5,1,2 -o map.svg
  lm grid ridge prices.csv --log2lambda -10,10,4 --json

Folds are the same for every place. For svc and svr without scaling, all places share kernel rows and start from each other.";

/// After `lm scale --help`.
pub(crate) const SCALE: &str = "\
Examples:
  lm scale pair.svm --scale standard -o pair-scaled.svm --save pair.scaling
  lm scale pair-test.svm --restore pair.scaling -o pair-test-scaled.svm
  lm scale flowers.csv -o -

`lm train --scale` keeps the scaling in the model, so that nothing else is needed to predict.";

/// After `lm convert --help`.
pub(crate) const CONVERT: &str = "\
Examples:
  lm convert weighted.lm --to libsvm -o weighted.model
  lm convert weighted.model --to lm -o weighted-again.lm
  lm convert pair.lm --to liblinear -o pair.model";

/// After `lm plot --help`.
pub(crate) const PLOT: &str = "\
Examples:
  lm plot flowers.lm flowers.csv --features \"petal length (cm),petal width (cm)\" -o flowers.svg
  lm plot prices.lm prices.csv --features 1,2 -o prices.svg";

/// After `lm libsvm-train --help`, which is shown for `lm help libsvm-train`.
pub(crate) const LIBSVM_TRAIN: &str = "\
Examples:
  lm libsvm-train -s 0 -t 2 -c 10 -g 0.25 pair.svm pair-libsvm.model
  lm libsvm-train -v 5 -q pair.svm

Without arguments it lists the options of svm-train.";

/// After the help of `lm libsvm-predict`.
pub(crate) const LIBSVM_PREDICT: &str = "\
Examples:
  lm libsvm-predict pair-test.svm pair-libsvm.model predictions.txt

Without arguments it lists the options of svm-predict.";

/// After `lm completions --help`.
pub(crate) const COMPLETIONS: &str = "\
Examples:
  lm completions bash
  lm completions zsh
  lm completions fish";

/// After `lm man --help`.
pub(crate) const MAN: &str = "\
Examples:
  lm man
  lm man -o manual";
