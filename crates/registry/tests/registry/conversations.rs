//! Conversations of `tictune play` with a script in the person's place.

use tictune::game::Player;
use tictune_registry::{Console, SessionRequest};

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

/// What is said where a person has a side against an agent, or plays with another.
fn converse(from: &str, agent: &str, person: Option<Player>, lines: &str) -> String {
    try_to_converse(from, agent, person, lines).unwrap()
}

fn try_to_converse(
    from: &str,
    agent: &str,
    person: Option<Player>,
    lines: &str,
) -> anyhow::Result<String> {
    let request = SessionRequest {
        agent: Some(if person.is_some() { agent } else { "human" }),
        rules: "",
        second: person.map(|person| person == Player::Second),
        from: (!from.is_empty()).then_some(from),
        seed: 0,
        command: "play it",
    };
    let mut script = Script { lines: lines.lines(), heard: String::new() };
    tictune_built_in::registry().find(None)?.known("", "")?.play(&request, &mut script)?;
    Ok(script.heard)
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
        let heard = converse(from, agent, person, &lines.replace(';', "\n"));
        assert!(said.split('/').all(|text| heard.contains(text)), "{said} is not in {heard}");
    }
    // A free choice is too much for a line.
    let free = converse("xxx6/9/9/9/9/9/9/9/ooo6 x -", "reflex", FIRST, "0,0");
    assert!(free.contains("0,0 is not legal here; 63 moves are, and moves lists them"), "{free}");
}

#[test]
fn hints_leave_the_opponent_as_it_is() {
    let play = |lines| {
        let heard = converse(START, "random", FIRST, lines);
        // After the move comes its time.
        let moves = heard.lines().filter(|line| line.contains("played"));
        moves.filter_map(|line| Some(line.split_once(';')?.0.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(play("4,4\nquit"), play("hint\nhint\n4,4\nhint"));
    let heard = converse(MATE, "minimax:depth=2", FIRST, "hint");
    assert!(heard.contains("hint: 8,6; it wins; "), "{heard}");
    let heard = converse(START, "pvs:nodes=3000", FIRST, "hint");
    let hint = heard.lines().find(|line| line.contains("hint: ")).unwrap();
    assert!(hint.contains("; value ") && hint.contains("; then "), "{hint}");
    // A program at random has no values.
    assert!(!converse(START, "random", FIRST, "hint").contains("one by one"));
    // One that looks one move ahead compares what it finds there: the greatest value is that of its choice.
    for agent in ["greedy:weights=tictune-extended", "minimax:depth=1,weights=liang-default"] {
        let heard = converse(START, agent, FIRST, "hint");
        let (hint, worth) =
            heard.split_once("hint: ").unwrap().1.split_once("one by one: ").unwrap();
        let value = hint.split("; ").nth(1).unwrap();
        assert!(worth.split_once(" (").unwrap().1.starts_with(&format!("{value})")), "{heard}");
        assert!(worth.matches("(value ").count() >= 5, "{heard}");
    }
    let heard = converse(START, "mcts:iterations=2000", FIRST, "hint");
    let hinted = heard.split_once("hint: ").unwrap().1.split_once(';').unwrap().0;
    let (_, worth) = heard.split_once(" ms, to other depths than the hint: ").unwrap();
    assert!(worth.contains(&format!("{hinted} (")), "the hint is in its list: {heard}");
    assert!(heard.contains(" % of the points; then "), "{heard}");
}

#[test]
fn an_agent_that_gives_no_move_forfeits() {
    let heard = |answer: &str, lines: &str| {
        let program = format!(
            "external:cmd=\"sh -c 'read line; echo {answer}; cat > /dev/null'\",protocol=codingame"
        );
        converse("", &program, FIRST, lines)
    };
    let illegal = heard("0 0", "4,4");
    assert!(
        illegal.ends_with(
            "the computer forfeits: illegal move 0,0 (it wrote \"0 0\")\nyou have won\n"
        ),
        "{illegal}"
    );
    let garbage = heard("what", "hint\n4,4");
    assert!(garbage.contains("no hint: the program follows a game from its start"), "{garbage}");
    assert!(
        garbage.contains("the computer forfeits: not an answer of its protocol: \"what\""),
        "{garbage}"
    );
    let error = try_to_converse("", "external:cmd=/no/such,protocol=codingame", FIRST, "4,4");
    let error = error.unwrap_err().to_string();
    assert!(error.contains(": the program could not be started"), "{error}");
}
