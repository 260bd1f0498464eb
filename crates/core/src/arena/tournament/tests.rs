//! Tests of tournaments.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::agent::Agents;
use crate::arena::{MatchPlan, Threads};
use crate::testing::toy::{Rules, Toy};

fn plan(agents: &[&str], games: u64) -> TournamentPlan {
    let entrant = |text: &&str| Entrant {
        name: (*text).into(),
        agent: Agents::<Toy>::default().parse(text, Path::new("")).unwrap(),
    };
    TournamentPlan {
        name: "test".into(),
        game: "toy".into(),
        rules: Rules::default().to_string(),
        format: Format::RoundRobin,
        games,
        seed: 3,
        schedule: Schedule::Paired,
        openings: Openings::parse::<Toy>("random:4", Rules::default(), Path::new("")).unwrap(),
        replay_ties: false,
        entrants: agents.iter().map(entrant).collect(),
    }
}

fn tournament(plan: &TournamentPlan) -> Tournament {
    Tournament::new::<Toy>(plan, &Agents::default()).unwrap()
}

fn threads() -> Threads<Toy> {
    Threads::default()
}

#[test]
fn formats_say_who_plays_whom() {
    let robin = Format::RoundRobin;
    assert_eq!(robin.pairings(3, false), [[0, 1], [0, 2], [1, 2]]);
    assert_eq!(robin.pairings(3, true).len(), 6);
    assert_eq!(Format::Gauntlet.pairings(3, false), [[0, 1], [0, 2]]);
    assert_eq!(Format::Gauntlet.pairings(3, true), [[0, 1], [0, 2], [1, 0], [2, 0]]);
    for &name in Format::VARIANTS {
        assert_eq!(name.parse::<Format>().unwrap().to_string(), name);
    }
    assert!("knockout".parse::<Format>().unwrap_err().to_string().contains("Known"));
}

#[test]
fn a_pairing_is_the_match_between_its_agents() {
    let plan = plan(&["greedy", "random", "reflex"], 20);
    let tournament = tournament(&plan);
    let never = AtomicBool::new(false);
    let games = tournament.play(&threads(), None, &|| (), &never).unwrap();
    assert_eq!(games.len(), 60);
    for PairingResult { agents, result } in tournament.results(&games) {
        let of_match = MatchPlan {
            game: plan.game.clone(),
            rules: plan.rules.clone(),
            agents: agents.map(|agent| tournament.work.agents[agent].clone()),
            openings: plan.openings.clone(),
            settings: tournament.settings,
            sprt: None,
            detail: Detail::Costs,
        };
        let expected = of_match.play(&threads(), &|_| (), &never).unwrap();
        assert_eq!(result.summary.tally, expected.summary.tally);
        assert_eq!(result.summary.plies, expected.summary.plies);
        assert_eq!(result.pairs, expected.pairs);
        assert_eq!(result.distinct_games, expected.distinct_games);
    }
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
    // More agents or games, other names: the same games are among them.
    assert!(identities(&plan(&["greedy", "random", "reflex"], 4)).is_superset(&base));
    assert!(identities(&plan(&["random", "reflex"], 6)).is_superset(&base));
    let mut renamed = two.clone();
    renamed.entrants[0].name = "dice".into();
    assert_eq!(identities(&renamed), base);
    // The other order, seeds, rules, openings: other games.
    let change = |edit: &dyn Fn(&mut TournamentPlan)| {
        let mut other = two.clone();
        edit(&mut other);
        identities(&other)
    };
    for other in [
        identities(&plan(&["reflex", "random"], 4)),
        change(&|plan| plan.seed = 4),
        change(&|plan| plan.rules = "lines=straight".into()),
        change(&|plan| plan.openings = Openings::None),
        change(&|plan| plan.replay_ties = true),
        change(&|plan| plan.entrants[0].agent.habits.seed = Some(1)),
    ] {
        assert!(other.is_disjoint(&base));
    }
    // An agent against itself, thrice.
    assert_eq!(identities(&plan(&["random", "random", "random"], 4)).len(), 12);
}

#[test]
fn plans_that_cannot_be_played_are_refused() {
    let refused = |plan: &TournamentPlan| {
        Tournament::new::<Toy>(plan, &Agents::default()).unwrap_err().to_string()
    };
    assert!(refused(&plan(&["random"], 4)).contains("two agents, not 1"));
    assert!(refused(&plan(&["random", "reflex"], 3)).contains("an even number"));
    assert!(refused(&plan(&["random", "reflex"], 2_000_000)).contains("at most 1000000 games"));
    assert!(refused(&plan(&["minimax", "reflex"], 4)).contains("needs a depth"));
}

#[test]
fn games_of_the_log_are_not_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.csv");
    let tournament = tournament(&plan(&["greedy", "random"], 40));
    let log = GameLog::open(&path).unwrap();
    // Stopped after the tenth game.
    let (played, stop, never) = (AtomicU64::new(0), AtomicBool::new(false), AtomicBool::new(false));
    let ten = || stop.store(played.fetch_add(1, Ordering::Relaxed) >= 9, Ordering::Relaxed);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let stopped = pool.install(|| tournament.play(&threads(), Some(&log), &ten, &stop));
    assert!(matches!(stopped, Err(TournamentError::Stopped)));
    drop(log);
    let log = GameLog::open(&path).unwrap();
    assert_eq!(tournament.open_games(&log), 30);
    let rows = tournament.play(&threads(), Some(&log), &|| (), &never).unwrap();
    drop(log);
    let log = GameLog::open(&path).unwrap();
    assert_eq!(tournament.open_games(&log), 0);
    let again = tournament.play(&threads(), Some(&log), &|| panic!("a game was played"), &never);
    assert_eq!(again.unwrap(), rows);
}

#[test]
fn rows_whose_result_does_not_follow_from_the_moves_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.csv");
    let tournament = tournament(&plan(&["greedy", "random"], 4));
    let (log, never) = (GameLog::open(&path).unwrap(), AtomicBool::new(false));
    tournament.play(&threads(), Some(&log), &|| (), &never).unwrap();
    drop(log);
    let whole = std::fs::read_to_string(&path).unwrap();
    tournament.check(&GameLog::open(&path).unwrap()).unwrap();
    let heads: Vec<&str> = whole.lines().next().unwrap().split(',').collect();
    let column = |name: &str| heads.iter().position(|head| *head == name).unwrap();
    let line = whole.lines().nth(2).unwrap();
    let fields: Vec<&str> = line.split(',').collect();
    let won = fields[column("result")];
    for (name, value, expected) in [
        ("result", if won == "a" { "b" } else { "a" }, "the result does not follow"),
        ("result", if won == "draw" { "a" } else { "draw" }, "the result does not follow"),
        ("plies", "99", "plies: expected"),
        ("seed", "7", "are not those of the game with this identity"),
        ("forfeit", "timeout", ""),
    ] {
        let mut edited = fields.clone();
        edited[column(name)] = value;
        if won == "draw" && name == "forfeit" {
            continue;
        }
        std::fs::write(&path, whole.replacen(line, &edited.join(","), 1)).unwrap();
        let error = tournament.check(&GameLog::open(&path).unwrap()).unwrap_err().to_string();
        assert!(error.contains("games.csv:3: ") && error.contains(expected), "{error}");
    }
}
