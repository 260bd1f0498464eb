//! Conversations of `tictune play` with a script in the person's place.

use super::*;
use tictune_core::agent::{AgentFactory, Turn, spawn};
use tictune_core::game::Position;
use tictune_games::uttt::{Rules, Uttt, UtttMove};

/// Says the lines of a script, and keeps all that is said.
struct Script<'s> {
    lines: std::str::Lines<'s>,
    heard: String,
}

impl Console for Script<'_> {
    fn say(&mut self, text: &str) -> anyhow::Result<()> {
        self.heard += text;
        Ok(())
    }

    fn ask(&mut self, prompt: &str) -> anyhow::Result<Option<String>> {
        self.heard += prompt;
        let line = self.lines.next().map(String::from);
        self.heard += line.as_deref().unwrap_or("(end)");
        self.heard.push('\n');
        Ok(line)
    }
}

fn converse<P: Game>(session: Session<P>, lines: &str) -> String {
    let mut script = Script { lines: lines.lines(), heard: String::new() };
    session.converse(&mut script).unwrap();
    script.heard
}

/// A session against an agent as `o` (`person` first) or `x`, or of two people.
fn session(notation: &str, agent: &str, person: Option<Player>) -> Session<Uttt> {
    let agents = Agents::default();
    let spec = agents.parse(agent, Path::new("")).unwrap();
    session_by(notation, Adviser::new(&agents, spec, 0).unwrap(), person)
}

fn session_by(notation: &str, adviser: Adviser<Uttt>, person: Option<Player>) -> Session<Uttt> {
    let record = Record::start(Rules::default(), Some(notation)).unwrap();
    let computer = person.map(|person| (person.other(), adviser.player()));
    Session { record, computer, adviser, command: "play it".into() }
}

const START: &str = "9/9/9/9/9/9/9/9/9 x -";
/// The first player, to move in the last board, wins with 8,6 alone.
const MATE: &str = "xxxoo1oo1/9/9/oo1xxx3/9/oo7/6xx1/9/9 x 2,2";
const FIRST: Option<Player> = Some(Player::First);

/// Checks that a conversation has some texts.
fn hears(session: Session<Uttt>, lines: &str, texts: &[&str]) {
    let heard = converse(session, lines);
    for text in texts {
        assert!(heard.contains(text), "{text} is not in {heard}");
    }
}

#[test]
fn refused_lines_are_explained() {
    let said = [
        "8,8 is not legal here; 9 legal moves: ",
        "did you mean hint?",
        "computer played 4,3;",
        "the computer took ",
        " s for 2 moves",
    ];
    hears(session(START, "reflex", FIRST), "4,4\n8,8\nhnt\n\n1,1", &said);
    // A free choice is too much for a line.
    let position = Uttt::from_notation("xxx6/9/9/9/9/9/9/9/ooo6 x -", Rules::default()).unwrap();
    let error = read_move(&position, "0,0").unwrap_err();
    assert_eq!(error, "0,0 is not legal here; 63 moves are, and moves lists them");
}

#[test]
fn undo_goes_back_to_where_a_person_moved() {
    let nothing = "there is nothing to take back\n";
    let said = [nothing, "taken back: 1,1 and 4,3\n", "taken back: 4,4 and 3,3\n", "after 0 plies"];
    hears(session(START, "reflex", FIRST), "undo\n4,4\n1,1\nundo\nundo\nundo", &said);
    // The computer's first move is nobody's to take back.
    let said = ["computer played 0,0;", "taken back: 1,1 and 3,3\n", nothing, "after 1 plies"];
    hears(session(START, "reflex", Some(Player::Second)), "undo\n1,1\nundo\nundo", &said);
    // Of two people each takes back a move.
    let said = ["taken back: 3,4\n", "taken back: 3,5\n", "taken back: 4,4\n"];
    hears(session(START, "reflex", None), "4,4\n3,4\nundo\n3,5\nundo\nundo", &said);
}

#[test]
fn games_end_with_their_result() {
    for (person, line, expected) in [
        (FIRST, "8,6", "x has won\nyou have won\n"),
        (None, "8,6", "x has won\nx has won\n"),
        (FIRST, "resign", "x resigns: the computer has won\n"),
        (None, "resign", "x resigns: o has won\n"),
        (Some(Player::Second), "", "x has won\nthe computer has won\n"),
    ] {
        hears(session(MATE, "minimax:depth=2", person), line, &[expected]);
    }
}

#[test]
fn hints_leave_the_opponent_as_it_is() {
    let play = |lines| {
        let heard = converse(session(START, "random", FIRST), lines);
        // After the move comes its time.
        let moves = heard.lines().filter(|line| line.contains("played"));
        moves.filter_map(|line| Some(line.split_once(';')?.0.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(play("4,4\nquit"), play("hint\nhint\n4,4\nhint"));
    let heard = converse(session(MATE, "minimax:depth=2", FIRST), "hint");
    assert!(heard.contains("hint: 8,6; it wins; "), "{heard}");
    let heard = converse(session(START, "pvs:nodes=3000", FIRST), "hint");
    let hint = heard.lines().find(|line| line.contains("hint: ")).unwrap();
    assert!(hint.contains("; value ") && hint.contains("; then "), "{hint}");
    // A program at random has no values.
    assert!(!converse(session(START, "random", FIRST), "hint").contains("one by one"));
    // One that looks one move ahead compares what it finds there: the greatest value is that of its choice.
    for agent in ["greedy:weights=tictune-extended", "minimax:depth=1,weights=liang-default"] {
        let heard = converse(session(START, agent, FIRST), "hint");
        let (hint, worth) =
            heard.split_once("hint: ").unwrap().1.split_once("one by one: ").unwrap();
        let value = hint.split("; ").nth(1).unwrap();
        assert!(worth.split_once(" (").unwrap().1.starts_with(&format!("{value})")), "{heard}");
        assert!(worth.matches("(value ").count() >= 5, "{heard}");
    }
    let heard = converse(session(START, "mcts:iterations=2000", FIRST), "hint");
    let hinted = heard.split_once("hint: ").unwrap().1.split_once(';').unwrap().0;
    let (_, worth) = heard.split_once(" ms, to other depths than the hint: ").unwrap();
    assert!(worth.contains(&format!("{hinted} (")), "the hint is in its list: {heard}");
    assert!(heard.contains(" % of the points; then "), "{heard}");
}

#[test]
fn an_agent_that_gives_no_move_forfeits() {
    struct Stubborn(Failure);
    impl Agent<Uttt> for Stubborn {
        fn choose(&mut self, _: &Turn<'_, Uttt>) -> Result<Choice<UtttMove>, Failure> {
            match &self.0 {
                Failure::IllegalMove(_) => Ok(Choice::free(UtttMove::CENTRE)),
                other => Err(other.clone()),
            }
        }
    }
    let with = |failure: Failure| {
        let factory = AgentFactory::new("stubborn", spawn(move |_| Stubborn(failure.clone())));
        let agents = Agents::default();
        let reflex = agents.parse("reflex", Path::new("")).unwrap();
        session_by(START, Adviser::new(&agents, reflex, 0).unwrap().with(factory), FIRST)
    };
    let heard = converse(with(Failure::IllegalMove(String::new())), "4,4");
    assert!(heard.ends_with("the computer forfeits: illegal move 4,4\nyou have won\n"), "{heard}");
    let heard = converse(with(Failure::Garbage("?".into())), "hint\n4,4");
    assert!(heard.contains("no hint: not an answer of its protocol"), "{heard}");
    let mut script = Script { lines: "4,4".lines(), heard: String::new() };
    let error = with(Failure::Start("gone".into())).converse(&mut script).unwrap_err();
    assert!(error.to_string().contains("agent stubborn: the program could not be started"));
}
