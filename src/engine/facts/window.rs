//! Windows over one signal, kept up to date reading by reading.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::bag::Bag;
use super::statistic::statistic;
use crate::engine::syntax::ast::StatKind;
use crate::engine::value::Ratio;

/// The numbers of a window. Extremes of a sliding time have a queue of their own, since they are asked for at
/// every reading; a queue that only falls (or rises) costs O(1) a reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Content {
    /// Any statistic.
    Bag(Bag),
    /// Largest or smallest: candidates by place, best first.
    Extreme {
        /// True for the largest.
        largest: bool,
        /// Place and number; numbers fall (or rise) strictly.
        queue: VecDeque<(i64, i64)>,
        /// How many readings are inside.
        len: usize,
    },
    /// Only how many and how much.
    Sum {
        /// The sum.
        sum: i128,
        /// How many.
        len: usize,
    },
}

impl Content {
    pub(super) fn new(kind: StatKind, sliding: bool) -> Self {
        match kind {
            StatKind::Max | StatKind::Min if sliding => {
                Self::Extreme { largest: kind == StatKind::Max, queue: VecDeque::new(), len: 0 }
            }
            StatKind::Mean | StatKind::Sum | StatKind::Count | StatKind::Last => Self::Sum { sum: 0, len: 0 },
            _ => Self::Bag(Bag::default()),
        }
    }

    /// Adds a number whose place is after all others.
    pub(super) fn push(&mut self, place: i64, number: i64) {
        match self {
            Self::Bag(bag) => bag.insert(number),
            Self::Extreme { largest, queue, len } => {
                while queue
                    .back()
                    .is_some_and(|(_, last)| if *largest { *last <= number } else { *last >= number })
                {
                    queue.pop_back();
                }
                queue.push_back((place, number));
                *len = len.saturating_add(1);
            }
            Self::Sum { sum, len } => {
                *sum = sum.saturating_add(i128::from(number));
                *len = len.saturating_add(1);
            }
        }
    }

    /// Takes out the number with the first place.
    pub(super) fn pop(&mut self, place: i64, number: i64) {
        match self {
            Self::Bag(bag) => {
                bag.remove(number);
            }
            Self::Extreme { queue, len, .. } => {
                if queue.front().is_some_and(|(first, _)| *first <= place) {
                    queue.pop_front();
                }
                *len = len.saturating_sub(1);
            }
            Self::Sum { sum, len } => {
                *sum = sum.saturating_sub(i128::from(number));
                *len = len.saturating_sub(1);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bag(bag) => bag.len(),
            Self::Extreme { len, .. } | Self::Sum { len, .. } => *len,
        }
    }

    pub(super) fn value(&self, kind: StatKind, newest: Option<i64>, scale: u8) -> Option<Ratio> {
        match self {
            Self::Bag(bag) => statistic(kind, bag, newest, scale),
            Self::Extreme { queue, .. } => queue.front().map(|(_, number)| Ratio::whole(*number)),
            Self::Sum { sum, len } => match kind {
                StatKind::Count => i64::try_from(*len).ok().map(Ratio::whole),
                _ if *len == 0 => None,
                StatKind::Last => newest.map(Ratio::whole),
                StatKind::Sum => Ratio::new(*sum, 1),
                _ => Ratio::new(*sum, i128::try_from(*len).ok()?),
            },
        }
    }

    /// The value where it is known at once; `None` where it must be taken as changed.
    pub(super) fn value_hint(&self) -> Option<i64> {
        match self {
            Self::Extreme { queue, .. } => queue.front().map(|(_, number)| *number),
            Self::Bag(_) | Self::Sum { .. } => None,
        }
    }

    /// The place at whose leaving the value can change.
    pub(super) fn decisive(&self, first: Option<i64>) -> Option<i64> {
        match self {
            Self::Extreme { queue, .. } => queue.front().map(|(place, _)| *place),
            Self::Bag(_) | Self::Sum { .. } => first,
        }
    }
}
