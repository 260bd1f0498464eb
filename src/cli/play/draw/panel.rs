//! What stands beside the board: who plays, whose turn it is, what the agent thinks, and the moves so far.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::{Palette, cut, put, wrapped};
use crate::cli::play::state::{Request, Said, State};

/// How many lines the moves take that an agent expects.
const LINES_OF_MOVES: usize = 2;

pub(super) fn draw(state: &State, palette: Palette, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let mut lines: Vec<(String, Style)> = Vec::new();
    let plain = |text: String| (text, Style::new());
    lines.push((cut(&state.game, width), palette.strong()));
    let rules = wrapped(&state.rules.replace(',', ", "), width, 2);
    lines.extend(rules.into_iter().map(|line| (line, palette.faint())));
    lines.push(plain(players(state)));
    let opponent = state.opponents.get(state.opponent).map_or("", |opponent| &opponent.name);
    let role = if state.computer.is_some() { "level" } else { "hints by" };
    lines.push(plain(format!("{role}: {opponent}")));
    lines.push((cut(&state.agent, width), palette.faint()));
    lines.push(plain(String::new()));
    lines
        .extend(wrapped(&status(state), width, 3).into_iter().map(|line| (line, palette.strong())));
    lines.push(plain(String::new()));
    if let Some(said) = &state.said {
        lines.extend(words(said, width).into_iter().map(plain));
        lines.push(plain(String::new()));
    }
    if let Some(mv) = state.move_at_cursor() {
        let value = state.value_of(mv).map_or(String::new(), |value| format!(": {}", value.value));
        lines.push(plain(format!("cursor: {mv}{value}")));
        lines.push(plain(String::new()));
    }
    for (y, (line, style)) in (area.y..area.bottom()).zip(&lines) {
        put(buffer, area.x, y, area.width, line, *style);
    }
    let top = area.y + lines.len() as u16;
    let rows = usize::from(area.bottom().saturating_sub(top));
    for (y, line) in (top..).zip(history(&state.view.moves, rows)) {
        put(buffer, area.x, y, area.width, &line, Style::new());
    }
}

fn players(state: &State) -> String {
    match state.computer {
        None => "x and o are people".into(),
        Some('x') => "you are o, the computer x".into(),
        Some(_) => "you are x, the computer o".into(),
    }
}

/// How the game stands.
pub(in crate::cli::play) fn status(state: &State) -> String {
    if let Some(reason) = &state.forfeit {
        return format!("You have won: the computer forfeits, {reason}");
    }
    let computer = state.computer.map(|mark| mark.to_string());
    match state.view.outcome.as_deref() {
        Some("draw") => return "The game is drawn.".into(),
        Some(winner) if computer.is_none() => return format!("{winner} has won."),
        Some(winner) if computer.as_deref() == Some(winner) => {
            return "The computer has won.".into();
        }
        Some(_) => return "You have won.".into(),
        None => {}
    }
    let (mark, count) = (state.view.to_move, state.view.legal.len());
    match (&state.pending, &computer) {
        (Some(Request::Reply), _) => "The computer thinks ...".into(),
        (Some(Request::Hint), _) => "The computer thinks about a hint ...".into(),
        (_, Some(_)) => format!("Your move, as {mark}: {count} legal"),
        (_, None) => format!("{mark} moves: {count} legal"),
    }
}

/// What the agent said.
fn words(said: &Said, width: usize) -> Vec<String> {
    let who = if said.is_hint { "hint" } else { "computer" };
    let choice = &said.choice;
    let mut lines = vec![cut(&format!("{who}: {} in {:.2} s", choice.mv, choice.seconds), width)];
    lines.extend(choice.value.as_ref().map(|value| cut(&format!("  {value}"), width)));
    if let [_, replies @ ..] = &choice.line[..]
        && !replies.is_empty()
    {
        let expects = format!("expects {}", replies.join(" "));
        let expects = wrapped(&expects, width.saturating_sub(2), LINES_OF_MOVES);
        lines.extend(expects.into_iter().map(|line| format!("  {line}")));
    }
    lines
}

/// The last moves that fit, two in a row.
fn history(moves: &[String], rows: usize) -> Vec<String> {
    if moves.is_empty() || rows < 2 {
        return Vec::new();
    }
    let longest = moves.iter().map(|mv| mv.chars().count()).max().unwrap_or_default();
    let lines = moves.chunks(2).enumerate().map(|(number, pair)| {
        let [first, rest @ ..] = pair else { return String::new() };
        let second = rest.first().map_or("", String::as_str);
        format!("{:>3}. {first:<longest$}  {second}", number + 1).trim_end().to_string()
    });
    let lines: Vec<String> = lines.collect();
    let skipped = lines.len().saturating_sub(rows - 1);
    std::iter::once("moves".into()).chain(lines.into_iter().skip(skipped)).collect()
}
