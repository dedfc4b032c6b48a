"""A few hundred mutated models; ``python -m fuzz.models`` runs more."""

from fuzz.harness import hunt
from fuzz.models import TURN, corpus, harmless, stored, trial
from fuzz.zoo import models

#: Some models by turns, and some mutations of each.
_TURNS, _EACH = (0, 4, 9, 21, 53), 20


def test_mutated_models_are_refused_or_can_be_used():
    seeds = [turn * TURN + k for turn in _TURNS for k in range(_EACH)]
    assert hunt(trial, seeds) == []


def test_files_that_did_harm_are_refused():
    assert len(corpus()) == 20
    assert hunt(harmless, range(len(corpus()))) == []


def test_every_class_of_models_is_in_the_zoo():
    from lpgraph.saved import _class_names
    from lpgraph.saved.classes import _HOME, _public, model_fits
    from lpgraph.saved.invariants import _RULES

    assert {*_HOME, *_public(), *model_fits()} <= set(_RULES)
    inside = set()
    for number in range(len(models())):
        inside |= _class_names(stored(number).tree)
    assert set(_RULES) <= inside


def test_a_damaged_file_differs():
    import numpy as np
    from fuzz.models import damaged

    content = stored(0).content
    assert all(damaged(content, np.random.default_rng(seed)) != content for seed in range(50))
