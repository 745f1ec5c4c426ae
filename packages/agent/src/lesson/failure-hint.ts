/**
 * A hint from the second failure of one tool in a row: what to look at before
 * that tool is called again.
 *
 * What a newcomer gets wrong: it only advises. Calls are refused by intent, not
 * by the name of their tool, for two failed reads of different files are no loop.
 */
import { shownName } from "../prompt/lines.js";

const advice: Readonly<Record<string, string>> = {
  read_file: "list the folder and copy the path from there; read a range where the file is large.",
  read_file_chunked: "list the folder and copy the path from there; mind where the file ends.",
  grep_file: "search for a shorter, literal text, and check that the path is there.",
  list_dir: "start at the workspace's root and go down one folder at a time.",
  write_file:
    "choose the mode by whether the file is there: create, append or overwrite with its confirmation.",
  edit_file:
    "read the lines in question and copy the text to replace exactly, with enough of it to match once.",
  run_shell: "read the end of its output, run a smaller command, and check that the program is installed.",
  web_search: "search with fewer and other words.",
  web_fetch: "take another address from the search results.",
  memory_query: "ask with fewer words, or without a scope.",
  recall_relevant: "ask with the words of the current task.",
  spawn_agent: "give it a system_prompt and a user_prompt that stand on their own.",
  wait_for_agents: "use the ids that spawn_agent returned.",
};

const usualAdvice = "read its last error word for word and change what that names.";

/** Undefined while there is no reason for one. */
export function failureHint(tool: string, inARow: number): string | undefined {
  if (inARow < 2) return undefined;
  const help = Object.hasOwn(advice, tool) ? advice[tool] : usualAdvice;
  return `[${shownName(tool)} has failed ${inARow} times in a row.] Before the next call of it: ${help}`;
}
