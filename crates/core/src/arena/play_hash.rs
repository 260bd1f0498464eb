//! A hash of what this build of the program plays: of its rules, evaluations and searches.

use std::hash::{Hash, Hasher};
use std::path::Path;

use rand::RngExt;

use super::fingerprint::FingerprintHasher;
use super::game::catch;
use crate::agent::{AgentSpec, Agents, Turn, Value};
use crate::game::{Game, Position};
use crate::seed::{Role, generator};
use crate::weights::Weights;

/// The searches, small enough for all of them to take some milliseconds.
const SEARCHES: [&str; 7] = [
    "minimax:depth=2",
    "greedy",
    "iterative:nodes=300",
    "pvs:nodes=300,table=1",
    "expectimax:depth=2",
    "mcts:iterations=40",
    "mcts:iterations=40,playout=ept",
];

/// A hash of games of random moves, which follow from the rules, and of what searches choose in positions of these games and
/// say of them. A build with another hash plays other games of the same seeds; one with the same hash very likely plays the same.
/// `None` if the code of the game panics.
pub(super) fn play_hash<P: Game>(rules: P::Rules) -> Option<u64> {
    let hash = catch(|| {
        let mut hasher = FingerprintHasher([7, 9]);
        let positions: Vec<P> =
            (0..12).flat_map(|seed| positions(rules, seed, &mut hasher)).collect();
        let agents = Agents::<P>::default();
        for (number, search) in SEARCHES.into_iter().enumerate() {
            // All evaluations take part in the first search.
            let layouts = P::INFO.layouts.iter().take(if number == 0 { usize::MAX } else { 1 });
            for layout in layouts {
                let ones = Weights::new("ones", layout, vec![1.0; layout.len()]);
                let spec = agents.parse(search, Path::new(""));
                let (Ok(ones), Ok(spec)) = (ones, spec) else { continue };
                let spec = if spec.kind.evaluates() { spec.with_weights(ones) } else { spec };
                choices(&agents, &spec, &positions, &mut hasher);
            }
        }
        hasher.finish()
    });
    hash.ok()
}

/// Three positions of a game of random moves. All of the game is hashed.
fn positions<P: Position>(rules: P::Rules, seed: u64, hasher: &mut FingerprintHasher) -> Vec<P> {
    const MOST_PLIES: usize = 200;
    let mut generator = generator(seed, Role::Opening);
    let mut game = vec![P::start(rules)];
    while let Some(position) = game.last().filter(|position| position.outcome().is_none())
        && game.len() < MOST_PLIES
    {
        let moves = position.legal_move_count();
        hasher.write_usize(moves);
        let mv = position.nth_legal_move(generator.random_range(0..moves));
        mv.hash(hasher);
        game.push(position.after(mv));
    }
    if let Some(last) = game.pop() {
        last.key().hash(hasher);
        last.outcome().hash(hasher);
    }
    let quarter = game.len() / 4;
    [1, 2, 3].into_iter().filter_map(|place| game.get(place * quarter).cloned()).collect()
}

/// Hashes what an agent chooses in positions. One that cannot play the game chooses nothing.
fn choices<P: Game>(
    agents: &Agents<P>,
    spec: &AgentSpec,
    positions: &[P],
    hasher: &mut FingerprintHasher,
) {
    let Ok(factory) = agents.prepare(spec) else { return };
    let mut agent = factory.spawn(0);
    for position in positions {
        let Ok(choice) = agent.choose(&Turn::new(position)) else { continue };
        choice.mv.hash(hasher);
        if let Some(Value::Weights(x) | Value::Share(x) | Value::Centipawns(x)) = choice.value {
            hasher.write_u64(x.to_bits());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::toy::{Toy, ToyRules};

    #[test]
    fn other_rules_have_another_hash() {
        let [all, straight] = [ToyRules::All, ToyRules::Straight].map(play_hash::<Toy>);
        assert_eq!(all, play_hash::<Toy>(ToyRules::default()));
        assert!(all.is_some() && straight.is_some() && all != straight);
    }
}
