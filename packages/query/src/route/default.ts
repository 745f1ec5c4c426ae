/** The router that everybody uses: the one with the committed examples. */
import { exampleTexts } from "../texts.generated.js";
import { Router } from "./route.js";

let router: Router | undefined;

export function defaultRouter(): Router {
  return (router ??= new Router(exampleTexts.map(([id, q, family]) => ({ id, q, family }))));
}
