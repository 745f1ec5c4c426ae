import { it } from "vitest";
import { askParts } from "../reading/asks.js";
it("x", () => {
  for (const t of [
    "Fix the crash on empty input in src/parse.ts and also add a test for it, and tell me whether other callers are affected.",
    "Run the tests, tell me the coverage, and deploy to staging.",
    "Is port 8080 free? Is 8081?",
    "Why does GET /search?q=a?b answer 400? The handler has `x?.y ?? z`.",
    "Wie groß ist das Image, und seit wann wächst es? Wer hat es zuletzt geändert?",
    "このライブラリのライセンスは何ですか？最新版はいつ出ましたか？",
    "¿Cuánto cuesta? ¿Y quién lo mantiene?",
    "Quelle est la licence de sharp ? Et depuis quand supporte-t-il Node 22 ?",
    "Here is my setup:\n- Node 20\n- Postgres 16\nWhy does it crash on start?",
    "Can you check the logs and the config, and explain what happens?",
    "Rename the file to b.ts and move it to lib. Then run the linter.",
    "What is the difference between A and B, and which is faster?",
  ]) console.log(JSON.stringify(askParts(t).map((p) => [p.kind, p.text, [...p.about].join(" ")])));
});
