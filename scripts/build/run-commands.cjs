/** Run by compile-ahead.mjs with the path of main.js: the commands that are to start quickly, then writes what V8 made. */
"use strict";
const { renameSync, writeFileSync } = require("node:fs");
const path = require("node:path");

/** The first word is the name that the command line is started under. */
const commands = [
  ["bridle", "issue", "add", "the first", "--json"],
  ["bridle", "issue", "ready"],
  ["bridle", "issue", "ready", "--json"],
  ["bridle", "issue", "list", "--json"],
  ["bridle", "issue", "claim-next", "--assignee", "ada", "--json"],
  ["bridle", "harness-session", "read", "--json"],
  // As far as a conversation comes that has no key.
  ["bridle", "chat", "hello", "--model", "openai/gpt-5.2"],
  ["bridle", "chat", "--sessions"],
  ["hlq", "ask", "btc funding last 24h", "--dry-run"],
  ["hlq", "ask", "will btc moon", "--json"],
];

async function run(launcherFile) {
  const launcher = require(launcherFile);
  process.setMaxListeners(0);
  for (const [name, ...words] of commands) {
    process.argv.splice(2, process.argv.length, ...words);
    await launcher.load("entry.js").main(name);
  }
  const written = [];
  for (const [chunk, compiled] of launcher.compile()) {
    // The entry is a line long, and the only chunk whose name does not tell its content.
    if (chunk === "entry.js") continue;
    const file = path.join(path.dirname(launcherFile), launcher.compiledName(chunk));
    writeFileSync(`${file}.${process.pid}.tmp`, compiled);
    renameSync(`${file}.${process.pid}.tmp`, file);
    written.push(path.basename(file));
  }
  process.stdout.write(`\ncompiled: ${JSON.stringify(written)}`);
  // What a command says of an empty folder is no failure of the build.
  process.exitCode = 0;
}

run(process.argv[2]);
