/**
 * What is never run, whoever says yes, one line each: the code, the reason, and
 * what to do instead.
 */
import type { Forbidden } from "./judgement.js";

function never(code: string, because: string, remedy: string): Forbidden {
  return { code, because, remedy };
}

export const forbidden = {
  everything: never(
    "shell_removes_everything",
    "it would take away or rewrite a whole machine, home, workspace or repository",
    "Name the files and folders within the workspace that are meant.",
  ),
  device: never(
    "shell_writes_device",
    "it would write to a disk or to memory as a device, or make a file system",
    "Write to a file of the workspace.",
  ),
  bomb: never(
    "shell_fork_bomb",
    "it would start copies of itself without end",
    "Start a bounded number of processes.",
  ),
  remoteCode: never(
    "shell_runs_download",
    "it would run what it fetches, unseen",
    "Fetch it into a file of the workspace, read it, and ask for a yes to run it.",
  ),
  secret: never(
    "shell_reads_secret",
    "it names a well-known place of keys or passwords",
    "Ask the user to do what needs the secret.",
  ),
  harness: never(
    "shell_changes_harness",
    "it would change what the harness itself keeps",
    "Use the harness's own commands and tools for issues, sessions and settings.",
  ),
  machine: never(
    "shell_stops_machine",
    "it would stop or restart the machine",
    "Leave the machine to its user.",
  ),
} as const;
