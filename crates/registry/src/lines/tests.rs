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

fn converse<P: Game>(session: LineSession<P>, lines: &str) -> String {
    let mut script = Script { lines: lines.lines(), heard: String::new() };
    session.converse(&mut script).unwrap();
    script.heard
}

/// A session against an agent as `o` (`person` first) or `x`, or of two people.
fn session(notation: &str, agent: &str, person: Option<Player>) -> LineSession<Uttt> {
    let agents = Agents::default();
    let spec = agents.parse(agent, Path::new("")).unwrap();
    let adviser = Adviser::new(&agents, spec, 0).unwrap();
    let record = GameSoFar::start(Rules::default(), Some(notation)).unwrap();
    let computer = person.map(|person| (person.other(), adviser.player()));
    LineSession { record, computer, adviser, command: "play it".into() }
}

const START: &str = "9/9/9/9/9/9/9/9/9 x -";
/// The first player, to move in the last board, wins with 8,6 alone.
const MATE: &str = "xxxoo1oo1/9/9/oo1xxx3/9/oo7/6xx1/9/9 x 2,2";
const FIRST: Option<Player> = Some(Player::First);

#[test]
fn lines_are_answered() {
    // Where it starts, the agent, which side the person has, what the person says => what is said. Undo goes back to where a person
    // moved: of two people each takes back a move, and the computer's first move is nobody's to take back.
    const CONVERSATIONS: &str = "
        start reflex x 4,4;8,8;hnt;;1,1 => 8,8 is not legal here; 9 legal moves: /did you mean hint?
        start reflex x undo;4,4;1,1;undo;undo;undo => nothing to take back/taken back: 1,1 and 4,3/taken back: 4,4 and 3,3/left at ply 1;
        start reflex o undo;1,1;undo;undo => computer played 0,0;/taken back: 1,1 and 3,3/nothing to take back/left at ply 2;
        start reflex both 4,4;3,4;undo;3,5;undo;undo => taken back: 3,4/taken back: 3,5/taken back: 4,4
        mate reflex x 8,6 => x has won/you have won
        mate reflex both 8,6 => x has won/x has won
        mate reflex both resign => x resigns: o has won
        mate minimax:depth=2 o quit => x has won/the computer has won";
    for case in CONVERSATIONS.trim().lines() {
        let (words, said) = case.split_once(" => ").unwrap();
        let [from, agent, side, lines] = words.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{words}")
        };
        let from = if from == "start" { START } else { MATE };
        let person = match side {
            "x" => FIRST,
            "o" => Some(Player::Second),
            _ => None,
        };
        let heard = converse(session(from, agent, person), &lines.replace(';', "\n"));
        assert!(said.split('/').all(|text| heard.contains(text)), "{said} is not in {heard}");
    }
    // A free choice is too much for a line.
    let position = Uttt::from_notation("xxx6/9/9/9/9/9/9/9/ooo6 x -", Rules::default()).unwrap();
    let error = read_move(&position, "0,0").unwrap_err();
    assert_eq!(error, "0,0 is not legal here; 63 moves are, and moves lists them");
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
        let mut session = session(START, "reflex", FIRST);
        session.adviser.factory =
            AgentFactory::new("stubborn", spawn(move |_| Stubborn(failure.clone())));
        session.computer = Some((Player::Second, session.adviser.player()));
        session
    };
    let heard = converse(with(Failure::IllegalMove(String::new())), "4,4");
    assert!(heard.ends_with("the computer forfeits: illegal move 4,4\nyou have won\n"), "{heard}");
    let heard = converse(with(Failure::Garbage("?".into())), "hint\n4,4");
    assert!(heard.contains("no hint: not an answer of its protocol"), "{heard}");
    let mut script = Script { lines: "4,4".lines(), heard: String::new() };
    let error = with(Failure::Start("gone".into())).converse(&mut script).unwrap_err();
    assert!(error.to_string().contains("agent stubborn: the program could not be started"));
}
