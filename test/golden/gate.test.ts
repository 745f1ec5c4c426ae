/**
 * A call for every class that the mutation gate refuses by, and one that it lets through: the project's
 * files, the lanes that a person opened, the call, and the envelope that it had when the file was
 * written, compared byte by byte. What is refused leaves every byte of the project as it was.
 *
 * The files are never edited. In them `$FOLDER` stands for the project's folder.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Standing } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import { joinClasses, mutationClasses } from "@bridle/work";
import { describe, expect, it } from "vitest";
import { failures } from "../../packages/work/src/failures.js";
import { GateDesk } from "../support/gate-desk.js";

interface Golden {
  readonly files: Readonly<Record<string, string | JsonObject>>;
  /** As `~/.config/bridle/lanes.json` holds them for the folder; text where that is no lanes file. */
  readonly lanes: readonly JsonObject[] | string;
  readonly call: { readonly action: string; readonly input: JsonObject; readonly standing: Standing };
  readonly answer: JsonObject;
}

const folder = new URL("gate/", import.meta.url);
const names = readdirSync(folder).map((name) => name.replace(/\.json$/, ""));

function placed({ files, lanes }: Golden): GateDesk {
  const desk = new GateDesk();
  for (const [path, content] of Object.entries(files)) desk.write(path, content);
  mkdirSync(join(desk.settings, "bridle"));
  const file = { lanesKind: "bridle.lanes.v1", folders: [{ folder: desk.cwd, lanes }] };
  writeFileSync(
    join(desk.settings, "bridle/lanes.json"),
    typeof lanes === "string" ? lanes : JSON.stringify(file),
  );
  return desk;
}

describe("[TUSK-1.3] [RUNTIME-3.2.6] a golden call", () => {
  it.each(names)("%s is answered as ever", async (name) => {
    const text = readFileSync(new URL(`${name}.json`, folder), "utf8");
    const golden = JSON.parse(text) as Golden;
    const desk = placed(golden);
    const before = desk.files();
    const { action, input, standing } = golden.call;
    const envelope = await desk.call(action, input, standing);
    const answer = JSON.stringify(envelope)
      .replaceAll(desk.cwd, "$FOLDER")
      .replaceAll(desk.settings, "$SETTINGS");
    expect(`${JSON.stringify({ ...golden, answer: JSON.parse(answer) as JsonObject }, null, 2)}\n`).toBe(text);
    if (name === "accepted") return;
    expect(desk.files()).toEqual(before);
    const { detail } = envelope.payload as { detail?: { failureClasses?: string[] } };
    expect([envelope.resultClass, ...(detail?.failureClasses ?? [])]).toContain(name);
  });

  it("is there for every class", () => {
    const gate = Object.keys(failures).filter((name) => name.startsWith("mutation."));
    // A turn that is open is told by the reasons why it is.
    const told = new Set([...gate, ...joinClasses, ...mutationClasses]);
    told.delete("mutation.join_open");
    const around = ["accepted", "document_invalid", "harness_join_check_invalid"];
    expect(names.toSorted()).toEqual([...told, ...around].toSorted());
  });
});
