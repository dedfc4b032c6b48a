"""Cross-validation of candidates that leaves out those that are clearly worse."""

import numpy as np

from lpgraph.infer.race import Race


def noisy(means, folds, items, calls):
    """Return scores that share the noise of the items, as those of classifiers do, and count calls."""
    shared = np.random.default_rng(0).standard_normal((folds, items))
    own = np.random.default_rng(1).standard_normal((len(means), folds, items)) / 5

    def scores(candidate, fold):
        calls.append((candidate, fold))
        return means[candidate] + shared[fold] + own[candidate, fold]

    return scores


def test_best_of_all_scores_is_found_and_clearly_worse_ones_are_left_out():
    calls = []
    # Standard errors of paired differences are 0.28 / 10 after one fold: 1 is 30 of them, 0.001 is none.
    scores = noisy([0.0, 1.0, 1.001], 5, 100, calls)
    race = Race(scores, 5)
    assert race.best([0, 1, 2]) == max((1, 2), key=lambda one: np.mean([scores(one, k) for k in range(5)]))
    assert calls.count((0, 0)) == 1
    assert (0, 1) not in calls
    assert {(1, 4), (2, 4)} <= set(calls)


def test_scores_are_computed_once_and_ties_are_won_by_the_first():
    calls = []
    race = Race(noisy([0.0, 0.1], 5, 100, calls), 5)
    assert race.best([0, 1]) == race.best([1, 0]) == 1
    assert len(calls) == len(set(calls))
    assert Race(lambda candidate, fold: np.ones(100), 5).best([3, 2, 1]) == 3


def test_few_items_leave_out_nothing():
    calls = []
    Race(noisy([0.0, 9.0], 4, 12, calls), 4).best([0, 1])  # at most 48 scores
    assert len(calls) == 8


def test_a_single_candidate_is_not_scored():
    calls = []
    assert Race(noisy([0.0], 5, 100, calls), 5).best([0]) == 0
    assert not calls
