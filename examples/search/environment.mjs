/**
 * A pack as an environment, in ten lines: open it, reset to an episode, step until
 * it has ended.
 *
 *     node examples/search/environment.mjs packs/<pack>
 */
import { environmentOf, openPack } from "bridle/search";
import { propose } from "./own-policy.mjs";

const pack = await openPack(process.argv[2] ?? "packs/demo");
const environment = environmentOf(pack);
for (const id of await pack.episodeIds()) {
  let seen = await environment.reset(id);
  while (!seen.ended) seen = environment.step(await propose({ ...seen, signal: AbortSignal.timeout(1000) }));
  process.stdout.write(
    `${id} ${seen.terminal?.decision_class ?? "abstained"} ${seen.terminal?.step_count}\n`,
  );
}
await pack.close();
