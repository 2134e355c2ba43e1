//! The terminal: its other screen, without a cursor, and keys as they are pressed.

use super::view::Line;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::style::PrintStyledContent;
use crossterm::terminal::{
    disable_raw_mode, enable_raw_mode, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{execute, queue};
use std::io::{self, Write};
use std::panic;

/// Begins to use the terminal. A panic puts it back before its message is printed.
pub fn open() -> io::Result<()> {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        restore();
        report(panic);
    }));
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, Hide).inspect_err(|_| restore())
}

/// Puts the terminal back. Nobody can be told of an error.
pub fn restore() {
    let _ = disable_raw_mode();
    let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
}

/// Draws the whole screen at once: each line is as wide as the terminal.
pub fn draw(lines: Vec<Line>) -> io::Result<()> {
    let mut bytes = Vec::new();
    for (row, line) in (0..).zip(lines) {
        queue!(bytes, MoveTo(0, row))?;
        for piece in line {
            queue!(bytes, PrintStyledContent(piece))?;
        }
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(&bytes)?;
    stdout.flush()
}
