//! Model files: saved as a whole or not at all.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lm_core::persist;
use lm_core::{Error, Linear};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::allocation;
use crate::persist::linear;

/// A folder of its own, removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lm-core-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn entries(&self) -> usize {
        std::fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_failed_save_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new("failed");
    let path = folder.0.join("model.lm");
    persist::save(&path, &linear()).unwrap();
    assert_eq!(folder.entries(), 1);
    assert!(matches!(persist::save(folder.0.join("no/such/folder.lm"), &linear()), Err(Error::Io { .. })));
    // A folder in the way cannot be replaced by a file.
    let blocked = folder.0.join("blocked");
    std::fs::create_dir_all(blocked.join("inside")).unwrap();
    assert!(matches!(persist::save(&blocked, &linear()), Err(Error::Io { .. })));
    assert_eq!(folder.entries(), 2);
    assert_eq!(persist::load::<Linear>(&path).unwrap(), linear());
    assert!(matches!(persist::load::<Linear>(&blocked), Err(Error::Io { .. })));
    assert!(matches!(persist::load::<Linear>(folder.0.join("none")), Err(Error::Io { .. })));
    std::fs::write(&path, b"").unwrap();
    assert!(matches!(persist::load::<Linear>(&path), Err(Error::Container { offset: 0, .. })));
}

#[test]
fn a_path_without_a_folder_is_in_the_current_one() {
    let name = format!("lm-core-bare-{}.lm", std::process::id());
    persist::save(&name, &linear()).unwrap();
    let loaded = persist::load::<Linear>(&name);
    std::fs::remove_file(&name).unwrap();
    assert_eq!(loaded.unwrap(), linear());
}

#[test]
fn a_sparse_file_beyond_the_limit_is_refused_unread() {
    let folder = Folder::new("huge");
    let path = folder.0.join("huge.lm");
    std::fs::File::create(&path).unwrap().set_len(persist::MAX_BYTES as u64 + 1).unwrap();
    let (result, peak) = allocation::peak(|| persist::load::<Linear>(&path));
    assert!(matches!(result, Err(Error::Container { .. })));
    assert!(peak < 4096, "{peak}");
}

const SAVE_TO: &str = "LM_SAVE_TO";

/// One of two models that differ in every number.
fn marked(mark: f64) -> Linear {
    Linear::new(vec![mark; 20_000], mark).unwrap()
}

fn save_in_a_loop(path: &Path) {
    let (models, started) = ([marked(1.0), marked(2.0)], Instant::now());
    for round in 0.. {
        persist::save(path, &models[round % 2]).unwrap();
        // Killed long before that, unless the parent is gone.
        if started.elapsed() > Duration::from_secs(60) {
            return;
        }
    }
}

/// The test starts itself as a child that saves without end, and kills it at any moment.
#[test]
fn a_killed_save_leaves_a_whole_model() {
    if let Some(path) = std::env::var_os(SAVE_TO) {
        return save_in_a_loop(Path::new(&path));
    }
    let kills: u64 = std::env::var("LM_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    // The child is this very test, found by its place in the test binary.
    let own_name =
        format!("{}::a_killed_save_leaves_a_whole_model", module_path!().trim_start_matches("it::"));
    let folder = Folder::new("killed");
    let path = folder.0.join("model.lm");
    let mut seen = [0, 0];
    for seed in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([&own_name, "--exact"])
            .env(SAVE_TO, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let waiting = Instant::now();
        while !path.exists() {
            assert!(waiting.elapsed() < Duration::from_secs(30), "the child saves nothing");
            std::thread::sleep(Duration::from_millis(1));
        }
        let micros = ChaCha8Rng::seed_from_u64(seed).random_range(0..20_000);
        std::thread::sleep(Duration::from_micros(micros));
        child.kill().unwrap();
        child.wait().unwrap();
        let model: Linear = persist::load(&path).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let mark = model.bias();
        assert_eq!(model, marked(mark), "seed {seed}");
        seen[usize::from(mark == 2.0)] += 1;
    }
    // What a save leaves behind when it is interrupted shows that kills did fall into saves.
    let interrupted = folder.entries() - 1;
    eprintln!("{kills} kills, {interrupted} of them within a save, left the models {seen:?} times");
}
