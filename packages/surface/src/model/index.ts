/** What has to do with models from outside: the login, and the list. */
import type { Operation } from "@bridle/operation";
import { loginCodexOperation } from "./login.js";
import { localPlaces } from "./local-servers.js";
import { modelsOperation } from "./models.js";
import { modelsUseOperation } from "./models-use.js";

const login = loginCodexOperation(async () => (await import("./login-terminal.js")).loginTerminal());

export const operations: readonly Operation[] = [
  login,
  modelsOperation(localPlaces),
  modelsUseOperation(localPlaces),
];
