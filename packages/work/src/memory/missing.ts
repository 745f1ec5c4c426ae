/** The refusal of whoever asks for issue memory that is not there. */
import { type Refusal, refuse } from "@bridle/record";

export function memoryMissing(shown: string): Refusal {
  return refuse("issue_memory_missing", {
    message: `there is no issue memory at ${shown}`,
    hint: "Make the first issue with `premath issue add <title>`, or name the file with --issues.",
  });
}
