//! A slow and simple implementation of Monte Carlo tree search. Nodes hold their positions and are
//! stored in a vector, sums are floating-point numbers, and playouts choose each move from a list.
//!
//! It was written from Liang's text (chapters 3 and 4), DESIGN ("Liang's setting", 9), Cazenave
//! 2015 for GRAVE, and the documentation of `MctsParameters`.
#![allow(unreachable_pub, reason = "shared among test crates")]

use std::collections::HashMap;

use rand::{Rng, RngExt};
use tictune::game::{Evaluator, Outcome, Player, Position, Score};
use tictune::games::uttt::{Uttt, UtttMove};
use tictune::search::mcts::{
    Expansion, ExpansionOrder, FinalMove, Judge, MctsParameters, Playout, RewardView, Tree,
    WonChild,
};
use tictune::seed::Generator;

/// Visits and rewards, from the view of the player who makes the move.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    visits: f64,
    reward: f64,
}

impl Sums {
    fn mean(self) -> f64 {
        self.reward / self.visits
    }
}

/// A node; the root has no move unless it was kept from another search.
struct Node {
    position: Uttt,
    /// The move that led here, and the player who made it.
    mv: Option<(Player, UtttMove)>,
    sums: Sums,
    /// All-moves-as-first sums for RAVE.
    amaf: Sums,
    /// Sums of all moves below, by player, for GRAVE.
    below: HashMap<(Player, UtttMove), Sums>,
    /// The indices of the children, in generation order.
    children: Vec<usize>,
    /// Whether the child is in the tree. With one child added in each iteration, later children wait.
    made: bool,
    /// The known result, if the game is over or the solver has proven it.
    known: Option<Outcome>,
}

/// A search on one thread.
pub struct Twin<'t, E> {
    pub settings: &'t MctsParameters,
    evaluator: &'t E,
    generator: Generator,
    nodes: Vec<Node>,
    root: usize,
}

type Moves = Vec<(Player, UtttMove)>;

/// A child of the root: move, visits, reward, and 1, 0 or -1 if it is proven to win, draw or lose.
pub type Child = (UtttMove, f64, f64, Option<i8>);

impl<'t, E: Evaluator<Uttt>> Twin<'t, E> {
    pub fn new(
        settings: &'t MctsParameters,
        evaluator: &'t E,
        generator: Generator,
        position: &Uttt,
    ) -> Self {
        let mut twin = Self { settings, evaluator, generator, nodes: Vec::new(), root: 0 };
        twin.add_node(*position, None);
        twin
    }

    /// Goes on from a position with what the last search knows of it, or with nothing.
    pub fn go_on(&mut self, position: &Uttt, generator: Generator) {
        self.generator = generator;
        let children = |node: usize| self.nodes[node].children.clone();
        let mut below = vec![self.root];
        below.extend(children(self.root));
        below.extend(children(self.root).into_iter().flat_map(children));
        let known = |node: &Node| node.position == *position && node.sums.visits > 0.0;
        match below.into_iter().find(|&node| known(&self.nodes[node])) {
            Some(node) => self.root = node,
            None => self.root = self.add_node(*position, None),
        }
    }

    /// Iterates, with the solver until the result is proven. Returns the number of iterations and whether it is proven.
    pub fn run(&mut self, iterations: u64) -> (u64, bool) {
        let mut done = 0;
        while done < iterations && !self.is_settled(self.root) {
            self.iterate();
            done += 1;
        }
        (done, self.is_settled(self.root))
    }

    /// The children of the root that were visited.
    pub fn children(&self) -> Vec<Child> {
        let side = self.nodes[self.root].position.side_to_move();
        let children = self.nodes[self.root].children.iter().map(|&child| &self.nodes[child]);
        let visited = children.filter(|child| child.sums.visits > 0.0);
        let proven = |outcome| match outcome {
            Outcome::Draw => 0,
            Outcome::Win(winner) if winner == side => 1,
            Outcome::Win(_) => -1,
        };
        let child = |child: &Node| {
            let (_, mv) = child.mv.expect("a child has a move");
            (mv, child.sums.visits, child.sums.reward, child.known.map(proven))
        };
        visited.map(child).collect()
    }

    fn add_node(&mut self, position: Uttt, mv: Option<(Player, UtttMove)>) -> usize {
        self.nodes.push(Node {
            known: position.outcome(),
            position,
            mv,
            sums: Sums::default(),
            amaf: Sums::default(),
            below: HashMap::new(),
            children: Vec::new(),
            made: false,
        });
        self.nodes.len() - 1
    }

    fn iterate(&mut self) {
        let mut path = vec![self.root];
        loop {
            let here = path[path.len() - 1];
            if self.is_settled(here) {
                break;
            }
            let leaf = self.nodes[here].children.is_empty();
            if leaf {
                self.add_children(here);
            }
            let next = self.next_unmade(here);
            let child = next.unwrap_or_else(|| self.select(&path));
            if next.is_some() && self.settings.expansion == Expansion::OneHeuristic {
                self.initialise(child, self.nodes[here].position.side_to_move());
            }
            self.nodes[child].made = true;
            path.push(child);
            if next.is_some() || leaf {
                break;
            }
        }
        let (rewards, played) = self.simulate(path[path.len() - 1]);
        self.update_amaf(&path, rewards, &played);
        for &node in &path {
            let reward = self.nodes[node].mv.map_or(0.0, |(player, _)| rewards[player.index()]);
            self.nodes[node].sums.visits += 1.0;
            self.nodes[node].sums.reward += reward;
        }
        if self.settings.solver {
            path.iter().rev().skip(1).for_each(|&node| self.solve(node));
        }
    }

    /// Whether an iteration ends here because the result is known.
    fn is_settled(&self, node: usize) -> bool {
        let Node { position, known, .. } = &self.nodes[node];
        position.outcome().is_some() || self.settings.solver && known.is_some()
    }

    fn add_children(&mut self, parent: usize) {
        let position = self.nodes[parent].position;
        let side = position.side_to_move();
        for mv in position.legal_moves().collect::<Vec<_>>() {
            let child = self.add_node(position.after(mv), Some((side, mv)));
            self.nodes[parent].children.push(child);
            if self.settings.expansion == Expansion::Heuristic {
                self.initialise(child, side);
            }
        }
    }

    /// Heuristic node initialisation (4.4.2).
    fn initialise(&mut self, child: usize, side: Player) {
        let MctsParameters { bias, confidence, amaf_confidence, .. } = *self.settings;
        let offset = self.settings.offset.unwrap_or(0.0);
        let view = match self.settings.view {
            RewardView::Mover => side,
            RewardView::Root => self.nodes[0].position.side_to_move(),
        };
        let node = &mut self.nodes[child];
        let value = match node.position.outcome() {
            Some(Outcome::Draw) => 0.0,
            Some(Outcome::Win(winner)) if winner == view => offset,
            Some(Outcome::Win(_)) => -offset,
            None => {
                let state = self.evaluator.state(&node.position);
                let score = self.evaluator.score(&state, &node.position).seen_by(view);
                f64::from(score.0) / self.evaluator.scale()
            }
        };
        let q = ((value + offset) * bias).max(0.0);
        let reward = (q * 1_048_576.0).floor() / 1_048_576.0;
        node.made = true;
        node.sums = Sums { visits: (q * confidence).floor(), reward };
        if self.settings.tree == Tree::Rave {
            node.amaf = Sums { visits: (q * amaf_confidence).floor(), reward };
        }
    }

    /// A child in the tree that wins at once, if such children come first.
    fn winning_child(&self, parent: usize) -> Option<usize> {
        if self.settings.won_child == WonChild::ByValue && !self.settings.solver {
            return None;
        }
        let win = Some(Outcome::Win(self.nodes[parent].position.side_to_move()));
        let mut made = self.nodes[parent].children.iter().filter(|&&child| self.nodes[child].made);
        made.find(|&&child| self.nodes[child].position.outcome() == win).copied()
    }

    fn next_unmade(&mut self, parent: usize) -> Option<usize> {
        if self.winning_child(parent).is_some() {
            return None;
        }
        let children = self.nodes[parent].children.iter().copied();
        let left: Vec<usize> = children.filter(|&child| !self.nodes[child].made).collect();
        match self.settings.expansion_order {
            ExpansionOrder::Random if !left.is_empty() => {
                Some(left[self.generator.random_range(0..left.len() as u32) as usize])
            }
            _ => left.first().copied(),
        }
    }

    /// The child with the greatest value, the first of several.
    fn select(&self, path: &[usize]) -> usize {
        let parent = path[path.len() - 1];
        if let Some(child) = self.winning_child(parent) {
            return child;
        }
        let side = self.nodes[parent].position.side_to_move();
        let children = &self.nodes[parent].children;
        let (mut best, mut highest) = (children[0], f64::NEG_INFINITY);
        for &child in children {
            let node = &self.nodes[child];
            if self.settings.solver && node.known == Some(Outcome::Win(side.other())) {
                continue;
            }
            if node.sums.visits == 0.0 {
                return child;
            }
            let amaf = match self.settings.tree {
                Tree::Uct => Sums::default(),
                Tree::Rave => node.amaf,
                Tree::Grave => {
                    let enough = f64::from(self.settings.reference);
                    let visited = |&&node: &&usize| self.nodes[node].sums.visits >= enough;
                    let reference = path.iter().rev().find(visited).unwrap_or(&path[0]);
                    let key = node.mv.expect("a child has a move");
                    self.nodes[*reference].below.get(&key).copied().unwrap_or_default()
                }
            };
            let value = self.value(node.sums, amaf, self.nodes[parent].sums.visits);
            if value > highest {
                (best, highest) = (child, value);
            }
        }
        best
    }

    /// The UCT value (4.3.1), with AMAF values (4.3.2) if there are any.
    fn value(&self, child: Sums, amaf: Sums, t: f64) -> f64 {
        let MctsParameters { exploration, rave, .. } = *self.settings;
        // This logarithm gives the same result on every machine.
        let explore = exploration * (libm::log(t.max(1.0)) / child.visits).sqrt();
        if amaf.visits == 0.0 {
            return child.mean() + explore;
        }
        let beta = amaf.visits / (child.visits + amaf.visits + rave * child.visits * amaf.visits);
        (1.0 - beta) * child.mean() + beta * amaf.mean() + explore
    }

    /// The rewards of the first and the second player for a result.
    fn rewards(&self, outcome: Outcome) -> [f64; 2] {
        match outcome {
            Outcome::Draw => [self.settings.draw; 2],
            Outcome::Win(winner) => {
                Player::BOTH.map(|player| f64::from(u8::from(winner == player)))
            }
        }
    }

    /// The rewards of a simulation from a leaf, and its moves.
    fn simulate(&mut self, leaf: usize) -> ([f64; 2], Moves) {
        if self.is_settled(leaf) {
            let known = self.nodes[leaf].known.expect("settled");
            return (self.rewards(known), Moves::new());
        }
        let MctsParameters { playout, threshold, influence, .. } = *self.settings;
        let mut position = self.nodes[leaf].position;
        let mut played = Moves::new();
        let total = playout == Playout::Total && self.generator.random_bool(influence);
        loop {
            if let Some(outcome) = position.outcome() {
                return (self.rewards(outcome), played);
            }
            let early = matches!(playout, Playout::Ept | Playout::EptWinFirst);
            if early && played.len() == threshold as usize {
                return (self.judge(&position), played);
            }
            let side = position.side_to_move();
            let win = |mv: &UtttMove| position.after(*mv).outcome() == Some(Outcome::Win(side));
            let preferred = match playout {
                Playout::Random | Playout::Ept => None,
                Playout::WinFirst | Playout::EptWinFirst => position.legal_moves().find(win),
                Playout::Partial if self.generator.random_bool(influence) => {
                    Some(self.greedy_move(&position))
                }
                Playout::Total if total => Some(self.greedy_move(&position)),
                Playout::Partial | Playout::Total => None,
            };
            let mv = preferred.unwrap_or_else(|| {
                let moves: Vec<UtttMove> = position.legal_moves().collect();
                moves[((u64::from(self.generator.next_u32()) * moves.len() as u64) >> 32) as usize]
            });
            position.play(mv).expect("a legal move");
            played.push((side, mv));
        }
    }

    /// Early playout termination (3.3.2).
    fn judge(&self, position: &Uttt) -> [f64; 2] {
        let score = self.evaluator.score(&self.evaluator.state(position), position);
        let value = f64::from(score.0) / self.evaluator.scale();
        let boundary = self.settings.boundary;
        match self.settings.judge {
            Judge::Boundary => self.rewards(if value > boundary {
                Outcome::Win(Player::First)
            } else if value < -boundary {
                Outcome::Win(Player::Second)
            } else {
                Outcome::Draw
            }),
            Judge::Sigmoid if value == 0.0 => [0.5; 2],
            Judge::Sigmoid => {
                let graded = value / (value * value + boundary * boundary).sqrt();
                // Rewards are integers in the unit of the search.
                let unit = f64::from(1 << 20);
                let first = ((0.5 + 0.5 * graded) * unit).floor() / unit;
                [first, 1.0 - first]
            }
        }
    }

    /// The move to the best value. The n-th of several equal moves replaces the one before with probability 1/n.
    fn greedy_move(&mut self, position: &Uttt) -> UtttMove {
        let side = position.side_to_move();
        let value = |after: &Uttt| match after.outcome() {
            Some(outcome) => Score::of_outcome(outcome, side),
            None => self.evaluator.score(&self.evaluator.state(after), after).seen_by(side),
        };
        let mut best: Option<(Score, UtttMove, u32)> = None;
        for mv in position.legal_moves() {
            let value = value(&position.after(mv));
            best = match best {
                Some((highest, kept, ties)) if value == highest => {
                    let ties = ties + 1;
                    let taken = self.generator.random_range(0..ties) == 0;
                    Some((highest, if taken { mv } else { kept }, ties))
                }
                Some(kept) if value < kept.0 => Some(kept),
                _ => Some((value, mv, 1)),
            };
        }
        best.expect("a game that is not over has moves").1
    }

    fn update_amaf(&mut self, path: &[usize], rewards: [f64; 2], played: &Moves) {
        for (depth, pair) in path.windows(2).enumerate() {
            let [parent, chosen] = [pair[0], pair[1]];
            match self.settings.tree {
                Tree::Uct => {}
                Tree::Rave => {
                    for child in self.nodes[parent].children.clone() {
                        let (player, mv) = self.nodes[child].mv.expect("a child has a move");
                        let seen = self.nodes[child].sums.visits > 0.0;
                        if child == chosen || seen && played.contains(&(player, mv)) {
                            self.nodes[child].amaf.visits += 1.0;
                            self.nodes[child].amaf.reward += rewards[player.index()];
                        }
                    }
                }
                Tree::Grave => {
                    let in_tree = path[depth + 1..].iter().filter_map(|&node| self.nodes[node].mv);
                    for key in in_tree.chain(played.iter().copied()).collect::<Vec<_>>() {
                        let sums = self.nodes[parent].below.entry(key).or_default();
                        sums.visits += 1.0;
                        sums.reward += rewards[key.0.index()];
                    }
                }
            }
        }
    }

    /// Proves a node by its children, if possible.
    fn solve(&mut self, node: usize) {
        let side = self.nodes[node].position.side_to_move();
        let children = self.nodes[node].children.iter().map(|&child| &self.nodes[child]);
        let known: Vec<Option<Outcome>> =
            children.map(|child| child.known.filter(|_| child.made)).collect();
        let best = [Outcome::Win(side), Outcome::Draw, Outcome::Win(side.other())]
            .into_iter()
            .find(|&outcome| known.contains(&Some(outcome)));
        if best == Some(Outcome::Win(side)) || !known.contains(&None) {
            self.nodes[node].known = best;
        }
    }

    /// The moves that are equally good by the rule for the final move, in generation order (4.3; Sista 2.1.2).
    pub fn final_moves(&self) -> Vec<UtttMove> {
        let side = self.nodes[self.root].position.side_to_move();
        let children = self.nodes[self.root].children.iter().map(|&child| &self.nodes[child]);
        let visited: Vec<&Node> = children.filter(|child| child.sums.visits > 0.0).collect();
        let rank = |child: &Node| match child.known {
            Some(Outcome::Win(winner)) => {
                if winner == side {
                    2
                } else {
                    0
                }
            }
            _ => 1,
        };
        let best = visited.iter().map(|child| rank(child)).max();
        let pool: Vec<&Node> =
            visited.into_iter().filter(|child| Some(rank(child)) == best).collect();
        let greatest = |pool: &[&Node], value: &dyn Fn(&Node) -> f64| -> Vec<UtttMove> {
            let highest = pool.iter().map(|child| value(child)).fold(f64::MIN, f64::max);
            let best = pool.iter().filter(|child| value(child) == highest);
            best.map(|child| child.mv.expect("a child has a move").1).collect()
        };
        let robust = greatest(&pool, &|child| child.sums.visits);
        let max = greatest(&pool, &|child| child.sums.reward);
        let beta = |child: &Node| {
            let (n, n_amaf) = (child.sums.visits, child.amaf.visits);
            if n_amaf == 0.0 {
                0.0
            } else {
                n_amaf / (n + n_amaf + self.settings.rave * n * n_amaf)
            }
        };
        let weighed = |child: &Node, part: fn(Sums) -> f64| {
            (1.0 - beta(child)) * part(child.sums) + beta(child) * part(child.amaf)
        };
        let both = |robust: Vec<UtttMove>, max: Vec<UtttMove>| {
            let both: Vec<_> = robust.iter().copied().filter(|mv| max.contains(mv)).collect();
            if both.is_empty() { robust } else { both }
        };
        match self.settings.final_move {
            FinalMove::Robust => robust,
            FinalMove::Max => max,
            FinalMove::LeastLosses => {
                greatest(&pool, &|child| -(child.sums.visits - child.sums.reward))
            }
            FinalMove::MaxRobustRave => both(
                greatest(&pool, &|child| weighed(child, |sums| sums.visits)),
                greatest(&pool, &|child| weighed(child, |sums| sums.reward)),
            ),
            FinalMove::MaxRobust => both(robust, max),
            FinalMove::Ratio => {
                let least = f64::from(self.settings.min_visits);
                let enough: Vec<&Node> =
                    pool.iter().copied().filter(|child| child.sums.visits >= least).collect();
                let best = greatest(&enough, &|child| child.sums.mean());
                let is_best = |child: &&Node| best.contains(&child.mv.expect("a move").1);
                let best: Vec<&Node> = enough.iter().copied().filter(is_best).collect();
                if best.is_empty() { robust } else { greatest(&best, &|child| child.sums.visits) }
            }
        }
    }
}
