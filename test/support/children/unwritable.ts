/** Tries everything that a log and a document can do at a path, as whoever it is, and says what came of each. */
import { Document, Failure, Log, nodePorts, type Summarizer } from "@bridle/record";
import { args, done, say } from "../child-kit.js";

const { logPath, documentPath } = args<{ logPath: string; documentPath: string }>();
const ports = nodePorts();
const ids: Summarizer<string[]> = {
  name: "ids.v1",
  summarize: (entries) => entries.flatMap((entry) => (entry.kind === "row" ? [String(entry.row["id"])] : [])),
};

async function attempt(name: string, act: () => Promise<unknown>): Promise<void> {
  try {
    say(`${name}: ${JSON.stringify(await act())}`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say(`${name}: ${error.failureClass}`);
  }
}

const log = await Log.open({ path: logPath, bearing: "state", ports, lockWaitMsMax: 2_000 });
const document = await Document.open<{ count: number }>({
  path: documentPath,
  ports,
  members: ["count"],
  check: (value) => ({ count: Number(value["count"]) }),
});

await attempt("read", async () => {
  const rows: unknown[] = [];
  for await (const entry of log.entries()) rows.push(entry.kind === "row" ? entry.row["id"] : entry.kind);
  return rows;
});
for (const again of ["query", "query again"]) {
  await attempt(again, () =>
    log.indexed(ids, async (index) => index.blocks.flatMap((block) => block.summary)),
  );
}
await attempt("verify", async () => {
  const verification = await log.verify();
  return [verification?.rows, verification?.damageCount, verification?.marked];
});
await attempt("append", () => log.append({ id: "new" }));
await attempt("append synced", () => log.append({ id: "new" }, { durability: "synced" }));
await attempt("rewrite", () => log.rewrite(async function* () {}));
await attempt("repair", () => log.repair());
await attempt("read document", () => document.read());
await attempt("change document", () => document.change(() => ({ count: 2 })));
await log.close();
done();
