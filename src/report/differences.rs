//! Where plans differ.

use serde_json::{Map, Value};

use super::distinct;
use crate::evolve::Plan;
use crate::input::shortened_to;

/// The values that differ between plans: the path of each, as in `stages[1].depth`, and the value in each plan, if it is there.
pub(crate) fn differences(plans: &[&Plan]) -> Vec<(String, Vec<Option<String>>)> {
    let leaves = |plan: &&Plan| {
        let mut found = Map::new();
        flatten("", serde_json::to_value(plan).unwrap_or_default(), &mut found);
        found
    };
    let plans: Vec<Map<String, Value>> = plans.iter().map(leaves).collect();
    let paths = distinct(plans.iter().flat_map(Map::keys)).into_iter();
    // Whether a value was written or chosen makes no difference.
    let paths = paths.filter(|path| !path.starts_with("chosen"));
    let differing =
        paths.filter(|path| plans.iter().any(|of| of.get(*path) != plans[0].get(*path)));
    let values = |path: &String| plans.iter().map(|of| of.get(path).map(in_short)).collect();
    differing.map(|path| (path.clone(), values(path))).collect()
}

/// The leaves of a JSON value with their paths, and the lengths of its lists.
fn flatten(path: &str, value: Value, found: &mut Map<String, Value>) {
    match value {
        Value::Null => {}
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key } else { format!("{path}.{key}") };
                flatten(&path, value, found);
            }
        }
        Value::Array(list) => {
            found.insert(format!("{path}.length"), list.len().into());
            for (number, value) in (1..).zip(list) {
                flatten(&format!("{path}[{number}]"), value, found);
            }
        }
        value => _ = found.insert(path.into(), value),
    }
}

fn in_short(value: &Value) -> String {
    const LONGEST: usize = 120;
    let text = value.as_str().map_or_else(|| value.to_string(), String::from);
    shortened_to(LONGEST, &text)
}
