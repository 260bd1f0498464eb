//! Reads any bytes as each kind of message, as drivers and workers do.

use std::time::Instant;

use crate::arena::{Summary, Work};
use crate::built_in;
use crate::cluster::Allowed;
use crate::cluster::parts::{
    Dispatch, EndMessage, PartId, PartMessage, PartOutcome, ResultMessage, Speed, WorkRequest,
    WorkerStatus, decode, digest, encode, is_name, read_work, repeatable, said, share,
};
use crate::game::Game;
use crate::games::{Chess, Qubic, Uttt};

/// Reads lines: a work, parts of it and results of these parts, or any other message.
pub(crate) fn read(bytes: &[u8]) -> bool {
    let (mut work, mut accepted): (Option<Work>, _) = (None, false);
    for line in bytes.split(|&byte| byte == b'\n') {
        accepted |= decode::<WorkRequest>(line).is_ok() || decode::<EndMessage>(line).is_ok();
        if let Ok(status) = decode::<WorkerStatus>(line) {
            accepted |= is_name(&status.worker) && status.version.refuse("a worker").is_ok();
        }
        if let Ok(read) = read_work(line, &built_in()) {
            prepare(&read);
            (work, accepted) = (Some(read), true);
        }
        let Some(work) = &work else { continue };
        if let Ok(part) = decode::<PartMessage>(line) {
            assert!(part.id.to_string().starts_with(&part.id.session));
            if let Ok(share) = share(work, &part.pieces) {
                share.check(share.agents.len()).expect("a part of a good work is good");
            }
        }
        if let Ok(result) = decode::<ResultMessage>(line) {
            receive(work, result);
        }
    }
    accepted
}

/// Draws openings of a work and prepares its agents, as an executor does before it plays.
fn prepare(work: &Work) {
    draw::<Uttt>(work);
    draw::<Qubic>(work);
    draw::<Chess>(work);
    for agent in work.agents.iter().take(4) {
        let is_allowed = Allowed::default().check(agent).is_ok();
        assert_ne!(is_allowed, agent.program().is_some(), "programs are never allowed here");
        if is_allowed {
            let registry = tictune_built_in::registry();
            let game = registry.find(Some(&work.game));
            let _ = game.and_then(|game| game.check_agent(agent, &work.rules));
        }
    }
    encode(work);
}

fn draw<P: Game>(work: &Work) {
    let rules = work.rules.parse::<P::Rules>().ok();
    let Some(rules) = rules.filter(|_| work.game == P::INFO.name) else { return };
    for openings in work.openings.iter().take(4) {
        let _ = openings.draw::<P>(rules, 1, 2);
    }
}

/// Takes a result as the driver does.
fn receive(work: &Work, result: ResultMessage) {
    let mut dispatch = Dispatch::new(&work.units, Speed::default());
    while dispatch.hand_out(1, Instant::now()).is_some() && result.id.part > 0 {}
    let ResultMessage { id: PartId { part, .. }, seconds, worker, outcome, .. } = result;
    match outcome {
        PartOutcome::Played(games) => {
            let detail = dispatch.pieces(part).and_then(|pieces| repeatable(work, pieces));
            detail.inspect(|&detail| _ = digest(&games, detail));
            dispatch.receive(part, seconds, games, Instant::now());
        }
        PartOutcome::Input(text) | PartOutcome::Failed(text) | PartOutcome::Declined(text) => {
            assert!(!said(&worker, &text).contains('\u{1b}'));
        }
    }
    while let Some((unit, result)) = dispatch.finished() {
        let sums = result.iter().map(Summary::of);
        let _ = sums.fold(Summary::default(), |sum, game| sum.plus(&game));
        assert_eq!(result.len() as u64, work.units[unit].games());
    }
}
