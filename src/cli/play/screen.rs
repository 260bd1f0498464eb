//! The terminal as a screen: its modes, its keys, and what is drawn on it.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write, stdin, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read};
use crossterm::style::{
    Attribute, Color as TerminalColour, Print, SetAttribute, SetForegroundColor,
};
use crossterm::terminal::{self, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute, queue};
use ratatui_core::backend::{Backend, ClearType, WindowSize};
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::{Position, Rect, Size};
use ratatui_core::style::{Color, Modifier};
use ratatui_core::terminal::Terminal;

use super::state::Key;

/// Whether the terminal is in the modes of a screen.
static OPEN: AtomicBool = AtomicBool::new(false);

/// The screen. Dropping it puts the terminal back as it was.
pub(super) struct Screen {
    terminal: Terminal<Output>,
    events: Receiver<io::Result<Event>>,
}

/// What a person does at the terminal.
pub(super) enum Input {
    Key(Key),
    /// The terminal has another size, or a key without a meaning was pressed.
    Other,
}

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        close_before_panics();
        terminal::enable_raw_mode()?;
        OPEN.store(true, Ordering::SeqCst);
        let opened = execute!(stdout(), EnterAlternateScreen, cursor::Hide)
            .and_then(|()| Terminal::new(Output(BufWriter::new(stdout()))));
        match opened {
            Ok(terminal) => Ok(Self { terminal, events: read_in_background() }),
            Err(error) => {
                close();
                Err(error)
            }
        }
    }

    /// Draws what has changed since the last call.
    pub(super) fn draw(&mut self, picture: impl FnOnce(Rect, &mut Buffer)) -> io::Result<()> {
        // After a panic in another thread it is closed, and drawn on no more.
        if OPEN.load(Ordering::SeqCst) {
            self.terminal.draw(|frame| picture(frame.area(), frame.buffer_mut()))?;
        }
        Ok(())
    }

    /// Waits for a person, for a while.
    ///
    /// # Errors
    /// The terminal is gone. Under `nohup` no signal says so.
    pub(super) fn wait(&mut self, time: Duration) -> io::Result<Option<Input>> {
        match self.events.recv_timeout(time) {
            Ok(Ok(Event::Key(event))) if event.kind != KeyEventKind::Release => {
                Ok(Some(key(event).map_or(Input::Other, Input::Key)))
            }
            Ok(Ok(_)) => Ok(Some(Input::Other)),
            Ok(Err(error)) => Err(error),
            Err(RecvTimeoutError::Timeout) if stdin().is_terminal() => Ok(None),
            Err(_) => Err(io::Error::other("the terminal is gone")),
        }
    }
}

/// The events of the terminal, read in a thread of their own: crossterm never comes back from a terminal that is gone.
fn read_in_background() -> Receiver<io::Result<Event>> {
    let (sender, events) = channel();
    std::thread::spawn(move || {
        loop {
            let event = read();
            let failed = event.is_err();
            if sender.send(event).is_err() || failed {
                break;
            }
        }
    });
    events
}

impl Drop for Screen {
    fn drop(&mut self) {
        close();
    }
}

/// Lets the screen close before the message of a panic, which is to be seen after it.
fn close_before_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let earlier = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            close();
            earlier(panic);
        }));
    });
}

/// Puts the terminal back as it was before the screen, if there is one. Errors are left alone: the terminal may be gone.
pub(crate) fn close() {
    if OPEN.swap(false, Ordering::SeqCst) {
        let _ =
            execute!(stdout(), SetAttribute(Attribute::Reset), LeaveAlternateScreen, cursor::Show);
        let _ = terminal::disable_raw_mode();
    }
}

/// The meaning of a key.
fn key(event: KeyEvent) -> Option<Key> {
    let has = |modifier| event.modifiers.contains(modifier);
    Some(match event.code {
        KeyCode::Left => Key::Arrow((-1, 0)),
        KeyCode::Right => Key::Arrow((1, 0)),
        KeyCode::Up => Key::Arrow((0, -1)),
        KeyCode::Down => Key::Arrow((0, 1)),
        KeyCode::Tab => Key::Tab { back: has(KeyModifiers::SHIFT) },
        KeyCode::BackTab => Key::Tab { back: true },
        KeyCode::PageDown => Key::Page { back: false },
        KeyCode::PageUp => Key::Page { back: true },
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Char('c') if has(KeyModifiers::CONTROL) => Key::Interrupt,
        KeyCode::Char(_) if has(KeyModifiers::CONTROL) || has(KeyModifiers::ALT) => return None,
        KeyCode::Char(character) => Key::Character(character),
        _ => return None,
    })
}

/// Writes cells to the terminal.
struct Output(BufWriter<Stdout>);

impl Backend for Output {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut next = None;
        let mut style = (Color::Reset, Modifier::empty());
        for (x, y, cell) in content {
            if next != Some((x, y)) {
                queue!(self.0, cursor::MoveTo(x, y))?;
            }
            // All symbols of the screen are one column wide.
            next = Some((x + 1, y));
            if style != (cell.fg, cell.modifier) {
                style = (cell.fg, cell.modifier);
                queue!(self.0, SetAttribute(Attribute::Reset))?;
                if let Some(colour) = colour(cell.fg) {
                    queue!(self.0, SetForegroundColor(colour))?;
                }
                for (modifier, attribute) in ATTRIBUTES {
                    if cell.modifier.contains(modifier) {
                        queue!(self.0, SetAttribute(attribute))?;
                    }
                }
            }
            queue!(self.0, Print(cell.symbol()))?;
        }
        queue!(self.0, SetAttribute(Attribute::Reset))
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        queue!(self.0, cursor::Hide)
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        queue!(self.0, cursor::Show)
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        cursor::position().map(Position::from)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let position = position.into();
        queue!(self.0, cursor::MoveTo(position.x, position.y))
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        let region = match region {
            ClearType::All => terminal::ClearType::All,
            ClearType::AfterCursor => terminal::ClearType::FromCursorDown,
            ClearType::BeforeCursor => terminal::ClearType::FromCursorUp,
            ClearType::CurrentLine => terminal::ClearType::CurrentLine,
            ClearType::UntilNewLine => terminal::ClearType::UntilNewLine,
        };
        queue!(self.0, terminal::Clear(region))
    }

    fn size(&self) -> io::Result<Size> {
        terminal::size().map(Size::from)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        let size = terminal::window_size()?;
        Ok(WindowSize {
            columns_rows: Size::new(size.columns, size.rows),
            pixels: Size::new(size.width, size.height),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

const ATTRIBUTES: [(Modifier, Attribute); 3] = [
    (Modifier::BOLD, Attribute::Bold),
    (Modifier::DIM, Attribute::Dim),
    (Modifier::REVERSED, Attribute::Reverse),
];

/// The colours that are drawn with.
const fn colour(colour: Color) -> Option<TerminalColour> {
    match colour {
        Color::Cyan => Some(TerminalColour::DarkCyan),
        Color::Yellow => Some(TerminalColour::DarkYellow),
        Color::Green => Some(TerminalColour::DarkGreen),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_any_thread_closes_the_screen_first() {
        close_before_panics();
        OPEN.store(true, Ordering::SeqCst);
        let thread = std::thread::spawn(|| panic!("the panic of a test"));
        assert!(thread.join().is_err());
        assert!(!OPEN.load(Ordering::SeqCst));
    }
}
