// Cells that run in the page. Before the first click this file is all that is loaded.
(() => {
  const here = (name) => new URL(name, base);
  const base = new URL(".", document.currentScript.src);
  const cells = [];
  let worker = null;
  let waiting = null; // {cell, resolve} of the cell that runs now
  let loading = null; // the editor's module

  const button = (name, hint, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = `live-${name.toLowerCase()}`;
    made.textContent = name;
    made.title = hint;
    made.addEventListener("click", act);
    return made;
  };

  class Cell {
    constructor(element, number) {
      this.number = number;
      this.input = element.querySelector(".cell_input");
      this.stored = [...element.querySelectorAll(".cell_output")];
      this.code = this.input.querySelector("pre");
      this.highlighted = [...this.code.childNodes];
      this.original = this.code.textContent.replace(/\n$/, "");
      this.place = `handgrad ${location.pathname} ${number}`;
      this.ran = null; // the text that ran last, in the Python that is there now
      this.editor = null;
      this.bar = document.createElement("div");
      this.bar.className = "live-bar";
      this.bar.setAttribute("role", "group");
      this.bar.setAttribute("aria-label", `Cell ${number}`);
      this.start = button("Run", "Run this cell in the page (in the code: Shift+Enter)", () => run(this));
      this.stop = button("Stop", "End what runs, and Python with it", () => stop());
      this.change = button("Edit", "Change the code here", () => this.edit().then((editor) => editor.focus()));
      this.reset = button("Reset", "Back to the code and the output of the book", () => this.restore());
      this.status = document.createElement("span");
      this.status.className = "live-status";
      this.status.setAttribute("role", "status");
      this.stop.hidden = this.reset.hidden = true;
      this.bar.append(this.start, this.stop, this.change, this.reset, this.status);
      this.output = document.createElement("div");
      this.output.className = "live-output";
      this.output.hidden = true;
      this.input.after(this.bar, this.output);
      this.kept = this.recall();
      if (this.kept !== null) {
        this.code.textContent = this.kept;
        this.reset.hidden = false;
        this.say("Your code, as you left it.");
      }
    }

    get text() {
      return this.editor ? this.editor.text() : (this.kept ?? this.original);
    }

    /** What the reader wrote here on an earlier visit, or null; the book's cell must still be the one that was changed. */
    recall() {
      try {
        const { original, text } = JSON.parse(localStorage.getItem(this.place)) ?? {};
        return original === this.original && text !== original ? text : null;
      } catch {
        return null; // a browser that keeps nothing, or nothing of ours
      }
    }

    remember() {
      try {
        if (this.text === this.original) localStorage.removeItem(this.place);
        else localStorage.setItem(this.place, JSON.stringify({ original: this.original, text: this.text }));
      } catch {
        // a browser that keeps nothing: the code lives as long as the page
      }
    }

    say(words) {
      this.status.textContent = words;
    }

    async edit() {
      if (this.editor) return this.editor;
      if (location.protocol === "file:") throw new Error(fromFile());
      const { makeEditor } = await (loading ??= import(here("editor.mjs")));
      if (this.editor) return this.editor;
      const box = document.createElement("div");
      box.className = "live-editor";
      const label = `Python code of cell ${this.number}. Tab indents; Escape, then Tab leaves. Shift+Enter runs.`;
      const changed = () => {
        this.reset.hidden = false;
        this.remember();
      };
      this.editor = makeEditor(box, this.text, label, () => run(this), changed);
      this.input.hidden = true;
      this.input.before(box);
      this.change.hidden = true;
      return this.editor;
    }

    restore() {
      if (waiting?.cell === this) return;
      this.kept = null;
      this.code.replaceChildren(...this.highlighted);
      this.editor?.write(this.original);
      this.remember();
      this.clear();
      this.output.hidden = true;
      for (const output of this.stored) output.hidden = false;
      this.reset.hidden = true;
      this.say("As in the book.");
    }

    clear() {
      this.output.replaceChildren();
      this.output.hidden = false;
      for (const output of this.stored) output.hidden = true;
      this.reset.hidden = false;
    }

    print(text, kind = "live-text") {
      let last = this.output.lastElementChild;
      if (last?.className !== kind) {
        last = document.createElement("pre");
        last.className = kind;
        last.tabIndex = 0; // a wide one scrolls, by keyboard too
        this.output.append(last);
      }
      last.append(text);
    }

    show(html) {
      const box = document.createElement("div");
      box.innerHTML = html;
      this.output.append(box);
      for (const script of box.querySelectorAll("script")) {
        const alive = document.createElement("script"); // one that comes in by innerHTML does not run
        for (const { name, value } of script.attributes) alive.setAttribute(name, value);
        alive.textContent = script.textContent;
        script.replaceWith(alive);
      }
    }
  }

  /** The cells that must have run before: all above; an exercise stands alone, and its check needs its answer. */
  function before(cell) {
    const answers = (other) => other.original.startsWith("# exercise:");
    const checks = (other) => /^check\(/.test(other.original);
    const above = cells.slice(0, cells.indexOf(cell));
    if (answers(cell)) return [];
    if (checks(cell) && above.some(answers)) return [above.findLast(answers)];
    return above.filter((other) => !checks(other));
  }

  async function run(cell) {
    if (waiting) return;
    const due = before(cell).filter((other) => other.ran !== other.text);
    for (const [place, next] of [...due, cell].entries()) {
      if (next !== cell) cell.say(`First the cells above: ${place + 1} of ${due.length}`);
      const result = await execute(next, cell);
      if (result.ended) return;
      if (result.error && next !== cell) {
        cell.say(`Not run: cell ${next.number} above ended with an error.`);
        return;
      }
    }
  }

  async function execute(cell, asked) {
    try {
      await cell.edit();
    } catch (error) {
      asked.say(error.message);
      return { ended: true };
    }
    worker ??= begin();
    const source = cell.text;
    cell.clear();
    for (const other of cells) other.start.ariaDisabled = true; // and not disabled, which would drop the focus
    for (const shown of new Set([cell, asked])) shown.stop.hidden = false;
    const result = await new Promise((resolve) => {
      waiting = { cell, asked, resolve, started: 0 };
      worker.postMessage({ number: cell.number, source });
    });
    const seconds = ((performance.now() - waiting.started) / 1000).toFixed(1);
    waiting = null;
    for (const other of cells) other.start.ariaDisabled = null;
    for (const shown of new Set([cell, asked])) shown.stop.hidden = true;
    if (result.ended) {
      for (const shown of new Set([cell, asked])) shown.say(result.ended);
      return result;
    }
    cell.ran = source;
    if (result.html) cell.show(result.html);
    if (result.error) cell.print(result.error, "live-error");
    cell.say(`${result.error ? "Error" : "Done"} after ${seconds} s`);
    return result;
  }

  function begin() {
    const fresh = new Worker(here("worker.mjs"), { type: "module" });
    fresh.onmessage = ({ data }) => {
      if (!waiting || fresh !== worker) return;
      const { cell, asked, resolve } = waiting;
      if (data.begins) waiting.started = performance.now();
      if (data.loading !== undefined) asked.say(`Loading Python, once: ${data.loading} % of ${data.megabytes} MB`);
      else if (data.begins) (cell === asked ? cell.say("Running …") : cell.say("Running, as a cell below needs it …"));
      else if (data.text !== undefined) cell.print(data.text);
      else if (data.done) resolve(data.done);
      else if (data.failed) end(`Python did not start: ${data.failed}`);
    };
    fresh.onerror = (event) => end(`Python did not start: ${event.message ?? "the worker was refused"}`);
    return fresh;
  }

  function stop() {
    end("Stopped. Python starts anew at the next run: what cells had set is gone, your code is not.");
  }

  function end(words) {
    worker?.terminate();
    worker = null;
    for (const cell of cells) cell.ran = null;
    waiting?.resolve({ ended: words });
  }

  function fromFile() {
    const root = new URL(document.documentElement.dataset.content_root ?? "./", location.href);
    const folder = decodeURIComponent(root.pathname);
    const path = decodeURIComponent(location.pathname).slice(folder.length);
    return (
      "A browser starts no Python in a page that was opened as a file. " +
      `Run “python -m http.server” in ${folder} and open http://localhost:8000/${path}`
    );
  }

  for (const [index, element] of document.querySelectorAll(".cell.tag_live").entries()) {
    cells.push(new Cell(element, index + 1));
  }
})();
