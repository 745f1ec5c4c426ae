/** The router that everybody uses: the one with the committed examples. */
import { neighbours, synonyms, weights } from "../router.generated.js";
import { Router } from "./route.js";

let router: Router | undefined;

export function defaultRouter(): Router {
  return (router ??= new Router({ synonyms, weights, neighbours }));
}
