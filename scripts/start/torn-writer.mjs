/**
 * A worker that dies half way through a write, for real.
 *
 * It appends one row through the same Log as everybody, on the real disk; only
 * the port's `append` is replaced by one that hands the first half of the bytes
 * to the system and then kills its own process. Nothing cleans up after SIGKILL:
 * the lock stays, and so does half a row.
 *
 * Called with the log's path and the row as JSON.
 */
import { Log, nodePorts } from "@bridle/record";

const [path = "", row = "{}"] = process.argv.slice(2);
const ports = nodePorts();

const files = {
  ...ports.files,
  async open(place, mode, permissions) {
    const file = await ports.files.open(place, mode, permissions);
    if (place !== path) return file;
    const write = file.append.bind(file);
    file.append = async (bytes) => {
      await write(bytes.subarray(0, Math.floor(bytes.length / 2)));
      process.kill(process.pid, "SIGKILL");
      // The signal may take a moment to arrive; nothing more may happen meanwhile.
      return new Promise(() => {});
    };
    return file;
  },
};

const log = await Log.open({ path, bearing: "trajectory", ports: { ...ports, files } });
await log.append(JSON.parse(row));
