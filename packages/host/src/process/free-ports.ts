/** A range of ports of this machine in which nobody listens: the one that is asked for, or one further on. */
import { createServer } from "node:net";

const rangesMax = 16;
/** Ranges are looked for so far apart that the next worker's is not taken. */
const apart = 64;
const portMax = 65_535;

/** The first port of the range; undefined where none is free. */
export async function freePorts(from: number, count: number): Promise<number | undefined> {
  for (let range = 0; range < rangesMax; range++) {
    const first = from + range * count * apart;
    if (first + count - 1 > portMax) return undefined;
    const ports = Array.from({ length: count }, (_, at) => first + at);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
  return undefined;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
