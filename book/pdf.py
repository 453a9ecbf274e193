"""The book as one PDF: Chromium prints the page that `jupyter-book build --builder singlehtml` has made.

Run by `make pdf`: python book/pdf.py PAGES PDF, with the folder of that build and the file to write.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FOOTER = '<div style="width: 100%; text-align: center; font: 8px sans-serif"><span class="pageNumber"></span></div>'


def main(pages: Path, pdf: Path) -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("A PDF needs Chromium (Debian: apt install chromium), and there is none.")
    (whole,) = pages.glob("chapters/*.html")
    beside = pages / whole.name  # its links to styles and pictures begin here, whichever folder the first page is in
    shutil.copy(whole, beside)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page(color_scheme="light")
        page.goto(beside.resolve().as_uri(), wait_until="load")
        margin = {"top": "16mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
        page.pdf(
            path=pdf,
            format="A4",
            margin=margin,
            print_background=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=FOOTER,
            outline=True,
            tagged=True,
        )
        chromium.close()
    print(f"The book as PDF: {pdf.resolve()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
