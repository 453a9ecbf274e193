// Python, in a worker of its own: it is asked to run cells, and tells what they print and how they end.
import { loadPyodide } from "./pyodide/pyodide.mjs";
import sizes from "./sizes.mjs";

const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
let loaded = 0;
let told = -1;

// Pyodide fetches by itself; counting what comes tells how far it is
const plainFetch = self.fetch;
self.fetch = async (...request) => {
  const response = await plainFetch(...request);
  if (!response.ok || !response.body) return response;
  const count = new TransformStream({
    transform(chunk, out) {
      loaded += chunk.byteLength;
      const percent = Math.min(99, Math.floor((100 * loaded) / total));
      if (percent > told) {
        told = percent;
        postMessage({ loading: percent, megabytes: Math.round(total / 1e6) });
      }
      out.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(count), response);
};

async function start() {
  const here = (name) => new URL(name, import.meta.url);
  const archive = plainFetch(here("python.zip")).then((response) => response.arrayBuffer());
  const python = await loadPyodide({ indexURL: here("pyodide/").href });
  const packages = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(await archive, "zip", { extractDir: packages });
  return python.pyimport("cells");
}

const cells = start();
cells.catch((error) => postMessage({ failed: error.message }));

onmessage = async ({ data }) => {
  const python = await cells;
  postMessage({ begins: true });
  const result = python.run(data.number, data.source, (text) => postMessage({ text }));
  postMessage({ done: JSON.parse(result) });
};
