/**
 * What a command line may do: from its tree to an `Intent`.
 *
 * What a newcomer gets wrong: the policy knows texts, not the machine. `safe` is
 * a proof from the text alone, for programs that are what their names say; all
 * doubt makes a command destructive, which only means that somebody has to say
 * yes. A yes makes it arbitrary code. `forbidden` is no wall either: it stops
 * plain mistakes and plain attacks, and nothing that was written to get past it.
 */
import { posix } from "node:path";
import { type Intent, parseShell, shellLimits } from "@bridle/agent";
import { canonicalJson, sha256Hex } from "@bridle/record";
import { forbidden } from "./forbidden.js";
import { Judgement } from "./judgement.js";
import { Scene } from "./scene.js";
import { judgeScript } from "./walk.js";

export interface ShellPlace {
  /** Absolute. */
  readonly workspaceRoot: string;
  /** Where the command runs, relative to the workspace; its root when left out. */
  readonly cwd?: string;
  /** The home of who runs it, absolute. */
  readonly home?: string;
}

/** Contract: pure and total. */
export function judgeCommand(command: string, place: ShellPlace): Intent {
  return judgeWhole(command, place).intent;
}

/** With what it opens and enters, for whoever can look at the disk. */
export function judgeWhole(
  command: string,
  place: ShellPlace,
): { readonly intent: Intent; readonly judgement: Judgement } {
  const cwd = posix.resolve(place.workspaceRoot, place.cwd ?? ".");
  const where = {
    root: posix.resolve(place.workspaceRoot),
    ...(place.home === undefined ? {} : { home: place.home }),
  };
  const scene = new Scene(where, [cwd], 0, false);
  const judgement = new Judgement();
  const parsed = parseShell(command);
  if (scene.inside(cwd) === undefined) judgement.anything("destructive", "it runs outside the workspace");
  if (/\p{Cf}/u.test(command)) judgement.anything("destructive", "it has characters that cannot be seen");
  if (parsed.kind === "script") judgeScript(parsed.script, scene, judgement);
  else {
    judgement.anything("destructive", `it cannot be taken apart: ${parsed.because}`);
    judgeText(command, judgement);
  }
  const meaning =
    parsed.kind === "script" ? canonicalJson(JSON.parse(JSON.stringify(parsed.script))) : command;
  const key = `run_shell:${sha256Hex(`${cwd}\n${meaning}`)}`;
  return { intent: intentOf(judgement, { key, command }), judgement };
}

/** What can be seen without understanding it; a shell runs the lines before the one that it cannot read. */
function judgeText(command: string, judgement: Judgement): void {
  const text = command.slice(0, shellLimits.commandCharsMax * 4);
  if (/\b(?:rm|rmdir|unlink|shred)\b|-delete\b|\bclean\b/.test(text)) judgement.removes.add("anything");
  if (/\b(?:curl|wget|ssh|scp|nc|ncat|rsync|push|fetch|pull|clone|install)\b|\/dev\/(?:tcp|udp)/.test(text))
    judgement.reachesOut = true;
  if (/\b(?:curl|wget)\b[^\n;]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b/.test(text))
    judgement.forbid(forbidden.remoteCode);
  if (/\bmkfs|\/dev\/(?:sd|nvme|vd|xvd|mmcblk)/.test(text)) judgement.forbid(forbidden.device);
  if (/\brm\s+(?:-\S+\s+)*["']?(?:\/|~|\$\{?HOME\}?)["']?\/?\*?(?:\s|$|[;&|)])/.test(text))
    judgement.forbid(forbidden.everything);
  if (/\/\.ssh\/|\/etc\/g?shadow|\/\.aws\/|\/proc\/[^\s]*environ/.test(text))
    judgement.forbid(forbidden.secret);
  if (/(\S+)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1\s*&/.test(text.slice(0, 4_096))) judgement.forbid(forbidden.bomb);
}

function intentOf(judgement: Judgement, { key, command }: { key: string; command: string }): Intent {
  const { risk, reads, changes, removes } = judgement;
  return {
    key,
    repeat: "run",
    risk,
    says: saying(command, judgement.why),
    ...(reads.size === 0 ? {} : { reads: [...reads].toSorted() }),
    ...(judgement.changesAnything
      ? { changes: "anything" as const }
      : changes.size === 0
        ? {}
        : { changes: [...changes].toSorted() }),
    ...(removes.size === 0 ? {} : { removes: [...removes].toSorted() }),
    ...(judgement.waits ? { waits: true as const } : {}),
    ...(judgement.reachesOut ? { reachesOut: true as const } : {}),
    ...(judgement.forbidden === undefined ? {} : { forbidden: judgement.forbidden }),
  };
}

/** One line; what cannot be seen is written out, so that nothing hides from who has to say yes. */
function saying(command: string, why: readonly string[]): string {
  const line = command.trim().replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped);
  const short = line.length > 400 ? `${line.slice(0, 300)} … ${line.slice(-90)}` : line;
  return `run: ${short}${
    why.length === 0
      ? ""
      : ` (${why
          .slice(0, 4)
          .map((reason) => reason.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped))
          .join("; ")})`
  }`;
}

function escaped(c: string): string {
  if (c === "\n") return "⏎ ";
  return c === "\t" ? " " : `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`;
}
