/**
 * What is left to do when this program is killed: somebody else has to end the
 * commands that it started.
 *
 * On Linux one bash for the whole life of this program holds the end of a pipe and
 * is told which runs are under way. A process that ends, however it ends, closes
 * its pipes; when that happens the bash finds what bears the marks of those runs,
 * asks it to end and ends it. It needs no other program, and while it waits it
 * costs nothing.
 *
 * What a newcomer gets wrong: a run is told before its process is started. The
 * other way round a kill between the two would leave it to nobody. And the pipe is
 * closed on exec, so no command holds it open.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Writable } from "node:stream";

export interface WatchedRun {
  /** In the environment of all that belongs to it. */
  readonly token: string;
  /** The limit on the size of files that all of it has. */
  readonly fileBytes: number;
}

type Watcher = ChildProcessByStdio<Writable, null, null>;

let watcher: Watcher | undefined;
/** The lines of the runs that are under way. */
const under = new Map<string, string>();
/** One that is killed is replaced, but not for ever. */
let startsLeft = 100;

/** `shell`: a bash, absolute. What it gives is to be called when everything of the run has ended. */
export function watchRun(shell: string, { token, fileBytes }: WatchedRun): () => void {
  if (process.platform !== "linux") return () => {};
  const line = `run ${token} ${fileBytes}\n`;
  under.set(token, line);
  if (watcher === undefined) begin(shell);
  else watcher.stdin.write(line);
  return () => {
    under.delete(token);
    watcher?.stdin.write(`over ${token}\n`);
  };
}

function begin(shell: string): void {
  if (startsLeft === 0) return;
  startsLeft -= 1;
  // A session of its own, so that Ctrl-C ends this program and not its watcher.
  const child: Watcher = spawn(shell, ["--noprofile", "--norc", "-c", script, "bridle-watch"], {
    ...{ cwd: "/", env: {}, detached: true },
    stdio: ["pipe", "ignore", "ignore"],
  });
  watcher = child;
  const lost = () => {
    if (watcher !== child) return;
    watcher = undefined;
    if (under.size > 0) begin(shell);
  };
  child.once("exit", lost);
  child.once("error", lost);
  // That it is gone is told by its exit.
  child.stdin.on("error", () => {});
  child.unref();
  (child.stdin as Writable & { unref(): void }).unref();
  for (const line of under.values()) child.stdin.write(line);
}

const script = `
# A command that ends every shell of its user does not mean this one.
trap '' INT TERM HUP
declare -A runs
while read -r what token bytes; do
  if [[ $what == run ]]; then runs[$token]=$bytes; else unset "runs[$token]"; fi
done
((\${#runs[@]})) || exit 0

# Of a pipe that nobody writes to nothing can be read, which takes as long as it may.
exec {never}<> <(:)
pause() { read -rt "$1" -u "$never"; }

marked() {
  local stat= limits= text token
  IFS= read -rd '' stat < "$1/stat"
  [[ -n $stat && $stat != *") "[ZXx]* ]] || return 1
  IFS= read -rd '' limits < "$1/limits"
  [[ $limits =~ 'Max file size '+' '([0-9]+)' '+([0-9]+) ]] && limits=\${BASH_REMATCH[2]}
  for token in "\${!runs[@]}"; do [[ $limits == "\${runs[$token]}" ]] && return 0; done
  while IFS= read -rd '' text; do
    [[ $text == BRIDLE_RUN=* ]] || continue
    for token in "\${!runs[@]}"; do [[ $text == *"$token"* ]] && return 0; done
  done < "$1/environ"
  return 1
}

look() {
  local folder
  ours=()
  for folder in /proc/[0-9]*; do
    if [[ -O $folder ]] && marked "$folder"; then ours+=("\${folder#/proc/}"); fi
  done 2> /dev/null
  ((\${#ours[@]}))
}

tell() {
  local signal
  for signal; do kill -s "$signal" "\${ours[@]}"; done 2> /dev/null
}

if look; then tell STOP TERM CONT; fi
for ((i = 0; i < 10 && \${#ours[@]}; i++)); do
  pause 0.1
  look
done
# Twice nobody: one that starts another and ends may be missed by a single look.
for ((i = nobody = 0; i < 250 && nobody < 2; i++)); do
  if look; then
    nobody=0
    tell STOP KILL
  else ((nobody += 1)); fi
  if ((i > 2)); then pause 0.02; fi
done
`;
