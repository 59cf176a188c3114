use serde_json::{json, Value};
use std::collections::HashMap;
use std::panic::Location;
use std::path::Path;
use std::sync::{LazyLock, Mutex, OnceLock};
use std::{env, fs};

/// The folder that the paths of sources begin in.
pub static SOURCES: OnceLock<&str> = OnceLock::new();

/// A point in the candidate's code, or in a lane between its calls.
#[derive(Clone, Copy)]
pub struct Place {
    at: Option<&'static Location<'static>>,
    op: &'static str,
}

impl Place {
    pub fn new(at: &'static Location<'static>, op: &'static str) -> Self {
        Place { at: Some(at), op }
    }

    /// Where a lane stands before it calls the candidate.
    pub fn before_call(op: &'static str) -> Self {
        Place { at: None, op }
    }

    pub fn is_the_candidates(&self) -> bool {
        self.at.is_some()
    }

    /// The place as the protocol has it, within a call of this op.
    pub fn spot(&self, within: &str) -> Value {
        let Some(at) = self.at else {
            return json!({"at": "", "in": "", "op": "call", "line": self.op});
        };
        let file = Path::new(at.file()).file_name().unwrap_or_default().to_string_lossy();
        json!({"at": format!("{file}:{}", at.line()), "in": within, "op": self.op, "line": self.quote(at)})
    }

    /// The line of the source, or the operation where it is not to be had.
    fn quote(&self, at: &Location) -> String {
        static READ: LazyLock<Mutex<HashMap<String, Vec<String>>>> = LazyLock::new(Mutex::default);
        let mut sources = READ.lock().unwrap();
        let lines = sources.entry(at.file().to_owned()).or_insert_with(|| read(at.file()));
        let line = lines.get(at.line() as usize - 1).map(|line| line.trim().trim_end_matches([';', '{']).trim_end());
        line.filter(|text| !text.is_empty()).unwrap_or(self.op).to_owned()
    }
}

/// The lines of a source, unless it has changed since the driver was built.
fn read(file: &str) -> Vec<String> {
    let built = env::current_exe().and_then(fs::metadata).and_then(|program| program.modified());
    let path = SOURCES.get().copied().map(Path::new).unwrap_or(Path::new("")).join(file);
    match (fs::metadata(&path).and_then(|source| source.modified()), built) {
        (Ok(written), Ok(built)) if written <= built => {
            fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
