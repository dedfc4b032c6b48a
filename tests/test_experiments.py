"""The paper's experiments with the figures they must show; minutes each: ``pytest -m slow``."""

import importlib
import os
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
needs_data = pytest.mark.skipif("LPGRAPH_DATA" not in os.environ, reason="LPGRAPH_DATA is not set")
pytestmark = pytest.mark.slow


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run an example's main; its report goes to LPGRAPH_RESULTS, or to a temporary folder."""
    folder = Path(os.environ.get("LPGRAPH_RESULTS", tmp_path))
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def run(name):
        monkeypatch.setitem(sys.modules, "_report", importlib.import_module("_report"))
        monkeypatch.setattr(sys.modules["_report"], "RESULTS", folder)
        monkeypatch.setattr(sys, "argv", [f"{name}.py"])
        result = importlib.import_module(name).main()
        assert (folder / f"{name}.md").stat().st_size > 0
        assert result is None or len(result)
        return result

    return run


def test_theorems_2_and_4(run):
    rows, slopes = run("theorem_rates")
    for found in slopes.values():
        # Largest errors after the log factor, in and out of sample, then mean squares. A maximum over a thousand
        # vertices varies by about 10 % from draw to draw; over five sizes, each twice the last, slopes vary by
        # 0.1 / (log 2 sqrt(10)) = 0.046: three of these. Mean squares vary by 2 % at most.
        assert np.abs(np.array(found[:2]) + 0.5).max() <= 0.14
        assert np.abs(np.array(found[2:]) + 0.5).max() <= 0.03
    assert max(row["out / in"] for row in rows) <= 1.25


def test_orders_along_curves(run):
    rows, whole, held_out = run("manifold_of_networks")
    for row in rows:
        # The errors of ranks of both kinds of vertices against those of an efficient estimator.
        lost = 1 - float(row["bound"])
        assert 1 - float(row["known vertices"]) < 3 * lost
        assert 1 - float(row["new vertices"]) < 3 * lost
        if row["mean degree"] == 300:
            assert float(row["least"]) >= 0.99
    assert whole > 0.85
    assert np.mean(held_out) > 0.8


def test_figure_1(run):
    inside, outside = run("quadrant")
    best = outside.argmin()
    assert outside[best] - inside[best] < 0.02
    assert max(inside[best], outside[best]) < 0.05


@needs_data
def test_table_1(run):
    rows = run("abalone")
    inside = rows[0]["error"]
    assert inside <= 0.375
    for row in rows[1:]:
        if row["m"] >= 1400:
            assert row["error"] <= 0.395
            assert row["error"] - inside <= 0.03


@needs_data
def test_which_vertices_to_embed(run, monkeypatch):
    example = importlib.import_module("landmark_vertices")
    monkeypatch.setattr(example, "REPEATS", 3)
    monkeypatch.setattr(example, "SIZES", (600, 1400))
    rows, dblp, blocks, _ = run("landmark_vertices")
    inside = float(rows[0]["degree"].split()[0])
    for row in rows[1:]:
        for rule in example.RULES:
            # Three partitions, whose errors differ by about 0.012; draws by the degrees are worse by about 0.01.
            most = 0.05 if rule == "uniform" else 0.07
            assert float(row[rule].split()[0]) - inside < most
    for table in (dblp, blocks):
        for row in table[1:]:
            assert float(row["error"]) >= float(table[0]["error"]) - 1e-4
    # In dense networks a part saves most of the time.
    tenth = next(row for row in blocks if row["m"] == 2000 and row["rule"] == "degree")
    assert tenth["seconds"] < blocks[0]["seconds"] / 2
    assert float(tenth["error"]) < 1.01 * float(blocks[0]["error"])


def test_figure_2(run):
    assert run("charity")["p-value"] <= 1e-3


def test_unobserved_pairs(run):
    # Standard errors of the ratios are at most 0.014; at a mean degree of 100, theory has 0.95 for the two blocks.
    for row in run("unobserved_pairs"):
        assert row["probabilities"] < 1
        assert row["positions"] < 1
        assert row["probabilities"] < 1.01 * row["without penalty"]
        if row["mean degree"] >= 100:
            assert row["probabilities"] < (0.95 if row["hidden"] == "random" else 0.5)
            # The bound is that of one network. The fit does not weight pairs by their variances.
            assert 0.9 < row["probabilities"] / row["bound"] < 1.2


def test_one_step(run):
    for row in run("one_step"):
        assert row["one step / bound"] < 1.01 * row["ASE / bound"]
        if row["n"] == 5000:
            assert row["one step / bound"] < 1.05
            assert abs(row["coverage of 95 %"] - 0.95) < 0.01


@needs_data
def test_real_networks(run):
    floors = {"polblogs": (0.925, 0.94), "email": (0.61, 0.70)}
    for row in run("real_networks"):
        adjacency, laplacian = floors[row["network"][: 8 if row["network"].startswith("polblogs") else 5]]
        floor = adjacency if row["embedding"].startswith("Adjacency") else laplacian
        assert row["accuracy out-of-sample"] >= floor


@needs_data
def test_isomap_finds_light_and_pose(run):
    floors = {"light": (0.87, 0.90), "pose, horizontal": (0.98, 0.98), "pose, vertical": (0.83, 0.89)}
    for row in run("faces_isomap"):
        linear, quadratic = floors[row["parameter"]]
        assert row["R2, linear"] >= linear
        assert row["R2, quadratic"] >= quadratic


def test_held_out_loss_falls_to_the_training_loss(run):
    rows = run("held_out_loss")
    for method in {row["method"] for row in rows}:
        curve = [row for row in rows if row["method"] == method]
        gaps = [abs(row["held-out loss"] - row["training loss"]) for row in curve]
        assert gaps[-1] < 0.1 * curve[-1]["training loss"]
        # Not relative to the loss, which is huge where Isomap's paths jump, as among 200 points of the roll.
        assert gaps[-1] < gaps[0]


@needs_data
def test_figure_2_of_the_manifold_papers(run):
    crossings = {row["method"]: row["crosses zero at"] for row in run("figure_2") if row["data"] == "faces"}
    # With the default regulariser LLE's crossing is near 0.4 %: there one point exchanged in 250 already moves the
    # others farther than the extension misses.
    assert 0.2 <= float(crossings.pop("LLE").rstrip("%")) <= 0.7
    for crossing in crossings.values():
        assert 0.5 <= float(crossing.rstrip("%")) <= 5.0


def test_the_landmark_program_agrees_with_cvxopt(run):
    rows = run("sde_check")
    for row in rows:
        # The optimum is above our trace by at most the certified gap, and within CVXOPT's gap of its trace; 1e-5
        # allows for CVXOPT's infeasibility. Its status varies with BLAS where its last digits are not reached.
        difference, gap = float(row["CVXOPT: trace relative to ours"]), float(row["CVXOPT: gap"].split()[0])
        assert gap <= 1e-3
        assert -gap - 1e-5 <= difference <= float(row["certified gap"]) + gap + 1e-5
    assert max(row["n"] for row in rows) == 2000


@needs_data
def test_teapots_lie_on_a_circle(run):
    found = {row["method"]: row for row in run("teapots")}
    for method in ("SDE", "SDE, 20 landmarks"):
        assert float(found[method]["variance in two dimensions"]) > 0.99
        assert found[method]["neighbours in angle kept"] == 1
        assert found[method]["radius, relative deviation"] < 0.1
    assert found["LLE"]["neighbours in angle kept"] < 0.9
    assert found["SDE, short circuit"]["radius, relative deviation"] > 0.3


@needs_data
def test_digits_need_few_dimensions(run):
    rows = {row["dimensions"]: row for row in run("usps_sde")}
    sde = rows[4]["SDE, m = 10, r = 12"]
    assert sde < 0.09
    assert rows[9]["PCA"] > sde
    assert rows[12]["PCA"] <= sde


def test_swiss_rolls_unroll(run):
    for row in run("swiss_roll_sde"):
        if row["landmarks"] in (20, 40, 100):
            assert float(row["correlation with length"]) > 0.9999
            assert float(row["with height"]) > 0.999
        elif row["landmarks"] == "all, soft" and (row["k"] == 5 or row["sample"] == "even"):
            assert float(row["correlation with length"]) > 0.999
            assert float(row["with height"]) > 0.999


@needs_data
def test_covariates(run):
    if not (Path(os.environ["LPGRAPH_DATA"]) / "cora" / "cora.content").exists():
        pytest.skip("LPGRAPH_DATA has no words of the papers of Cora")
    rows = {(row["network"], row["by"]): row for row in run("covariates")}
    both, words, edges = (rows["cora", by] for by in ("both, balance (default)", "words alone", "edges alone"))
    for column in ("adjusted Rand index", "accuracy of clusters", "accuracy of classes"):
        found = [float(row[column].split(" ")[0]) for row in (both, words, edges)]
        # Standard errors are at most 0.005.
        assert found[0] > max(found[1:]) + 0.03


def test_streams_raise_alarms_with_the_stated_probability(run, monkeypatch):
    module = importlib.import_module("drift")
    monkeypatch.setattr(module, "STREAMS", 200)
    monkeypatch.setattr(module, "NETWORKS", {"football": 7, "polblogs": 4} if "LPGRAPH_DATA" in os.environ else {})
    rates, powers = run("drift")
    for row in rates:
        # At most 0.05, with a binomial standard error of 0.0154 for 200 streams; one in 10^4 exceeds the limit.
        assert float(row["alarms"]) <= 0.05 + 3.7 * 0.0154
    power = {(row["change"], row["mean degree"], row["share"]): float(row["alarms"]) for row in powers}
    assert power["new community", 200, 1.0] > 0.95
    assert power["random edges", 200, 1.0] > 0.95
    assert power["random edges", 30, 1.0] > power["random edges", 10, 1.0]


@pytest.mark.parametrize(
    ("name", "settings", "columns", "low", "high"),
    [
        # 80,000 regions of known vertices and 20,000 of new ones, which differ between networks by 0.01 each.
        ("regions", {"REPLICATIONS": 40}, ("known", "new, marginal"), 0.925, 0.97),
        # 4000 draws: three binomial standard errors are 0.01, and two hundred of a network share its noise.
        ("same_position", {"NETWORKS": 20}, ("two known", "known and new", "two new"), 0.039, 0.061),
        ("signature", {}, ("accuracy on new vertices",), 0.99, 1),
        ("new_points_clustering", {}, ("accuracy on new points",), 0.99, 1),
    ],
)
def test_shares_are_as_stated(run, monkeypatch, name, settings, columns, low, high):
    for constant, value in settings.items():
        monkeypatch.setattr(importlib.import_module(name), constant, value)
    for row in run(name):
        for column in columns:
            assert low <= float(str(row[column]).split()[0]) <= high
