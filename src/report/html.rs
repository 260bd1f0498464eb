//! The HTML report of a run: one file without references, written from the run's own files.

use super::figures::{Axis, Frame, Series};
use super::{comparison_table, finalists_table, regression_table, validation_table};
use crate::evolve::{
    Admission, Comparison, Finalists, GenerationRow, Manifest, MatchRow, RunDir, RunError,
    StagePlan, admissions, agent_file, learned_start,
};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#222}pre{background:#f5f5f5;padding:.8rem;overflow-x:auto;font-size:13px;line-height:1.4}\
svg{width:100%;height:auto}h2{margin-top:2.5rem}";

/// The report of a run as far as it has come.
///
/// # Errors
/// Files of the run that cannot be read, or are not what was expected.
pub(crate) fn run_report(dir: &RunDir) -> Result<String, RunError> {
    let manifest: Manifest = dir.manifest()?.ok_or_else(|| {
        crate::input::InputError::in_file(dir.path(), "holds no run: there is no manifest.json")
    })?;
    let plan = &manifest.plan;
    let mut body = format!(
        "<h1>Run {}</h1>\n<p>Evolves {}. Game {}, seed {}, config hash {}, tictune {}. {}</p>\n",
        escape(&plan.name),
        code(&escape(&plan.to_string())),
        escape(&plan.game),
        plan.seed,
        manifest.config_hash,
        escape(&manifest.tictune),
        if manifest.finished { "Finished." } else { "Not finished." },
    );
    if let Some(learned) = learned_start(plan, dir)? {
        body += &format!(
            "<h2>Learned start</h2>\n<p>Weights by regression on positions of self-play, before any evolution. Log-losses are \
             of held-out positions.</p>\n<pre>{}</pre>\n",
            escape(&regression_table(&learned))
        );
    }
    for (index, stage) in plan.stages.iter().enumerate() {
        body += &stage_section(dir, &manifest, index, stage)?;
        body += &starts_section(dir, index, stage)?;
        body += &finalists_section(dir, index, stage)?;
    }
    let comparison: Option<Comparison> = dir.read_json("comparison.json")?;
    if let Some(comparison) = &comparison {
        body += &format!(
            "<h2>Best against mean</h2>\n<p>{}. The lowest fitness measured is the lowest of many noisy \
             values, so that this match, on openings the run never used, decides.</p>\n<pre>{}</pre>\n",
            escape(&comparison.verdict),
            escape(&comparison_table(comparison))
        );
    }
    for name in ["winner", "best", "mean"] {
        let agent = std::fs::read_to_string(dir.file(&agent_file(name))).unwrap_or_default();
        if !plan.space.parameters.is_empty() && !agent.is_empty() {
            body += &format!("<p>The {name} as an agent:</p>\n<pre>{}</pre>\n", escape(&agent));
        }
    }
    let rows: Option<Vec<MatchRow>> = dir.read_json("validation.json")?;
    if let (Some(rows), Some(comparison)) = (rows.filter(|rows| !rows.is_empty()), comparison) {
        let finalists = plan.noise.finalists.is_some();
        let name = if finalists { "winner" } else { &comparison.winner };
        body += &format!(
            "<h2>Validation of the {}</h2>\n<pre>{}</pre>\n",
            escape(name),
            escape(&validation_table(name, &rows))
        );
    }
    if let Ok(config) = std::fs::read_to_string(dir.file("config.toml")) {
        body += &format!("<h2>Config</h2>\n<pre>{}</pre>\n", escape(&config));
    }
    let title = escape(&plan.name);
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>tictune: {title}</title>\n\
         <style>{STYLE}</style>\n<body>\n{body}</body>\n</html>\n"
    ))
}

fn stage_section(
    dir: &RunDir,
    manifest: &Manifest,
    index: usize,
    stage: &StagePlan,
) -> Result<String, RunError> {
    let rows = dir.generations(index, stage)?;
    let depth = match stage.has_depth() {
        true => format!(": depth {}", stage.depth_in_words()),
        false => String::new(),
    };
    let mut text = format!("<h2>Stage {}{depth}</h2>\n", index + 1);
    let mut opponents: Vec<String> = stage
        .fitness
        .opponents
        .iter()
        .map(|plan| escape(&stage.opponent(plan).to_string()))
        .collect();
    let others = stage.fitness.coevolution.as_ref();
    opponents.extend(others.map(|plan| format!("{} others of its generation", plan.opponents)));
    text += &format!(
        "<p>{} games a candidate against {}; openings {}; population {}.</p>\n",
        stage.fitness.games,
        opponents.join(" and "),
        escape(&stage.fitness.openings.to_string()),
        stage.population
    );
    let admissions = admissions(&dir.stage(index, stage));
    text += &hall_of_fame(stage, &admissions);
    match manifest.stages.get(index) {
        Some(record) => {
            text += &format!(
                "<p>Stopped: {}. Lowest fitness {} in {} generations{}.</p>\n",
                escape(&record.stopped),
                (100.0 * record.best_fitness).round() / 100.0,
                record.generations,
                since_a_change(stage, &admissions, record.generations)
            );
        }
        None => text += "<p>Not finished.</p>\n",
    }
    if rows.is_empty() {
        return Ok(text + "<p>No generation yet.</p>\n");
    }
    type Column = fn(&GenerationRow) -> f64;
    let fitness: [(&str, Column); 3] = [
        ("best", |row| row.best_fitness),
        ("median", |row| row.median_fitness),
        ("mean vector", |row| row.mean_vector_fitness),
    ];
    let spread: [(&str, Column); 2] =
        [("step size sigma", |row| row.sigma), ("axis ratio", |row| row.axis_ratio)];
    let noise: [(&str, Column); 2] = [
        ("spread of the fitness", |row| row.spread),
        ("standard error of one", |row| row.standard_error),
    ];
    for (title, columns) in [
        ("fitness (smaller is better)", &fitness[..]),
        ("noise", &noise[..]),
        ("the distribution", &spread[..]),
    ] {
        let series: Vec<Series> = columns
            .iter()
            .map(|(name, column)| Series {
                name: (*name).into(),
                points: rows.iter().map(|row| (row.generation as f64, column(row))).collect(),
            })
            .collect();
        let frame = Frame { title, x: Axis::linear("generation"), y: Axis::linear("") };
        // A plot that cannot be drawn is left out rather than the report.
        text += &frame.lines(&series, None).unwrap_or_default();
    }
    Ok(text)
}

/// The starts that were measured before a stage, where there are any.
fn starts_section(dir: &RunDir, index: usize, stage: &StagePlan) -> Result<String, RunError> {
    let name = format!("{}/screening.json", RunDir::stage_name(index, stage));
    let starts: Option<Finalists> = dir.read_json(&name)?;
    Ok(starts.map_or(String::new(), |starts| {
        format!(
            "<h3>Starts</h3>\n<p>The stage started from {}.</p>\n<pre>{}</pre>\n",
            escape(&starts.winner),
            escape(&finalists_table(&starts))
        )
    }))
}

/// The finalists of a stage, where there are any.
fn finalists_section(dir: &RunDir, index: usize, stage: &StagePlan) -> Result<String, RunError> {
    let name = format!("{}/finalists.json", RunDir::stage_name(index, stage));
    let finalists: Option<Finalists> = dir.read_json(&name)?;
    Ok(finalists.map_or(String::new(), |finalists| {
        format!(
            "<h3>Finalists</h3>\n<p>Winner: {}. The lowest fitness measured is the lowest of many noisy values \
             and no measure of strength; these scores are of games that were played after the stage.</p>\n\
             <pre>{}</pre>\n",
            escape(&finalists.winner),
            escape(&finalists_table(&finalists))
        )
    }))
}

/// The hall of fame of a stage, where it has one: one line for each admission match.
fn hall_of_fame(stage: &StagePlan, admissions: &[Admission]) -> String {
    let Some(hall) = &stage.fitness.hall else { return String::new() };
    let mut text = format!(
        "<p>Hall of fame: {} of the games once it has members, at most {} of them. Every {} generations the mean \
         plays an admission match against the pool and the members.</p>\n\
         <pre>generation  members  wins  draws  losses  distinct games  entered\n",
        stage.fitness.hall_games(),
        hall.size,
        hall.every
    );
    for Admission { generation, members, tally, distinct_games, entered, .. } in admissions {
        text += &format!(
            "{generation:>10}  {members:>7}  {:>4}  {:>5}  {:>6}  {distinct_games:>14}  {}\n",
            tally.wins,
            tally.draws,
            tally.losses,
            if *entered { "yes" } else { "no" }
        );
    }
    text + "</pre>\n"
}

/// Which generations the lowest fitness is of, where it is not of all: those that met the same opponents as the last.
fn since_a_change(stage: &StagePlan, admissions: &[Admission], generations: u64) -> String {
    if stage.fitness.coevolution.is_some() {
        return " (of the last one: earlier ones met other opponents)".into();
    }
    let entered = admissions.iter().filter(|admission| admission.entered);
    let last = entered.map(|admission| admission.generation).filter(|&last| last < generations);
    last.max().map_or(String::new(), |last| {
        format!(" (of generation {} on: earlier ones met another hall of fame)", last + 1)
    })
}

/// The same HTML with what stands between backticks as code.
fn code(html: &str) -> String {
    let parts = html.split('`').enumerate();
    parts
        .map(|(index, part)| match index % 2 {
            0 => part.to_string(),
            _ => format!("<code>{part}</code>"),
        })
        .collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_become_code() {
        assert_eq!(code("1 of `a` and `b`."), "1 of <code>a</code> and <code>b</code>.");
        assert_eq!(code("none"), "none");
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }
}
