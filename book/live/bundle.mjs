// node bundle.mjs editor.mjs: the editor and all that it imports, as one small module.
import { buildSync } from "esbuild";

buildSync({
  entryPoints: ["editor.js"],
  outfile: process.argv[2],
  bundle: true,
  minify: true,
  format: "esm",
  legalComments: "none",
  logLevel: "error",
});
