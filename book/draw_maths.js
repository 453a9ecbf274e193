// node draw_maths.js katex.min.js: a JSON line [formula, options] in, a JSON line {html} or {error} out.
// It ends when its input ends, so it never outlives the build.
const katex = require(process.argv[2]);

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  let answer;
  try {
    answer = { html: katex.renderToString(...JSON.parse(line)) };
  } catch (error) {
    answer = { error: error.message };
  }
  console.log(JSON.stringify(answer));
});
