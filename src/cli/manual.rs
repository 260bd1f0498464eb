//! `tictune completions` and `tictune man`: what shells and `man` read, from the same definitions as `--help`.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::help::examples;
use super::{Cli, Session, print_bytes};
use crate::files::{FileError, NamedFile, create_folder};

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn completions(args: &CompletionsArgs, session: &Session) -> anyhow::Result<()> {
    let mut text = Vec::new();
    let mut command = Cli::command_for(&session.registry, &session.program());
    clap_complete::generate(args.shell, &mut command, session.program(), &mut text);
    print_bytes(&text)
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Write the pages of all commands to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn man(args: &ManArgs, session: &Session) -> anyhow::Result<()> {
    let name = session.program();
    let mut command =
        Cli::command_for(&session.registry, &name).name(name.clone()).bin_name(name.clone());
    command.build();
    let Some(folder) = &args.out else { return print_bytes(&page(command, "")?) };
    create_folder(folder).map_err(FileError::writing(folder))?;
    let write = |title: &str, command: Command, examples: &str| -> anyhow::Result<()> {
        let path = folder.join(format!("{title}.1"));
        Ok(NamedFile::new("--out", &path)?.write(&page(command, examples)?)?)
    };
    for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
        // The title is the name as it is typed, with a hyphen for the space.
        let title = format!("{name}-{}", command.get_name());
        let examples = examples(command.get_name(), &name, &session.registry);
        write(&title, command.clone().name(title.clone()), &examples)?;
    }
    write(&name, command, "")
}

/// The page of a command, with its examples, which the library leaves out.
fn page(command: Command, examples: &str) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    if !examples.is_empty() {
        text.extend(b".SH EXAMPLES\n.nf\n");
        let escaped = examples.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
        text.extend(escaped.bytes());
        text.extend(b"\n.fi\n");
    }
    Ok(text)
}
