//! Texts with many parts as templates, in files beside the code that fills them in.

use minijinja::{Environment, State, UndefinedBehavior, Value};

/// The text of a template. Numbers are written as Rust writes them: 1 and not 1.0.
pub(super) fn render(template: &str, values: Value) -> String {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.set_trim_blocks(true);
    templates.set_lstrip_blocks(true);
    templates.set_keep_trailing_newline(true);
    templates.set_formatter(|out, state: &State, value| match f64::try_from(value.clone()) {
        Ok(number) if !value.is_integer() => Ok(write!(out, "{number}")?),
        _ => minijinja::escape_formatter(out, state, value),
    });
    templates.add_filter("toml", |text: String| toml::Value::from(text).to_string());
    templates
        .add_filter("pad", |value: Value, width: usize| format!("{:<width$}", value.to_string()));
    let text = templates.render_str(template, values);
    text.expect("the templates of the crate fit its values")
}
