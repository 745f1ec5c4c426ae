/** What others say, made fit for a terminal; see operation's visible.ts. */
import { visible, visibleJson, visibleLine } from "@bridle/operation";

export { visible, visibleJson, visibleLine };
