/** Keeps notes in a store that others write to as well; each note is one write. */
import { nodePorts } from "@bridle/record";
import { NoteStore } from "../../../packages/agent/src/memory/store.js";
import { args, done } from "../child-kit.js";

const { path, writer, times } = args<{ path: string; writer: string; times: number }>();
const store = new NoteStore({ path, ports: nodePorts() });
for (let i = 0; i < times; i++) {
  await store.put({ key: `${writer} ${i}`, value: `note ${i} of ${writer}`, type: "fact" });
}
done();
