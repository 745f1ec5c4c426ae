/** The simulated disk seen from outside of the simulation; see `SimDiskView` in types.ts. */
import type { Files } from "@bridle/record";
import { compareCodePoints } from "@bridle/record";
import type { Random } from "./random.js";
import type { SimDisk } from "./sim-disk.js";
import { SimFiles } from "./sim-files.js";
import type { FolderNode, Inode } from "./sim-inode.js";
import { pathOf } from "./sim-inode.js";
import type { SimDiskView } from "./types.js";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export class DiskView implements SimDiskView {
  constructor(
    private readonly disk: SimDisk,
    private readonly random: Random,
  ) {}

  get full(): boolean {
    return this.disk.full;
  }

  set full(full: boolean) {
    this.disk.full = full;
  }

  peek(path: string): Uint8Array | undefined {
    const node = this.disk.at(path, "peek", { followLast: true, ifMissing: "undefined" })?.node;
    return node?.kind === "file" ? node.content.slice() : undefined;
  }

  peekText(path: string): string | undefined {
    const bytes = this.peek(path);
    return bytes === undefined ? undefined : decoder.decode(bytes);
  }

  peekDurable(path: string): Uint8Array | undefined {
    let node: Inode | undefined = this.disk.root;
    for (const part of path.split("/").filter((each) => each !== "")) {
      node = node?.kind === "folder" ? node.durable.get(part) : undefined;
    }
    return node?.kind === "file" ? node.durable.slice() : undefined;
  }

  tree(): string[] {
    const paths: string[] = [];
    const walk = (folder: FolderNode) => {
      for (const node of folder.entries.values()) {
        const path = pathOf(node);
        if (node.kind === "file") paths.push(path);
        else if (node.kind === "link") paths.push(`${path} -> ${node.target}`);
        else {
          paths.push(`${path}/`);
          walk(node);
        }
      }
    };
    walk(this.disk.root);
    return paths.sort(compareCodePoints);
  }

  put(path: string, content: Uint8Array | string): void {
    const { disk } = this;
    this.makeFolder(path.slice(0, path.lastIndexOf("/")) || "/");
    const file = disk.open(path, "append");
    disk.truncate(file, 0);
    disk.write(file, 0, typeof content === "string" ? encoder.encode(content) : content);
    disk.sync(file);
    if (file.parent !== undefined) disk.syncFolder(file.parent);
  }

  /** A folder that is there durably, with those above it. */
  makeFolder(path: string): void {
    this.disk.makeDirectory(path);
    let folder: FolderNode | undefined = this.disk.folder(path, "mkdir");
    for (; folder !== undefined; folder = folder.parent) this.disk.syncFolder(folder);
  }

  setMode(path: string, mode: number): void {
    const { node } = this.disk.at(path, "chmod", { followLast: true });
    if (node === undefined) throw new Error(`setMode: there is no ${path}`);
    node.mode = mode;
  }

  files(): Files {
    const caller = {
      request: async <T>(effect: { act: () => unknown }) => effect.act() as T,
      wait: async () => {},
      onDrop: new Set<() => void>(),
    };
    return new SimFiles(caller, {
      disk: this.disk,
      random: this.random,
      faults: () => ({}),
      watches: "prompt",
    });
  }
}
