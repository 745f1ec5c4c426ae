/** The router that everybody uses: the one with the committed examples. */
import { neighbourIndexText } from "../neighbours.generated.js";
import type { NeighbourIndex } from "./neighbours.js";
import { Router } from "./route.js";

let router: Router | undefined;

export function defaultRouter(): Router {
  return (router ??= new Router(JSON.parse(neighbourIndexText) as NeighbourIndex));
}
