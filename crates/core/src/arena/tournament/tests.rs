use std::collections::HashSet;
use std::path::Path;

use super::*;
use crate::agent::Agents;
use crate::testing::toy::{Toy, ToyRules};

fn plan(agents: &[&str], games: u64) -> TournamentPlan {
    let entrant = |text: &&str| Entrant {
        name: (*text).into(),
        agent: Agents::<Toy>::default().parse(text, Path::new("")).unwrap(),
    };
    TournamentPlan {
        name: "test".into(),
        game: "toy".into(),
        rules: ToyRules::default().to_string(),
        format: TournamentFormat::RoundRobin,
        settings: MatchSettings { games, seed: 3, schedule: Schedule::Paired, replay_ties: false },
        openings: Openings::parse::<Toy>("random:4", ToyRules::default(), Path::new("")).unwrap(),
        entrants: agents.iter().map(entrant).collect(),
    }
}

fn tournament(plan: &TournamentPlan) -> Tournament {
    Tournament::new::<Toy>(plan, &Agents::default()).unwrap()
}

#[test]
fn formats_say_who_plays_whom() {
    let (robin, gauntlet) = (TournamentFormat::RoundRobin, TournamentFormat::Gauntlet);
    assert_eq!(robin.pairings(3, false), [[0, 1], [0, 2], [1, 2]]);
    assert_eq!(robin.pairings(3, true).len(), 6);
    assert_eq!(gauntlet.pairings(3, false), [[0, 1], [0, 2]]);
    assert_eq!(gauntlet.pairings(3, true), [[0, 1], [0, 2], [1, 0], [2, 0]]);
}

#[test]
fn identities_are_of_games_not_of_tournaments() {
    let identities = |plan: &TournamentPlan| -> HashSet<String> {
        let tournament = tournament(plan);
        (0..tournament.games()).map(|game| tournament.identity(game)).collect()
    };
    let two = plan(&["random", "reflex"], 4);
    let base = identities(&two);
    assert_eq!(base.len(), 4);
    // The other order, seeds, rules, openings: other games.
    let change = |edit: &dyn Fn(&mut TournamentPlan)| {
        let mut other = two.clone();
        edit(&mut other);
        identities(&other)
    };
    for other in [
        identities(&plan(&["reflex", "random"], 4)),
        change(&|plan| plan.settings.seed = 4),
        change(&|plan| plan.rules = "lines=straight".into()),
        change(&|plan| plan.openings = Openings::None),
        change(&|plan| plan.settings.replay_ties = true),
        change(&|plan| plan.entrants[0].agent.common.seed = Some(1)),
    ] {
        assert!(other.is_disjoint(&base));
    }
    // An agent against itself, thrice.
    assert_eq!(identities(&plan(&["random", "random", "random"], 4)).len(), 12);
}
