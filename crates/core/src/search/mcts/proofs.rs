//! Proofs: positions whose result is known, since the moves below them end the game.

use super::tree::{Node, Proof, Tree};
use crate::game::{Outcome, Player};

/// Marks a child whose move ended the game.
pub(super) fn mark_end(parent: &Node, child: &Node, outcome: Option<Outcome>, mover: Player) {
    match outcome {
        None => {}
        Some(Outcome::Draw) => child.prove(Proof::Draw),
        Some(Outcome::Win(winner)) if winner == mover => {
            child.prove(Proof::Win);
            parent.set_has_win();
        }
        Some(Outcome::Win(_)) => child.prove(Proof::Loss),
    }
}

/// Updates the proofs of a leaf's ancestors.
pub(super) fn back_up_proofs(tree: &Tree, path: &[&Node]) {
    for pair in path.windows(2).rev() {
        let [parent, child] = [pair[0], pair[1]];
        match child.proof() {
            Proof::Open => return,
            Proof::Win => {
                parent.set_has_win();
                parent.prove(Proof::Loss);
            }
            Proof::Draw | Proof::Loss => {
                let children = tree.children(parent);
                if children.iter().any(|child| child.proof() == Proof::Open) {
                    return;
                }
                let drawn = children.iter().any(|child| child.proof() == Proof::Draw);
                parent.prove(if drawn { Proof::Draw } else { Proof::Win });
            }
        }
    }
}
