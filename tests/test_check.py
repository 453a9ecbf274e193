"""check, hint and progress, as a learner meets them."""

import json
import multiprocessing
import warnings

import pytest
import torch

import handgrad
from handgrad.audit.draw import Draw
from handgrad.exercises import EXERCISES
from handgrad.progress import note_check, read


class RightReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        print("hello from forward")
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)


class NoMask(RightReLU):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone()


class Untouched(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        raise NotImplementedError

    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError


class ForwardAlone(RightReLU):
    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError


class Raises(RightReLU):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * self.mask  # noqa: F821


@pytest.fixture
def learner(monkeypatch, tmp_path):
    """A learner's notebook: no pytest around it, progress in a file of its own."""
    monkeypatch.delenv("PYTEST_VERSION")
    monkeypatch.setenv("HANDGRAD_PROGRESS", str(tmp_path / "progress.json"))
    return tmp_path / "progress.json"


@pytest.mark.parametrize(
    ("answer", "first_line", "words"),
    [
        (RightReLU, "my_relu: done. All 14 probes pass.", ""),
        (NoMask, "my_relu: 8 of 14 probes pass", "where is the mask?"),
        (Untouched, 'my_relu: not started. Replace "raise NotImplementedError" with your answer.', "hint("),
        (ForwardAlone, "my_relu: 3 of 14 probes pass", "Not written yet: replace this"),
        (Raises, "my_relu: your code raised an error (2 of 14 probes pass)", "NameError: name 'self' is not defined"),
        (RightReLU.apply, "my_relu: 0 of 14 probes pass", "hand the class itself to check"),
        (None, "my_relu: 0 of 14 probes pass", "got None"),
    ],
)
def test_the_four_outcomes(learner, capsys, answer, first_line, words):
    handgrad.check("my_relu", answer)
    said = capsys.readouterr().out
    assert said.splitlines()[0].startswith(first_line)
    assert words in said
    assert "Traceback" not in said
    assert "hello from forward" not in said


def test_done_is_one_line(learner, capsys):
    handgrad.check("my_relu", RightReLU)
    assert capsys.readouterr().out == "my_relu: done. All 14 probes pass.\n"


def test_a_learners_error_is_shown_with_its_line(learner, capsys):
    handgrad.check("my_relu", Raises)
    assert "in backward: return grad_output * self.mask" in capsys.readouterr().out


def test_check_leaves_torch_as_it_was(learner):
    torch.manual_seed(3)
    before = torch.get_rng_state()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        handgrad.check("my_relu", RightReLU)
        assert not torch.is_grad_enabled()
    assert torch.equal(torch.get_rng_state(), before)


def test_under_pytest_a_check_that_is_not_done_raises(capsys):
    with pytest.raises(handgrad.NotDone, match="where is the mask"):
        handgrad.check("my_relu", NoMask)
    handgrad.check("my_relu", RightReLU)


def test_hints_in_steps(capsys):
    for number in (1, 2, 3):
        handgrad.hint("my_relu", number)
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said] == [f"my_relu, hint {n} of 3" for n in (1, 2, 3)]
    with pytest.raises(ValueError, match="hints 1 to 3, not 4"):
        handgrad.hint("my_relu", 4)


@pytest.mark.parametrize("name", ["my_rellu", "", None, 3])
def test_an_unknown_name_gets_the_nearest(name):
    with pytest.raises(ValueError, match=r"there is no exercise .* Did you mean \w+"):
        handgrad.check(name, RightReLU)


def test_a_notebook_shows_the_words_of_an_error_alone():
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell()
    with capture_output() as captured:
        shell.run_cell("import handgrad\nhandgrad.check('my_rellu', None)")
    assert captured.stdout.strip() == "there is no exercise 'my_rellu'. Did you mean my_relu, leaky_relu, prelu?"


def test_progress_is_kept_and_printed(learner, capsys):
    handgrad.check("my_relu", NoMask)
    assert read(learner)["my_relu"] == {"done": False, "tries": 1}
    handgrad.check("my_relu", RightReLU)
    handgrad.check("my_relu", NoMask)
    assert read(learner)["my_relu"] == {"done": True, "tries": 1}
    capsys.readouterr()
    handgrad.progress()
    said = capsys.readouterr().out
    assert "03_relu      ■□□□□  1 of 5" in said
    assert f"Next: {next(iter(EXERCISES))}" in said


def test_what_is_handed_over_in_the_wrong_form_is_no_try(learner):
    handgrad.check("my_relu", RightReLU.apply)
    assert read(learner)["my_relu"]["tries"] == 0
    handgrad.check("red_to_green", lambda x: 0 * x)
    assert read(learner)["red_to_green"]["tries"] == 1


def test_hints_offered_go_up_with_the_tries(learner, capsys):
    for _ in range(4):
        handgrad.check("my_relu", NoMask)
    offered = [line[-2] for line in capsys.readouterr().out.splitlines() if "hint(" in line]
    assert offered == ["1", "2", "3", "3"]


@pytest.mark.parametrize("damage", ["", "{", '{"my_relu": 3}', "[]", '{"my_relu": {"done": true}}'])
def test_a_damaged_file_is_set_aside(learner, damage):
    learner.write_text(damage, encoding="utf-8")
    assert note_check("my_relu", "done") == 0
    assert read(learner) == {"my_relu": {"done": True, "tries": 0}}
    assert learner.with_suffix(".damaged.json").read_text(encoding="utf-8") == damage


def _finish(path: str, names: list[str]) -> None:
    import os

    os.environ["HANDGRAD_PROGRESS"] = path
    os.environ.pop("PYTEST_VERSION", None)
    for name in names:
        note_check(name, "done")


def test_two_notebooks_at_once_lose_nothing(learner):
    context = multiprocessing.get_context("spawn")
    halves = [[f"a{i}" for i in range(40)], [f"b{i}" for i in range(40)]]
    processes = [context.Process(target=_finish, args=(str(learner), half)) for half in halves]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert set(json.loads(learner.read_text(encoding="utf-8"))) == {*halves[0], *halves[1]}


def test_a_folder_that_cannot_be_written_does_not_fail_a_check(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("PYTEST_VERSION")
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("HANDGRAD_PROGRESS", str(tmp_path / "file" / "progress.json"))
    handgrad.check("my_relu", RightReLU)
    assert "done" in capsys.readouterr().out


def test_nothing_is_kept_under_pytest(monkeypatch, tmp_path):
    monkeypatch.setenv("HANDGRAD_PROGRESS", str(tmp_path / "progress.json"))
    note_check("my_relu", "done")
    assert not (tmp_path / "progress.json").exists()


@pytest.mark.parametrize("scale", [0.001, 0.3, 1.0, 20.0])
def test_a_draw_is_short_away_from_zero_and_of_both_signs(scale):
    drawn = Draw(3, "topic").normal(40, 5, scale=scale)
    assert torch.equal(drawn, Draw(3, "topic").normal(40, 5, scale=scale))
    assert torch.equal(drawn, (100 * drawn).round() / 100)
    assert drawn.abs().min() >= 0.05
    assert 60 < (drawn > 0).sum() < 140
