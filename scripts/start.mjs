/**
 * `npm start`: builds the command line, then tells a short story with it.
 *
 * The default folder, runs/demo, belongs to this script and is emptied each time;
 * a folder that a person names is never emptied.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "./ensure.mjs";
import { task } from "./terminal.mjs";

const help = `Builds Bridle and shows it at work, in three blocks: a policy searches made-up market
evidence and is replayed; three workers do twelve issues in a git project, one of them is
killed, one check is flaky, one worker lies; an agent with a scripted model is stopped in a
loop and completes a write that was cut off. It takes under a minute and needs no key and
no network.

  npm start                   in runs/demo, which is emptied first
  npm start -- --tell         told scene by scene, with the commands and what they print
  npm start -- --out <dir>    in a folder of your own, which must be new or empty
  npm start -- --help         this text

Afterwards bin/premath, bin/hlq and bin/bridle are built: try \`bin/premath --help\`.
Everything else that can be run here: \`npm run\`.
`;

/** A person's environment, without what our own scripts tell each other. */
const plainEnv = Object.fromEntries(
  Object.entries(process.env).filter(([key]) => !/^(BRIDLE|PREMATH)_/.test(key)),
);

try {
  const { values } = parseArgs({
    options: { help: { type: "boolean", short: "h" }, tell: { type: "boolean" }, out: { type: "string" } },
  });
  if (values.help) process.stdout.write(help);
  else if (values.tell) await tellStory(values.out);
  else await start(values.out);
} catch (error) {
  const isUsage = String(error.code).startsWith("ERR_PARSE_ARGS") || error.isUsage === true;
  process.stderr.write(
    `error: ${error.message}\n${isUsage ? "\n       `npm start -- --help` says what there is.\n" : ""}`,
  );
  process.exitCode = isUsage ? 2 : 1;
}

async function start(out) {
  const folder = out === undefined ? ownFolder() : namedFolder(out);
  await buildFirst();
  const { showBlocks } = await import("./start/blocks.mjs");
  const shownFolder = path.relative(root, folder).startsWith("..") ? folder : path.relative(root, folder);
  const say = (text) => process.stdout.write(`${text}\n`);
  say("");
  const broken = await showBlocks({ folder, env: plainEnv, say });
  if (broken.length > 0) throw new Error(`the run did not keep its promises: ${broken.join("; ")}`);
  say(`
  Look closer:   cd ${shownFolder.includes(" ") ? `"${shownFolder}"` : shownFolder}
                 ${bin("hlq", folder)} show runs/heuristic
                 (cd work && ${bin("bridle", path.join(folder, "work"))} work report)
                 (cd work && git log --oneline --graph bridle/main)
                 ${bin("bridle", folder)} agent replay --workspace agent
                 npm start -- --tell   the same, told scene by scene
`);
}

async function tellStory(out) {
  const folder = out === undefined ? ownFolder() : namedFolder(out);
  await buildFirst();
  const { tell } = await import("./start/story.mjs");
  const shownFolder = path.relative(root, folder).startsWith("..") ? folder : path.relative(root, folder);
  const say = (text) => process.stdout.write(`${text}\n`);
  say("");
  const broken = await tell({ folder, shownFolder, say });
  if (broken.length > 0) throw new Error(`the run did not keep its promises: ${broken.join("; ")}`);
  say(`
  Look closer:   cd ${shownFolder.includes(" ") ? `"${shownFolder}"` : shownFolder}
                 ${bin("premath", folder)} harness-trajectory query --mode failed
                 ${bin("bridle", folder)} log verify .premath/harness_trajectory.jsonl
                 ${bin("hlq", folder)} show runs/heuristic
                 open runs/eval.svg in a browser
                 ${bin("bridle", folder)} chat --sessions --workspace agent
                 ${bin("bridle", folder)} agent replay --workspace agent
                 ${bin("premath", folder)} --help
`);
}

async function buildFirst() {
  const done = task("building");
  try {
    const { build } = await import("./build.mjs");
    await build();
    done.after();
  } catch (error) {
    done.failed();
    throw error;
  }
}

function bin(name, folder) {
  const near = path.relative(folder, path.join(root, "bin", name));
  return near.length < 40 && !near.includes(" ") ? near : name;
}

function ownFolder() {
  const folder = path.join(root, "runs/demo");
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(path.join(folder, ".premath"), { recursive: true });
    return folder;
  } catch {
    // Somebody else's checkout.
    return namedFolder(mkdtempSync(path.join(tmpdir(), "bridle-demo-")));
  }
}

function namedFolder(name) {
  // npm stands in the root; a path that a person typed starts where the person stood.
  const folder = path.resolve(process.env.INIT_CWD ?? ".", name);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw Object.assign(new Error(`${folder} is not empty; name one that is new or empty`), {
      isUsage: true,
    });
  }
  mkdirSync(path.join(folder, ".premath"), { recursive: true });
  return realpathSync(folder);
}
