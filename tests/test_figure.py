"""Figures: the same bytes each time, words that come along, text that a phone shows at 9 pt."""

import pytest

from handgrad.figure import figure, show

WORDS = "relu: flat at 0 left of 0, then a line of slope 1."


@pytest.fixture
def draw(monkeypatch):
    """Draw a small figure, show it, and return what the notebook would have received: data and metadata."""
    received = []
    monkeypatch.setattr("handgrad.figure.display", lambda data, metadata, raw: received.append((data, metadata)))

    def draw(words=WORDS, **size):
        fig, ax = figure(**size)
        ax.plot([-1, 0, 2], [0, 0, 2], label="relu")
        ax.legend()
        show(fig, words)
        return received.pop()

    return draw


def test_one_png_with_its_words(draw):
    data, metadata = draw(width=6)
    assert set(data) == {"image/png", "text/plain"}
    assert data["text/plain"] == WORDS
    assert metadata["image/png"] == {"width": 516, "alt": WORDS}


def test_same_drawing_same_bytes(draw):
    first, again, lower = (draw(height=height)[0]["image/png"] for height in (3, 3, 2))
    assert first == again
    assert first != lower


def test_a_picture_without_words_is_refused(draw):
    with pytest.raises(ValueError, match="cannot see it"):
        draw(words=" ")


def test_text_measures_nine_points_on_a_phone():
    _, ax = figure()
    text = [ax.title, ax.xaxis.label, *ax.get_xticklabels()]
    on_phone = 350 / (6 * 72)  # CSS pixels a point: the whole figure is 350 pixels wide
    assert min(t.get_fontsize() for t in text) * on_phone * 72 / 96 >= 9
