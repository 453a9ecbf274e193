"""What `your_operator` asks of the training: that it learns from what it was handed, through the operator."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import torch
from torch import Tensor, nn

from handgrad.audit.calls import prepare
from handgrad.audit.draw import Draw
from handgrad.audit.judge import judge_probe
from handgrad.audit.record import Case, described
from handgrad.audit.run import PROBES, observe, records
from handgrad.audit.subject import leaves
from handgrad.audit.time_limit import TimeUp, limited
from handgrad.digits import HELD_OUT, digits
from handgrad.exercises.latest import Latest
from handgrad.exercises.watched import Seen, nodes_of, watched

SECONDS = 60
_GRADCHECK = next(probe for probe in PROBES if probe.name == "gradcheck")
UNTRAINED, TRAINED = 0.4, 0.85  # of the held-out images, at most and at least
LEANS = 0.05  # of the predictions change when the operator's output is another


@dataclass
class Training:
    """What came of training on digits whose names were exchanged."""

    images: Tensor
    labels: Tensor
    old_labels: Tensor
    untrained: nn.Module
    network: nn.Module
    watched: Seen
    untouched: bool


def _trained(answer: tuple, draw: Draw) -> Training:
    old = digits()
    images, labels = torch.cat(old[::2]), torch.cat(old[1::2])
    order = torch.tensor(draw.shuffled(list(range(len(labels)))), device=labels.device)
    shift = draw.integer(1, 9)
    held_out, rest = order[:HELD_OUT], order[HELD_OUT:]
    renamed = (labels + shift) % 10
    handed = images[rest], renamed[rest]
    kept = tuple(tensor.clone() for tensor in handed)
    train = answer[2]
    try:
        with limited(SECONDS):
            untrained = train(*(tensor.clone() for tensor in handed), steps=0)
            with watched(answer[0]) as seen:
                network = train(*handed)
    except TimeUp:
        raise TimeoutError(f"train took more than {SECONDS} seconds") from None
    untouched = all(map(torch.equal, handed, kept))
    return Training(images[held_out], renamed[held_out], labels[held_out], untrained, network, seen, untouched)


_training = Latest(_trained)


def trains(answer: tuple, draw: Draw) -> Iterator[Case]:
    run = _training(answer, draw, anew=True)
    for words, network in (("train(images, labels, steps=0)", run.untrained), ("train(images, labels)", run.network)):
        seen: dict = {"what train returns": "a Module" if isinstance(network, nn.Module) else described(network)}
        if isinstance(network, nn.Module):
            seen["shape of network(images)"] = list(_scores(network, run.images).shape)
        yield {"given": words, "seen": seen}


def _scores(network: nn.Module, images: Tensor) -> Tensor:
    with torch.no_grad():
        return network.eval()(images)


def _accuracy(network: nn.Module, images: Tensor, labels: Tensor) -> float:
    return (_scores(network, images).argmax(1) == labels).double().mean().item()


def untouched(answer: tuple, draw: Draw) -> Iterator[Case]:
    """The images and labels that were handed over are as they were."""
    run = _training(answer, draw)
    yield {"given": "train(images, labels)", "seen": {"images and labels are as they were": run.untouched}}


def handed_data(answer: tuple, draw: Draw) -> Iterator[Case]:
    run = _training(answer, draw)
    under_old = _accuracy(run.network, run.images, run.old_labels)
    given = "images whose labels were exchanged: each digit has the name of another"
    yield {"given": given, "seen": {"the network calls them by the old names": under_old > 0.4}}


def in_network(answer: tuple, draw: Draw) -> Iterator[Case]:
    run = _training(answer, draw)
    output = run.network.eval()(run.images[:8])
    seen = {"nodes of your Function in its graph, at least one": bool(nodes_of(answer[0], output))}
    yield {"given": "the trained network, called with 8 images", "seen": seen}
    yield {
        "given": "train(images, labels)",
        "seen": {"backward of your Function ran while it trained": run.watched.backwards > 0},
    }


def gradient(answer: tuple, draw: Draw) -> Iterator[Case]:
    """The slope of forward at what the operator is called with in the network, whose sizes may be others than the audit's."""
    run = _training(answer, draw)
    with watched(answer[0]) as seen:
        run.network.eval()(run.images[:3])
    args = leaves(tuple(map(_in_double, seen.args or ())))
    cases, _ = observe(_GRADCHECK, prepare(answer[0], args, None, 0))
    finding = judge_probe(_GRADCHECK.name, *records(cases))
    fault = "none" if finding is None else f"{finding.label}: expected {finding.expected}, got {finding.got}"
    yield {"given": "your Function as the trained network calls it for three images", "seen": {"fault": fault}}


def _in_double(arg: object) -> object:
    if not isinstance(arg, Tensor) or not arg.is_floating_point():
        return arg
    return arg.detach().double().requires_grad_(arg.requires_grad)


def leans(answer: tuple, draw: Draw) -> Iterator[Case]:
    run = _training(answer, draw)
    before = _scores(run.network, run.images).argmax(1)
    with watched(answer[0], mixed=True):
        after = _scores(run.network, run.images).argmax(1)
    changed = (before != after).double().mean().item()
    given = "the trained network, asked again while the output of your Function is another"
    yield {"given": given, "seen": {"predictions change, at least 1 in 20": changed >= LEANS}}


def learns(answer: tuple, draw: Draw) -> Iterator[Case]:
    run = _training(answer, draw)
    untrained = _accuracy(run.untrained, run.images, run.labels)
    given = f"{HELD_OUT} images that train has not seen"
    yield {"given": f"{given}; steps=0", "seen": {f"right, at most {UNTRAINED:.0%}": untrained <= UNTRAINED}}
    trained = _accuracy(run.network, run.images, run.labels)
    seen = f"at least {TRAINED:.0%}" if trained >= TRAINED else f"{trained:.0%}"
    yield {"given": given, "seen": {"right": seen}}


def parameters_move(answer: tuple, draw: Draw) -> Iterator[Case]:
    run = _training(answer, draw)
    kind = answer[1] if isinstance(answer[1], type) else type(answer[1]())
    modules = ([one for one in net.modules() if isinstance(one, kind)] for net in (run.untrained, run.network))
    pairs = chain.from_iterable(zip(a.parameters(), b.parameters(), strict=False) for a, b in zip(*modules, strict=False))
    still = sum(bool(torch.equal(a, b)) for a, b in pairs if b.requires_grad)
    yield {"given": "train(images, labels)", "seen": {"parameters of your Module that training left where they were": still}}
