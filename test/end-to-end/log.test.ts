/** `bridle log verify|repair|follow` as a person meets them: the built command on real files. */
import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { type Ended, Premath, type Started } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

/** A folder with a log of ten rows, and the commands on it. */
class Project {
  readonly folder = newFolder();
  readonly path = join(this.folder, "steps.jsonl");

  constructor() {
    writeFileSync(this.path, rows(1, 10));
  }

  log(...words: string[]): Promise<Ended> {
    return premath.bridle(["log", ...words], { cwd: this.folder }).ended;
  }

  follow(...words: string[]): Started {
    return premath.bridle(["log", "follow", "steps.jsonl", ...words], { cwd: this.folder });
  }

  text(): string {
    return readFileSync(this.path, "utf8");
  }

  setAside(): string[] {
    const folder = join(this.folder, ".bridle/set-aside");
    return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  }
}

function rows(from: number, to: number): string {
  let text = "";
  for (let n = from; n <= to; n++) text += `{"n":${n}}\n`;
  return text;
}

/** Resolves when the view has printed this much. */
function printed(view: Started, lines: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let text = "";
    view.child.stdout?.on("data", (more: string) => {
      text += more;
      const seen = text.split("\n").slice(0, -1);
      if (seen.length >= lines) resolve(seen);
    });
    void view.ended.then(({ stderr }) => reject(new Error(`the view ended early: ${stderr}`)));
  });
}

describe("log verify", () => {
  test("a sound log is sound, with its number of rows, and keeps its bytes", async () => {
    const project = new Project();
    const { code, stdout } = await project.log("verify", "steps.jsonl");
    expect(code).toBe(0);
    expect(stdout).toContain("steps.jsonl: sound, 10 rows");
    expect(project.text()).toBe(rows(1, 10));
  });

  test("each damaged place is named by line and byte, and the log is left as it was", async () => {
    const project = new Project();
    const damaged = `${rows(1, 3)}<<<<<<< HEAD\n${rows(4, 5)}{"n":\n${rows(6, 7)}`;
    writeFileSync(project.path, damaged);
    const { code, json, stderr } = await project.log("verify", "steps.jsonl", "--json");
    expect(code).toBe(1);
    expect(json()).toMatchObject({ result: "rejected" });
    expect(json()["damage"]).toMatchObject([
      { line: 4, byte: rows(1, 3).length },
      { line: 7, byte: rows(1, 3).length + 13 + rows(4, 5).length },
    ]);
    expect(stderr).not.toContain("    at ");
    expect(project.text()).toBe(damaged);
  });

  test("an unfinished last line is told apart from damage", async () => {
    const project = new Project();
    appendFileSync(project.path, '{"n":1');
    const { code, json } = await project.log("verify", "steps.jsonl", "--json");
    expect(code).toBe(0);
    expect(json()).toMatchObject({ rows: 10, unfinishedBytes: 6, damageCount: 0 });
  });

  test("nothing is made beside a log that no writer of ours has been at, sound or damaged", async () => {
    const project = new Project();
    for (const text of [rows(1, 10), `${rows(1, 3)}no row\n`]) {
      writeFileSync(project.path, text);
      await project.log("verify", "steps.jsonl");
      expect(readdirSync(project.folder)).toEqual(["steps.jsonl"]);
    }
  });

  test("a row that was changed in place shows against the index of an earlier look", async () => {
    const project = new Project();
    await project.log("repair", "steps.jsonl");
    await project.log("verify", "steps.jsonl");
    writeFileSync(project.path, rows(1, 10).replace('"n":7', '"n":8'));
    const { code, stdout, stderr } = await project.log("verify", "steps.jsonl");
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("checksum");
  });
});

describe("log repair", () => {
  test("damage is set aside to the byte, every good row stays, and changes are allowed again", async () => {
    const project = new Project();
    const bad = '{"n":"cut off\n';
    await project.log("repair", "steps.jsonl");
    writeFileSync(project.path, rows(1, 4) + bad + rows(5, 6));
    await project.log("verify", "steps.jsonl");
    const marker = () => readdirSync(join(project.folder, ".bridle/damage"));
    expect(marker()).toHaveLength(1);
    const { code, stdout } = await project.log("repair", "steps.jsonl");
    expect(code).toBe(0);
    expect(stdout).toContain("6 rows kept");
    expect(stdout).toContain("line 5");
    expect(project.text()).toBe(rows(1, 6));
    expect(project.setAside().some((text) => text.includes(bad))).toBe(true);
    expect(marker()).toHaveLength(0);
    expect((await project.log("verify", "steps.jsonl")).code).toBe(0);
  });

  test("a sound log is left as it is", async () => {
    const project = new Project();
    const { code, stdout } = await project.log("repair", "steps.jsonl");
    expect(code).toBe(0);
    expect(stdout).toContain("nothing to set aside");
    expect(project.text()).toBe(rows(1, 10));
  });

  test("a log that is not there is an error, and none is made", async () => {
    const project = new Project();
    const { code, stderr } = await project.log("repair", "other.jsonl");
    expect(code).toBe(1);
    expect(stderr).toContain("there is no log at other.jsonl");
    expect(readdirSync(project.folder)).not.toContain("other.jsonl");
  });
});

describe("log follow", () => {
  test("each row is printed once, half a row never, and an interrupt ends it", async () => {
    const project = new Project();
    const view = project.follow("--json");
    expect(await printed(view, 10)).toHaveLength(10);
    appendFileSync(project.path, '{"n":1');
    appendFileSync(project.path, '1}\n{"n":12}\n');
    const seen = await printed(view, 2);
    expect(seen.join("\n")).toMatch(/"n":\s*11[\s\S]*"n":\s*12/);
    view.child.kill("SIGINT");
    const { code, stderr } = await view.ended;
    expect([0, 130]).toContain(code);
    expect(stderr).not.toContain("    at ");
  });

  test("it goes on after the log was rewritten", async () => {
    const project = new Project();
    const view = project.follow("--json");
    await printed(view, 10);
    const more = printed(view, 2);
    writeFileSync(`${project.path}.new`, rows(21, 22));
    renameSync(`${project.path}.new`, project.path);
    expect((await more).join("\n")).toMatch(/"n":\s*21/);
    view.child.kill("SIGTERM");
    await view.ended;
  });
});
