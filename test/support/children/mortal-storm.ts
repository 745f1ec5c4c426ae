/**
 * One life of a stormy conversation, whose process may die at any write of its
 * session log and of its tape.
 */
import { nodePorts } from "@bridle/record";
import { Random, VirtualClock } from "@bridle/testing";
import { live, type StormPlace } from "../../agent/storms.js";
import { args, done } from "../child-kit.js";
import { mortalFiles } from "../mortal.js";

const { place, life } = args<{ place: StormPlace; life: number }>();
const real = nodePorts();
/** Later lives are safer, so that there is an end. */
const danger = 0.03 / (1 + life / 2);
const random = new Random(place.which * 1_000 + life);
await live(place, life, {
  ...real,
  clock: new VirtualClock(),
  files: mortalFiles(real.files, random, (_deed, path) => (path.endsWith(".jsonl") ? danger : 0)),
});
done();
