//! Games on the full screen with keys from a script: the real session, and the screen as text.

use clap::ValueEnum;
use ratatui_core::backend::TestBackend;
use ratatui_core::buffer::Buffer;
use ratatui_core::style::{Color, Modifier};
use ratatui_core::terminal::Terminal;

use super::draw::{Palette, draw};
use super::full_screen::{answer, fulfil, last_words};
use super::state::{Effect, Key, News, Opponent, State};
use super::{AgentSpec, Level};
use crate::registry::{AnySession, Registry, SessionRequest};

/// A person at the screen, and the session that answers at once.
struct Person {
    session: Box<dyn AnySession>,
    state: State,
}

fn request<'r>(agent: &'r str, from: Option<&'r str>, second: bool) -> SessionRequest<'r> {
    SessionRequest {
        agent: Some(agent),
        rules: "",
        second: second.then_some(true),
        from,
        seed: 1,
        command: "",
    }
}

impl Person {
    fn new(game: &str, request: &SessionRequest<'_>) -> Self {
        let mut registry = Registry::default();
        registry.add::<crate::games::Uttt>();
        registry.add::<crate::games::Qubic>();
        registry.add::<crate::games::Chess>();
        let session = registry.find(Some(game)).unwrap().session(request).unwrap();
        let opponent = |name: &str, agent: &str| Opponent {
            name: name.into(),
            agent: agent.into(),
            from_start: false,
        };
        let opponents = vec![
            opponent("the given agent", request.agent.unwrap()),
            opponent("beginner", "random"),
            opponent("unknown", "nobody"),
        ];
        let first = answer(&*session, News::Done);
        let (state, effect) =
            State::new((game, request.rules), session.computer(), first, opponents, 0);
        let mut person = Self { session, state };
        person.fulfil(effect);
        person
    }

    /// Lets the session do what is asked for. It takes a quarter of a second each time.
    fn fulfil(&mut self, mut effect: Effect) -> Effect {
        while let Effect::Ask(request) = effect {
            let mut answer = fulfil(&mut *self.session, request).unwrap();
            if let News::Replied(choice) | News::Hinted(choice) = &mut answer.news {
                choice.seconds = 0.25;
            }
            effect = self.state.hear(answer);
        }
        effect
    }

    fn press(&mut self, key: Key) -> Effect {
        let effect = self.state.press(key);
        self.fulfil(effect)
    }

    fn presses(&mut self, characters: &str) {
        for character in characters.chars() {
            assert_eq!(self.press(Key::Character(character)), Effect::Nothing);
        }
    }

    fn moves(&self) -> &[String] {
        &self.state.view.moves
    }

    fn cursor(&self) -> &str {
        self.state.move_at_cursor().unwrap()
    }

    fn picture(&self, columns: u16, rows: u16, colours: bool) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        let palette = Palette::new(colours);
        let drawn = terminal.draw(|frame| {
            let area = frame.area();
            draw(&self.state, palette, area, frame.buffer_mut());
        });
        drawn.unwrap().buffer.clone()
    }

    fn screen(&self, columns: u16, rows: u16) -> String {
        let picture = self.picture(columns, rows, true);
        let row = |y| {
            let row: String = (0..columns).map(|x| picture[(x, y)].symbol()).collect();
            row.trim_end().to_string() + "\n"
        };
        (0..rows).map(row).collect()
    }
}

const RIGHT: Key = Key::Arrow((1, 0));
const DOWN: Key = Key::Arrow((0, 1));

/// Compares a screen with a file. What is drawn instead is printed, to be looked at and copied.
fn assert_screen(person: &Person, expected: &str, name: &str) {
    let screen = person.screen(80, 24);
    assert!(screen == expected, "the screen is not that of screens/{name}:\n{screen}");
}

#[test]
fn a_game_of_uttt_looks_like_this() {
    let mut person =
        Person::new("uttt", &request("minimax:depth=2,weights=liang-default", None, false));
    assert_screen(&person, include_str!("screens/uttt-start.txt"), "uttt-start.txt");
    assert_eq!(person.press(Key::Enter), Effect::Nothing);
    person.press(RIGHT);
    assert_screen(&person, include_str!("screens/uttt-move.txt"), "uttt-move.txt");
    person.presses("h");
    assert_screen(&person, include_str!("screens/uttt-hint.txt"), "uttt-hint.txt");
    person.presses("?");
    assert_screen(&person, include_str!("screens/help.txt"), "help.txt");
}

/// The boards 0,0 and 1,1 are won by x, 2,0 by o, and 1,0 is drawn. In 2,2 x wins with 8,6.
const LATE: &str = "xxxooxooo/3xxo3/3oox3/oo1xxx3/9/oo7/6xx1/9/9 x 2,2";

#[test]
fn decided_boards_and_the_end_look_like_this() {
    let mut person = Person::new("uttt", &request("human", Some(LATE), false));
    assert_screen(&person, include_str!("screens/uttt-late.txt"), "uttt-late.txt");
    person.presses("8,6");
    assert!(person.screen(80, 24).contains("your move: 8,6_"));
    person.press(Key::Enter);
    assert_screen(&person, include_str!("screens/uttt-over.txt"), "uttt-over.txt");
}

#[test]
fn a_game_of_qubic_looks_like_this() {
    let mut person = Person::new("qubic", &request("minimax:depth=2", None, true));
    person.press(DOWN);
    person.press(Key::Page { back: false });
    assert_screen(&person, include_str!("screens/qubic.txt"), "qubic.txt");
}

#[test]
fn a_game_without_a_board_has_its_text_and_its_moves() {
    let mut person = Person::new("chess", &request("human", None, false));
    assert_screen(&person, include_str!("screens/chess.txt"), "chess.txt");
    let mv = person.cursor().to_string();
    person.press(Key::Enter);
    assert_eq!(person.moves(), [mv]);
}

#[test]
fn a_small_terminal_is_told_the_size() {
    let person = Person::new("uttt", &request("random", None, false));
    let told = person.screen(50, 10);
    let expected = "The board needs 80 columns and 24 rows. This\nterminal has 50 and 10.";
    assert!(told.starts_with(expected), "{told}");
    for (columns, rows) in [(1, 1), (3, 40), (200, 2), (79, 24), (80, 23)] {
        assert!(!person.screen(columns, rows).contains("level"), "{columns} x {rows}");
    }
    assert!(person.screen(80, 24).contains("level"));
}

#[test]
fn without_colours_marks_and_the_cursor_are_seen() {
    let mut person = Person::new("uttt", &request("minimax:depth=1", None, false));
    person.press(Key::Enter);
    let without = person.picture(80, 24, false);
    assert!(without.content.iter().all(|cell| cell.fg == Color::Reset));
    let reversed = |cell: &&ratatui_core::buffer::Cell| cell.modifier.contains(Modifier::REVERSED);
    assert_eq!(without.content.iter().filter(reversed).count(), 5, "the square of the cursor");
    let with = person.picture(80, 24, true);
    for colour in [Color::Cyan, Color::Yellow, Color::Green] {
        assert!(with.content.iter().any(|cell| cell.fg == colour), "{colour}");
    }
}

#[test]
fn only_legal_squares_are_played_and_tab_finds_them() {
    let mut person = Person::new("uttt", &request("reflex", None, false));
    person.press(Key::Enter);
    assert_eq!(person.moves()[0], "4,4");
    assert_eq!(person.moves().len(), 2);
    let legal = person.state.view.legal.clone();
    assert!(person.state.is_legal(person.cursor()), "the cursor is put on a legal square");
    let mut seen = std::collections::BTreeSet::new();
    for _ in &legal {
        person.press(Key::Tab { back: false });
        seen.insert(person.cursor().to_string());
    }
    assert_eq!(seen, legal.iter().cloned().collect());
    let here = person.cursor().to_string();
    person.press(Key::Tab { back: true });
    person.press(Key::Tab { back: false });
    assert_eq!(person.cursor(), here);
    while person.state.is_legal(person.cursor()) {
        person.press(RIGHT);
    }
    person.press(Key::Enter);
    assert_eq!(person.moves().len(), 2);
    assert!(person.state.message.contains("is not a legal move"), "{}", person.state.message);
    person.presses("9");
    person.press(Key::Enter);
    assert!(person.state.message.contains("is not a square"), "{}", person.state.message);
}

#[test]
fn moves_are_taken_back_and_games_begin_again() {
    let mut person = Person::new("uttt", &request("reflex", None, true));
    assert_eq!(person.moves().len(), 1, "the computer begins");
    person.presses("u");
    assert_eq!(person.state.message, "there is nothing to take back");
    person.press(Key::Enter);
    assert_eq!(person.moves().len(), 3);
    person.presses("u");
    assert_eq!(person.moves().len(), 1);
    person.press(Key::Enter);
    person.presses("n");
    assert_eq!((person.moves().len(), person.state.message.as_str()), (1, "a new game"));
    assert!(last_words(&person.state, "tictune play --second").starts_with(
        "left after 1 move; to go on:\n  tictune play --second --agent reflex --from \""
    ));
}

#[test]
fn a_game_goes_on_with_any_opponent_that_can_be_told_a_position() {
    let mut person = Person::new("uttt", &request("reflex", None, true));
    person.state.opponents[0].from_start = true;
    assert_eq!(last_words(&person.state, "tictune play"), "left after 1 move");
    person.presses("l");
    let words = last_words(&person.state, "tictune play");
    assert!(words.contains("to go on:\n  tictune play --agent random --from"), "{words}");
}

#[test]
fn levels_take_turns_and_a_hint_changes_no_game() {
    let mut person = Person::new("uttt", &request("minimax:depth=1", None, false));
    person.presses("h");
    assert!(person.moves().is_empty());
    assert_eq!(person.state.said.as_ref().map(|said| said.is_hint), Some(true));
    person.presses("l");
    assert_eq!(person.state.message, "the opponent is now beginner");
    assert_eq!((person.state.agent.as_str(), person.state.opponent), ("random", 1));
    person.presses("h");
    assert!(person.state.message.ends_with("of which the agent knows no value"));
    person.presses("l");
    assert!(person.state.message.contains("nobody"), "{}", person.state.message);
    assert_eq!((person.state.agent.as_str(), person.state.opponent), ("random", 1));
    person.presses("l");
    assert_eq!(person.state.opponent, 0, "one that cannot play is passed over");
}

#[test]
fn while_the_agent_thinks_keys_for_help_and_quitting_are_heard() {
    let mut person = Person::new("uttt", &request("reflex", None, false));
    let Effect::Ask(mv) = person.state.press(Key::Enter) else { panic!("nothing is asked") };
    for key in ['h', 'u', 'n', 'l'] {
        assert_eq!(person.state.press(Key::Character(key)), Effect::Nothing);
        assert_eq!(person.state.message, "the computer still thinks; q leaves");
    }
    assert_eq!(person.state.press(Key::Enter), Effect::Nothing);
    assert_eq!(person.state.press(Key::Character('?')), Effect::Nothing);
    assert!(person.screen(80, 24).contains("What the keys do"));
    assert_eq!(person.state.press(Key::Escape), Effect::Nothing, "it closes the help");
    assert_eq!(person.state.press(Key::Escape), Effect::Leave);
    assert_eq!(person.state.press(Key::Interrupt), Effect::Interrupt);
    person.fulfil(Effect::Ask(mv));
    assert_eq!(person.moves().len(), 2, "the game goes on");
}

#[test]
fn an_agent_that_gives_no_move_forfeits() {
    let agent = "external:cmd=\"sh -c 'read line; exit'\",protocol=theaigames,time=1s";
    let mut person = Person::new("uttt", &request(agent, None, false));
    person.press(Key::Enter);
    assert!(person.screen(80, 24).contains("You have won: the"), "{}", person.screen(80, 24));
    person.press(Key::Enter);
    assert_eq!(person.moves().len(), 1);
    assert!(last_words(&person.state, "").starts_with("You have won: the computer forfeits, "));
}

#[test]
fn levels_are_those_of_agents_by_name() {
    let mut registry = Registry::default();
    registry.add::<crate::games::Uttt>();
    let game = registry.find(Some("uttt")).unwrap().info();
    for (level, (name, agent)) in Level::value_variants().iter().zip(AgentSpec::levels(game)) {
        assert_eq!(level.to_possible_value().unwrap().get_name(), name);
        assert_eq!(level.opponent(game).agent, agent);
    }
}
