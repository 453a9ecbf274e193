"""Pictures of five graphs by handgrad, torchviz, torchview and torchvista: what each shows, how large it is, how long it takes.

Run `pip install torchviz torchview torchvista`, install Graphviz (`apt install graphviz`), then
`python benchmarks/graphs.py --out pictures`; it takes about a minute. Every picture is left in the folder, with a page that
shows them side by side, and where there is Chromium that page's rows as PNG files: those in `benchmarks/graphs/`.

What a picture shows is looked up in its own words. *Values* and *gradients*: the first four digits of the result, and of the
gradient of the first argument. *Saved*: whether it says what a node saves. *Steps*: whether it can go through the backward pass.
*Network*: whether it loads something from another host to be seen.
torchview and torchvista draw what a Module's forward calls, not the autograd graph, so
each function stands in a Module here; torchviz draws the graph.
"""

import argparse
import contextlib
import re
import shutil
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import torch
from PIL import Image
from playwright.sync_api import sync_playwright
from torch import nn

from handgrad import graph

ROUNDS = 5
PAGE = """<!doctype html><meta charset="utf-8"><title>Five graphs</title><style>
body { font: 18px sans-serif; margin: 16px }
section { display: grid; grid-template-columns: 760px 380px 260px 560px; gap: 12px; margin-bottom: 32px; width: max-content }
h2 { grid-column: 1 / -1; margin: 0 } p { margin: 0 }
figure { margin: 0 }
img, iframe { border: 1px solid #ccc; box-sizing: border-box; width: 100%; height: 620px; object-fit: contain }
</style>
"""


@dataclass(frozen=True)
class Subject:
    """A graph: a function of tensors that gives one number, and its arguments."""

    function: Callable
    tensors: dict[str, torch.Tensor]


@dataclass(frozen=True)
class Shown:
    """What a picture's text has."""

    text: str
    seconds: float


class SinCos(torch.autograd.Function):
    """Two outputs of one Function."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin(), x.cos()

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        (x,) = ctx.saved_tensors
        return grad_sin * x.cos() - grad_cos * x.sin()


class Residual(nn.Module):
    """A block of a residual network, with weights of one half and no biases."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
        nn.init.constant_(self.fc1.weight, 0.5)
        nn.init.constant_(self.fc2.weight, 0.5)

    def forward(self, h):
        return h + self.fc2(torch.relu(self.fc1(h)))


def diamond(x, w):
    a = x * w
    b = a + x
    return a * b


def residual(x):
    return BLOCKS(x).sum()


def rnn(x, w):
    h = x
    for _ in range(10):
        h = torch.tanh(h * w + x)
    return h


def two_outputs(x):
    sin, cos = SinCos.apply(x)
    return 3 * sin * cos


def second_order(x):
    (gradient,) = torch.autograd.grad(x**3, x, create_graph=True)
    return gradient * x


BLOCKS = nn.Sequential(Residual(), Residual())


def leaf(*numbers: float) -> torch.Tensor:
    """A leaf of these numbers."""
    return torch.tensor(numbers[0] if len(numbers) == 1 else [[one] for one in numbers], requires_grad=True)


SUBJECTS = {
    "diamond": Subject(diamond, {"x": leaf(3.1703), "w": leaf(2.3107)}),
    "residual MLP": Subject(residual, {"x": leaf(8.3119, 4.7031)}),
    "RNN, 10 steps": Subject(rnn, {"x": leaf(0.5173), "w": leaf(1.5109)}),
    "two outputs": Subject(two_outputs, {"x": leaf(1.0317)}),
    "second order": Subject(second_order, {"x": leaf(2.1173)}),
}


def by_handgrad(subject: Subject, path: Path) -> str:
    """`handgrad.graph.trace`, as a page."""
    picture = graph.trace(subject.function, **subject.tensors)
    target = Path(f"{path}.html")
    picture.save(target)
    return target.read_text(encoding="utf-8")


def by_torchviz(subject: Subject, path: Path) -> str:
    """`torchviz.make_dot` with all that it can show, as SVG."""
    from torchviz import make_dot

    result = subject.function(**subject.tensors)
    dot = make_dot(result, params=dict(subject.tensors), show_attrs=True, show_saved=True)
    dot.render(path, format="svg", cleanup=True)
    return Path(f"{path}.svg").read_text(encoding="utf-8")


class AsModule(nn.Module):
    """A function that is called as a Module."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function, self.blocks = function, BLOCKS

    def forward(self, *tensors):
        return self.function(*tensors)


def by_torchview(subject: Subject, path: Path) -> str:
    """`torchview.draw_graph`, as SVG."""
    from torchview import draw_graph

    drawn = draw_graph(AsModule(subject.function), input_data=list(subject.tensors.values()), mode="train", device="cpu")
    drawn.visual_graph.render(path, format="svg", cleanup=True)
    return Path(f"{path}.svg").read_text(encoding="utf-8")


def by_torchvista(subject: Subject, path: Path) -> str:
    """`torchvista.trace_model`, as a page."""
    from torchvista import trace_model

    target = Path(f"{path}.html")
    module = AsModule(subject.function).eval()
    with contextlib.redirect_stdout(None):
        trace_model(module, tuple(subject.tensors.values()), export_format="html", export_path=str(target))
    return target.read_text(encoding="utf-8")


TOOLS = {"handgrad": by_handgrad, "torchviz": by_torchviz, "torchview": by_torchview, "torchvista": by_torchvista}


def measure(tool: Callable, subject: Subject, path: Path) -> Shown | str:
    """The picture's text and the median time; the error where it draws none."""
    seconds = []
    for _ in range(ROUNDS):
        for tensor in subject.tensors.values():
            tensor.grad = None
        start = time.perf_counter()
        try:
            text = tool(subject, path)
        except Exception as error:  # another's tool may fail in any way
            return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        seconds.append(time.perf_counter() - start)
    return Shown(text, statistics.median(seconds))


def row(name: str, shown: Shown | str, subject: Subject, base: float) -> str:
    """A line of the table."""
    if isinstance(shown, str):
        return f"  {name:<12}draws nothing: {shown[:90]}"
    words = re.sub(r"<(?!/?script)[^>]*>", " ", shown.text)  # not the places of what is drawn
    result = subject.function(**subject.tensors)
    gradient = torch.autograd.grad(result, next(iter(subject.tensors.values())))[0].flatten()[0]
    has = [digits(number.item()) in words.replace(",", "") for number in (result, gradient)]
    has.append(bool(re.search(r"\bsave[sd]\b", words)))
    has.append('"backward"' in words and "<button" in shown.text)
    has.append(bool(re.search(r"""<(?:script|link|img)[^>]*(?:src|href)=["'](?:https?:)?//""", shown.text)))
    columns = "".join(f"{'yes' if one else 'no':>11}" for one in has)
    return f"  {name:<12}{columns}{len(shown.text.encode()) / 1024:>9.0f}{1000 * shown.seconds:>9.0f}{shown.seconds / base:>9.1f}"


def digits(number: float) -> str:
    """A number's first four digits, not rounded, as the beginning of any longer way to write it."""
    return re.match(r"-?0?\.?0*\d\.?\d?\.?\d?\.?\d?", f"{number:.8f}")[0][:-1]


def main() -> None:
    """Draw all, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="a folder for the pictures")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    print(", ".join(f"{name} {version(name)}" for name in ("torch", "torchviz", "torchview", "torchvista")))
    head = "".join(f"{word:>11}" for word in ("values", "gradients", "saved", "steps", "network"))
    sections = []
    for title, subject in SUBJECTS.items():
        print(f"{title:<14}{head}{'KiB':>9}{'ms':>9}{'ratio':>9}")
        base, frames = 0.0, []
        for name, tool in TOOLS.items():
            path = folder / f"{title.replace(',', '').replace(' ', '_')}.{name}"
            shown = measure(tool, subject, path)
            base = base or (shown.seconds if isinstance(shown, Shown) else 1.0)
            print(row(name, shown, subject, base), flush=True)
            frames.append(f"<figure><figcaption>{name}</figcaption>{frame(folder, path.name, shown)}</figure>")
        sections.append(f"<section><h2>{title}</h2>{''.join(frames)}</section>")
    (folder / "index.html").write_text(PAGE + "\n".join(sections), encoding="utf-8")
    photograph(folder)


def frame(folder: Path, stem: str, shown: Shown | str) -> str:
    """A tool's picture as a part of the page."""
    if isinstance(shown, str):
        return "<p>draws nothing</p>"
    file = next(path.name for path in folder.glob(f"{stem}.*"))
    return f'<img src="{file}" alt="">' if file.endswith("svg") else f'<iframe src="{file}"></iframe>'


def photograph(folder: Path) -> None:
    """Each row of the page as a PNG file, our picture at its last step."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        print("No Chromium (Debian: apt install chromium), so no PNG files.")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 2100, "height": 900})
        page.goto((folder / "index.html").resolve().as_uri())
        for section, title in zip(page.locator("section").all(), SUBJECTS, strict=True):
            section.frame_locator("iframe").first.get_by_label("Last step").click()
            section.scroll_into_view_if_needed()
            page.wait_for_timeout(3000)  # torchvista moves until it has found its places
            file = folder / f"{title.replace(',', '').replace(' ', '_')}.png"
            section.screenshot(path=file)
            Image.open(file).convert("RGB").quantize(64).save(file, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
