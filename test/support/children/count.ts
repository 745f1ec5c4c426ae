/** Adds to a counter in a document, many times; every addition is one change of the document. */
import { Document, nodePorts } from "@bridle/record";
import { args, done } from "../child-kit.js";

const { path, times } = args<{ path: string; times: number }>();
const document = await Document.open<{ count: number }>({
  path,
  ports: nodePorts(),
  members: ["count"],
  lockWaitMsMax: 60_000,
  check: (value) => {
    if (typeof value["count"] !== "number") throw new Error("no count");
    return { count: value["count"] };
  },
});
for (let i = 0; i < times; i++) await document.change((current) => ({ count: (current?.count ?? 0) + 1 }));
done();
