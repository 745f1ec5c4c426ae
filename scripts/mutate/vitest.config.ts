/** The tests that `npm run mutate` chose, set up as always. */
import base from "../../vitest.config.js";

const { tests } = JSON.parse(process.env["BRIDLE_TEST_MUTATE"] ?? "{}") as { readonly tests?: string[] };

export default { ...base, test: { ...base.test, include: tests ?? [] } };
