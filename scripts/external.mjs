/** Packages that are never bundled: too large, or with machine code in them. Whoever needs one loads it from node_modules. */
export const externalPackages = ["@duckdb/*", "@earendil-works/*", "@google-cloud/*"];
