/**
 * For pack.ts: reads every episode of a pack, so many times over, and says the
 * most memory that it took, in kilobytes.
 */
import { nodePorts } from "@bridle/record";
import { openPack } from "@bridle/search";

const [folder = "", times = "1"] = process.argv.slice(2);
const pack = await openPack(folder, nodePorts());
let episodes = 0;
for (let time = 0; time < Number(times); time++)
  for await (const { step_budget } of pack.episodes()) if (step_budget > 0) episodes++;
await pack.close();
if (episodes !== pack.manifest.episode_count * Number(times)) throw new Error(`there were ${episodes}`);
console.log(process.resourceUsage().maxRSS);
