/** npm's registry on loopback: what it has are packages of this checkout, packed when it starts. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { repository } from "./built.js";
import { newFolder } from "./folder.js";

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** Its address. */
export async function startRegistry(names: readonly string[]): Promise<string> {
  const folder = newFolder();
  const tarballs = new Map(names.map((name) => [name, packed(name, folder)]));
  const server = createServer((request, response) => {
    const [, name = "", file] = (request.url ?? "").split("/");
    const found = tarballs.get(name);
    if (found === undefined) return void response.writeHead(404).end("{}");
    if (file !== undefined) return void response.end(found.bytes);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(document(found, `http://${request.headers.host}/${name}/it.tgz`)));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

interface Tarball {
  readonly manifest: Manifest;
  readonly bytes: Buffer;
}

function packed(name: string, folder: string): Tarball {
  const source = join(repository, "node_modules", name);
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, source];
  const [made] = JSON.parse(
    execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  ) as [{ filename: string }];
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as Manifest;
  return { manifest, bytes: readFileSync(join(folder, made.filename)) };
}

/** What npm asks for before it fetches a tarball. */
function document({ manifest, bytes }: Tarball, tarball: string) {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const versions = { [version]: { ...manifest, dist: { tarball, integrity } } };
  return { name, "dist-tags": { latest: version }, versions };
}
